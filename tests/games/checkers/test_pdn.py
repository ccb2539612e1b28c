"""PDN files: read with all their faults, written, and agreement with pydraughts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from draughts import Board
from draughts import Move as TheirMove
from draughts.PDN import PDNReader, PDNWriter
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.game import Outcome
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.pdn import GAME_TYPE, PdnError, PdnGame, read_pdn, write_pdn

GAME = Checkers()
TURNED = Checkers(turned=1)

TWO_GAMES = """\
[Event "A friendly game"]
[Site "Under \\"the\\" tree"]
[Black "Ada"]
[White "Brook, Bo"]
[Result "1/2-1/2"]

1. 11-15 23-19 {the "Glasgow" begins so} 2. 8-11 22-17
3.11-16! ( 3. 9-14 25-22 (4. 11-16) ; not so good ) here
   4. 11-16 ) 24-20 $4 4. 16x23 27x11 5. 7x16 ; a remark
20x11 1/2-1/2

[Event "Another"]
[GameType "21,B,8,8,N1,0"]
[SetUp "1"]
[FEN "W:W32,K14:B23,24,10"]

1... 14x7 2. 24-28 *
"""


def play_random(seed: int, start: Position, plies: int = 400) -> PdnGame:
    """A random game, to its end or cut short."""
    choices = random.Random(seed)
    game = Checkers(turned=start.turned)
    position, moves = start, []
    while len(moves) < plies and (legal := game.legal_moves(position)):
        moves.append(choices.choice(legal))
        position = game.play(position, moves[-1])
    outcome = game.outcome(position)
    result = "*"
    if outcome is not None:
        result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[outcome.scores[0]]
    return PdnGame(tuple(moves), result, {"Event": f"random {seed}"}, start)


def faults(text: str) -> list[str]:
    """What is wrong in a file; for games without a fault how many moves they have."""
    return [str(e) if isinstance(e, PdnError) else str(len(e.moves)) for e in read_pdn(text)]


def test_a_file_with_everything_in_it() -> None:
    first, second = read_pdn(TWO_GAMES)
    assert isinstance(first, PdnGame)
    assert " ".join(str(move) for move in first.moves) == (
        "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x18x11 7x16 20x11"
    )
    assert first.result == "1/2-1/2"
    assert list(first.tags) == ["Event", "Site", "Black", "White", "Result"]
    assert first.tags["Site"] == 'Under "the" tree'
    assert first.start == GAME.initial()
    assert isinstance(second, PdnGame)
    assert [str(move) for move in second.moves] == ["14x7", "24-28"]
    assert second.start == GAME.parse_position("W:W32,K14:B23,24,10")
    assert second.result == "*"
    assert [position.fen() for position in second.positions()] == [
        "W:WK14,32:B10,23,24",
        "B:WK7,32:B23,24",
        "W:WK7,32:B23,28",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. 11-15 23-19 2. 8-11 *",
        "1.11-15 23-19 2.8-11 *",
        "1. 11-15 1... 23-19 2. 8-11",
        "1.11-15 1...23-19 2.8-11 *",
        "1 11-15 23-19 2 8-11 *",
        "11-15 23-19 8-11",
        "7. 11 - 15 . 23- 19 99999999999999999999. 8 -11 *",
        "1. 11-15!? 23-19?? $1 $23 2. 8-11* {star} *",
        "1. 11x15 23:19 2. 8-11 *",
        "\ufeff% a line for some program\n1. 11-15 23-19\r\n2. 8-11\r\n*\r\n",
        "{before} ; and a line 1-0 }\n1. 11-15 {[%clk 1:00]} 23-19 (23-18 {)} ()) 2. 8-11 *",
    ],
)
def test_moves_are_read_in_every_shape(text: str) -> None:
    (game,) = read_pdn(text)
    assert isinstance(game, PdnGame), game
    assert [str(move) for move in game.moves] == ["11-15", "23-19", "8-11"]
    assert game.result == "*"


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("11-15 1-0 11-15 0-1 11-15 1/2-1/2 11-15 *", ["1-0", "0-1", "1/2-1/2", "*"]),
        ("11-15 2-0 11-15 0-2 11-15 1-1 11-15", ["1-0", "0-1", "1/2-1/2", "*"]),
        ('[Result "1-0"] 11-15 * [Result "0-1"] 11-15 0-1', ["1-0", "0-1"]),
        ("11-15 1-0 *\n11-15 1-0 1-0", ["1-0", "1-0"]),
        ('[Result "*"] 11-15 1-0 [Result "?"] 0-1', ["1-0", "0-1"]),
        ('[Event "a"] [Event "b"] [Event "c"] *', ["*", "*", "*"]),
        ("", []),
        (" \n{nothing} ; here\n", []),
    ],
)
def test_results_end_games(text: str, results: list[str]) -> None:
    games = read_pdn(text)
    assert [isinstance(game, PdnGame) and game.result for game in games] == results


def test_a_move_that_begins_like_a_result_is_a_move() -> None:
    (game,) = read_pdn('[FEN "B:WK32:BK1"] 1-05 32-28{2-0}5-1 1-0{won}')
    assert isinstance(game, PdnGame)
    assert [str(move) for move in game.moves] == ["1-5", "32-28", "5-1"]
    assert game.result == "1-0"


LONG = "9" * 5000


@pytest.mark.parametrize(
    "text",
    [
        f'[GameType "{LONG}"] *',
        f'[GameType "21,B,8,8,{LONG}"] *',
        f'[FEN "{LONG}"] *',
        f'[FEN "W:W{LONG}:B1"] *',
        f'[FEN "W:{LONG}:B1"] *',
        f'[Result "{LONG}"] *',
        f"[{LONG}",
        LONG + "x",
        f"{LONG}-{LONG}",
        "-".join("12" * 2000),
        "x".join(["1", "10"] * 2000),
    ],
)
def test_what_is_wrong_is_told_in_a_line(text: str) -> None:
    (error,) = read_pdn(text)
    assert isinstance(error, PdnError)
    assert len(str(error)) < 200


GOOD = '[Event "good"]\n\n1. 11-15 23-19 1-0\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1. 11-15 23-19 2. 15-24 24-20 *", "move 2: 15x24: from 15 dark can play 15-18"),
        ("1. 11-15 21-25 *", "move 1: 21-25: from 21 light can play 21-17"),
        ("1. 11-15 23-33 *", "move 1: there is no square 33: they are numbered 1 to 32"),
        ("1. 11-15 hello *", "move 1: 'hello' is no move: write 11-15, or 18x11 for a capture"),
        ("1. 11-15 b6-a5 *", "move 1: 'b6-a5' is no move: write 11-15, or 18x11 for a capture"),
        ("1. 11-15 } 23-19 *", "move 1: a comment ends with } that nothing began"),
        ("1. 11-15 23-19 1-0 }", "move 2: a comment ends with } that nothing began"),
        ("1. 11-15 23-19 ) 2. 8-11 *", "move 2: a variation ends with ) that nothing began"),
        ("1. 11-15 ] 23-19 *", "move 1: a header ends with ] that nothing began"),
        ("1. 11-15 [ 23-19 *", "move 1: '[ 23-19 *' is no header: [Name \"text\"] is meant"),
        ("1. 11-15 {23-19 *", "move 1: a comment begins with { and has no }"),
        ("1. 11-15 (23-19 *", "move 1: a variation begins with ( and has no )"),
        ("1. 11-15 (23-19 {*", "move 1: a comment begins with { and has no }"),
        ('[Event "x]\n1. 11-15 *', ' \'[Event "x]\' is no header: [Name "text"] is meant'),
        ("[Event]\n1. 11-15 *", " '[Event]' is no header: [Name \"text\"] is meant"),
        (
            '[GameType "20"]\n1. 32-28 *',
            " GameType 20 is international draughts: only 21, English, is read",
        ),
        (
            '[GameType "25,W,8,8,A0,0"]\n1. c3-d4 *',
            " GameType 25 is Russian draughts: only 21, English, is read",
        ),
        ('[GameType "x"]\n*', " GameType 'x' is unknown: only 21, English, is read"),
        (
            '[GameType "21,B,8,8,A0,0"]\n1. c3-d4 *',
            " GameType writes squares as 'A0': only N1 is read",
        ),
        ('[FEN "W:W33:B1"]\n*', " there is no square 33: they are numbered 1 to 32"),
        (
            '[SetUp "1"]\n1. 11-15 *',
            " the header SetUp promises a header FEN, which is missing",
        ),
        (
            '[Result "won"]\n1. 11-15 *',
            " the header Result is 'won': 1-0, 0-1, 1/2-1/2 or * is meant",
        ),
        (
            '[Result "1-0"]\n1. 11-15 0-1',
            "move 1: the moves end with 0-1, but the header Result is 1-0",
        ),
        ('[FEN "W:WK29:B22,25"]\n1... 29-25 *', "move 1: 29-25: the piece on 29 can't move"),
    ],
)
def test_faults_are_told_and_the_other_games_are_read(text: str, reason: str) -> None:
    comma = "" if reason.startswith(" ") else ", "
    expected = f"game 2{comma or ':'}{reason}"
    assert faults(f"{GOOD}\n{text}\n\n{GOOD}{GOOD}") == ["2", expected, "2", "2"]
    error = read_pdn(text)[0]
    assert isinstance(error, PdnError)
    assert error.game == 1
    assert (error.move is None) == (not comma)


def test_a_torn_game_does_not_swallow_the_next() -> None:
    torn = '[Event "torn"]\n1. 11-15 {no end\n\n[Event "next"]\n1. 11-15 {fine} 23-19 *'
    assert faults(torn) == ["game 1, move 1: a comment begins with { and has no }", "2"]
    torn = '[Event "torn"]\n1. 11-15 (no end\n\n[Event "next"]\n1. 11-15 (fine) 23-19 *'
    assert faults(torn) == ["game 1, move 1: a variation begins with ( and has no )", "2"]


def test_moves_are_numbered_as_the_file_does() -> None:
    """A game that light begins is numbered 1... 22-18 or 1. 22-18; both are in use."""
    text = '[FEN "W:W21,22:B1,2"]\n1... 22-18 2. 1-5 18-14 3. 5-10 *'
    assert faults(text) == ["game 1, move 3: 5-10: from 5 dark can play 5-9"]
    plain = text.replace("1...", "1.")
    assert faults(plain) == ["game 1, move 2: 5-10: from 5 dark can play 5-9"]


def test_games_go_on_after_a_draw_that_nobody_claimed() -> None:
    there_and_back = "1-5 32-28 5-1 28-32 "
    (game,) = read_pdn(f'[FEN "B:WK32:BK1"] {there_and_back * 4} *')
    assert isinstance(game, PdnGame)
    assert len(game.moves) == 16


def test_a_game_that_has_no_end_is_cut_off() -> None:
    there_and_back = "1-5 32-28 5-1 28-32 "
    text = f'[FEN "B:WK32:BK1"] {there_and_back * 10_000} *'
    assert faults(text) == ["game 1, move 5001: the game has more than 10,000 plies"]


def test_positions_after_a_draw_remember_no_more_than_makes_a_draw() -> None:
    (game,) = read_pdn(f'[FEN "B:WK32:BK1"] {"1-5 32-28 5-1 28-32 " * 50} *')
    assert isinstance(game, PdnGame)
    *_, last = game.positions()
    assert len(last.past) == 80
    assert GAME.outcome(last) == Outcome((1, 1), "40 moves each without a capture or a man's move")


def test_comments_without_an_end_are_told_in_each_game() -> None:
    torn = '[Event "torn"]\n1. 11-15 {no end\n\n'
    fine = '[Event "fine"]\n1. 11-15 {its } 23-19 {remarks}\n'
    expected = ["a comment begins with { and has no }"] * 2
    assert faults(torn * 2 + fine) == [
        *(f"game {number}, move 1: {text}" for number, text in enumerate(expected, 1)),
        "2",
    ]


def test_a_turned_game_is_read_and_written() -> None:
    game = play_random(3, TURNED.initial())
    text = write_pdn([game])
    assert '[GameType "21,W,8,8,N1,0"]' in text
    (again,) = read_pdn(text)
    assert isinstance(again, PdnGame)
    assert again.start == TURNED.initial()
    assert again.moves == game.moves


def test_what_is_written_is_read_again() -> None:
    starts = [GAME.initial(), GAME.parse_position("W:WK9,26,27,30:B15,22,25,K32")]
    games = [play_random(seed, starts[seed % 2], 20 * seed) for seed in range(30)]
    text = write_pdn(games)
    assert max(len(line) for line in text.splitlines()) <= 79
    again = read_pdn(text)
    for game, other in zip(games, again, strict=True):
        assert isinstance(other, PdnGame)
        assert (other.moves, other.result, other.start) == (game.moves, game.result, game.start)
        assert other.tags["Event"] == game.tags["Event"]
        assert other.tags["GameType"] == GAME_TYPE
    assert write_pdn([other for other in again if isinstance(other, PdnGame)]) == text


def test_a_written_game_looks_as_it_should() -> None:
    moves = [Move.parse(text) for text in ("11-15", "23-19", "8-11", "22-17")]
    game = PdnGame(tuple(moves), "0-1", {"Event": 'x "y" \\ z', "Result": "*"})
    assert write_pdn([game]) == (
        '[Event "x \\"y\\" \\\\ z"]\n[Result "0-1"]\n[GameType "21,B,8,8,N1,0"]\n\n'
        "1. 11-15 23-19 2. 8-11 22-17 0-1\n"
    )
    start = GAME.parse_position("W:W21:BK1,K2")
    game = PdnGame((Move((21, 17)), Move((1, 5))), start=start)
    assert write_pdn([game]).splitlines() == [
        '[Result "*"]',
        '[GameType "21,B,8,8,N1,0"]',
        '[SetUp "1"]',
        '[FEN "W:W21:BK1,K2"]',
        "",
        "1. 21-17 1-5 *",
    ]


@pytest.mark.parametrize(
    "game",
    [
        PdnGame((), "2-1"),
        PdnGame((), tags={"two words": "x"}),
        PdnGame((), tags={"Event": "two\nlines"}),
    ],
)
def test_what_no_file_can_hold_is_refused(game: PdnGame) -> None:
    with pytest.raises(BadValueError):
        write_pdn([game])


def test_illegal_games_are_not_written() -> None:
    with pytest.raises(IllegalMoveError, match="11x20"):
        write_pdn([PdnGame((Move((11, 20)), Move((9, 14))))])


def test_our_files_are_read_by_pydraughts() -> None:
    starts = [GAME.initial(), GAME.parse_position("W:W21,22,23,24,27,30:B1,2,3,4,K31")]
    games = [play_random(100 + seed, starts[seed % 3 // 2], 120) for seed in range(12)]
    for ours, theirs in zip(games, PDNReader(write_pdn(games)).games, strict=True):
        assert theirs.variant == "english"
        assert theirs.game_ending == ours.result
        assert theirs.tags["Event"] == ours.tags["Event"]
        board = Board(variant="english", fen=ours.start.fen())
        for text in theirs.moves:
            board.push(TheirMove(board, pdn_move=text))
        *_, last = ours.positions()
        assert GAME.parse_position(board.fen).fen() == last.fen()
        assert len(theirs.moves) == len(ours.moves)


def test_their_files_are_read_by_us(tmp_path: Path) -> None:
    file = tmp_path / "theirs.pdn"
    games = [play_random(200 + seed, GAME.initial(), 60) for seed in range(6)]
    for game in games:
        board = Board(variant="english")
        for move in game.moves:
            board.push(TheirMove(board, steps_move=list(move.path)))
        PDNWriter(str(file), board=board, tags={"Event": game.tags["Event"]}, game_ending="*")
    again = read_pdn(file.read_text())
    assert [isinstance(game, PdnGame) and game.moves for game in again] == [
        game.moves for game in games
    ]


PIECES = st.sampled_from(
    [
        *'{}()[];$%.*!?-x:"\\\n \t0123456789',
        *("11-15", "23-19", "8-11", "22-17", "1.", "2...", "1-0", "0-1", "1/2-1/2", "9x14x1x2"),
        *('[Event "x"]', '[Result "1-0"]', '[FEN "B:W21:B1"]', '[SetUp "1"]', '[GameType "20"]'),
        *("\ufeff", "½", "é", "\x00", "99999999999", "1" * 50, "\r\n", "a-b", "K3"),
    ]
)


@given(st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text()))
@settings(max_examples=1500)
def test_any_text_gives_games_or_errors(text: str) -> None:
    for number, entry in enumerate(read_pdn(text), start=1):
        if isinstance(entry, PdnError):
            assert entry.game == number
            assert str(entry).startswith(f"game {number}")
            assert "\n" not in str(entry)
            assert len(str(entry)) < 400
        else:
            assert list(entry.positions())
            (again,) = read_pdn(write_pdn([PdnGame(entry.moves, entry.result, {}, entry.start)]))
            assert isinstance(again, PdnGame)
            assert again.moves == entry.moves


@given(st.text(alphabet='WBK:,-.0123456789 \n"', max_size=40))
@settings(max_examples=500)
def test_any_position_is_read_or_refused(text: str) -> None:
    (entry,) = read_pdn(f'[FEN "{text}"]\n\n*')[:1]
    if isinstance(entry, PdnGame):
        assert GAME.parse_position(entry.start.fen()) == entry.start


@given(st.data())
@settings(max_examples=300)
def test_a_good_game_survives_what_stands_before_it(data: st.DataObject) -> None:
    before = "".join(data.draw(st.lists(PIECES, max_size=30)))
    whole = f'{before}\n*\n[Event "last"]\n[Date "?"]\n\n1. 11-15 23-19 *\n'
    last = read_pdn(whole)[-1]
    assert isinstance(last, PdnGame), last
    assert last.tags["Event"] == "last"
    assert [str(move) for move in last.moves] == ["11-15", "23-19"]

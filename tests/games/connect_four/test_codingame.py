"""The board of CodinGame, STEAL, and bots that play there."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.learning.tuple_learning import FIGURES, LearningSettings
from evolve_arena.games.connect_four.bitboard import Rules, TightRules, has_line
from evolve_arena.games.connect_four.column_player import MinimaxPlayer
from evolve_arena.games.connect_four.export_codingame import MOST_CHARACTERS, write_characters
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.templates.codingame import read_bytes
from evolve_arena.games.connect_four.tuple_network import TupleDecoder
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board_view import find_board_view
from evolve_arena.players.bred import BredPlayer, read_player
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import Player
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export import export_player
from evolve_arena.runs.export.page import run_source
from tests.bred import make_bred, random_positions
from tests.games.connect_four.codingame import STEAL, Bot, play
from tests.games.connect_four.test_kernel import make_players
from tests.pages import ask_page, with_node

BOARD = {"columns": 9, "rows": 7, "connect": 4, "steal": 1}
GAME = ConnectFour(**BOARD)
TIGHT = [(9, 7, 4, 1), (8, 8, 4, 0), (7, 6, 4, 1), (21, 3, 3, 1), (4, 16, 5, 0), (32, 2, 10, 0)]
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "value": ("mlp", {"head": "value", "encoding": "two-planes"}),
    "policy": ("mlp", {"head": "policy", "viewpoint": "absolute"}),
    "symmetric policy": ("mlp", {"head": "policy", "symmetric": True}),
    "action": ("mlp", {"head": "action"}),
    "graph, value": ("graph", {"head": "value"}),
    "graph, policy": ("graph", {"head": "policy", "encoding": "two-planes"}),
    "recurrent": ("graph", {"head": "value", "feed_forward": False}),
    "recurrent policy": ("graph", {"head": "policy", "feed_forward": False}),
    "tuples": ("tuples", {"tuples": 9, "length": 4}),
}


def make(kind: str, seed: int = 0, **board: int) -> BredPlayer:
    network, settings = KINDS[kind]
    return make_bred("connect-four", network, seed, **(board or BOARD), **settings)


def look_for_line(cells: np.ndarray, owner: int, connect: int) -> bool:
    """Whether *owner* has a line, cell by cell."""
    own = {(int(row), int(column)) for row, column in np.argwhere(cells == owner)}
    return any(
        all((row + k * down, column + k * right) in own for k in range(connect))
        for row, column in own
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


@pytest.mark.parametrize("board", TIGHT, ids=str)
def test_lines_end_at_the_edges_of_boards_without_spare_bits(board: tuple[int, ...]) -> None:
    game, chance = ConnectFour(*board), random.Random(3)
    assert type(game.rules) is TightRules
    seen = set()
    for _ in range(12):
        position = game.initial()
        while moves := game.legal_moves(position):
            position = game.play(position, chance.choice(moves))
            for owner, discs in ((1, position.first), (2, position.second)):
                found = has_line(np.uint64(discs), game.rules)
                assert found == look_for_line(position.cells(), owner, game.rules.connect)
                seen.add(bool(found))
            assert position.mirror().mirror() == position
            assert (position.mirror().cells() == position.cells()[:, ::-1]).all()
    assert seen == {False, True} or board == (32, 2, 10, 0)


def test_any_discs_are_judged_by_their_lines() -> None:
    chance = np.random.default_rng(2)
    for columns, rows, connect, steal in TIGHT:
        rules = ConnectFour(columns, rows, connect, steal).rules
        for _ in range(150):
            grid = chance.random((columns, rows)) < chance.uniform(0.2, 0.9)
            discs = sum(1 << int(cell) for cell in np.flatnonzero(grid.ravel()))
            assert has_line(np.uint64(discs), rules) == look_for_line(grid, 1, connect)


def test_the_usual_board_is_played_as_before() -> None:
    assert type(ConnectFour().rules) is Rules
    assert type(ConnectFour(9, 6).rules) is Rules
    assert ConnectFour(9, 7).perft(ConnectFour(9, 7).initial(), 4) == 9**4


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ((9, 8, 4, 0), "columns * rows must be from 1 to 64"),
        ((8, 8, 4, 1), "columns * rows must be from 1 to 63 with steal"),
        ((9, 7, 4, 2), "steal is 2: it must be 0 or 1"),
    ],
)
def test_other_boards_are_refused(board: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadValueError, match=re.escape(message)):
        ConnectFour(*board)


def test_steal_takes_the_disc_and_gives_the_turn_back() -> None:
    position = GAME.play(GAME.initial(), 4)
    assert GAME.legal_moves(position) == list(range(10))
    stolen = GAME.play(position, 9)
    assert (stolen.first, stolen.second) == (0, position.first)
    assert (GAME.to_move(stolen), stolen.ply, stolen.last) == (0, 2, 9)
    for later in (stolen, GAME.play(stolen, 4), GAME.initial()):
        assert 9 not in GAME.legal_moves(later)
        with pytest.raises(IllegalMoveError, match="first action alone"):
            GAME.play(later, 9)
    with pytest.raises(IllegalMoveError, match="no column 9"):
        ConnectFour(9, 7).play(ConnectFour(9, 7).initial(), 9)
    assert GAME.perft(GAME.initial(), 3) == 9 * 10 * 9
    assert GAME.perft(position, 2) == 10 * 9
    assert GAME.perft(stolen, 2) == 81


def test_a_game_with_steal_ends_when_the_board_is_full() -> None:
    game = ConnectFour(2, 2, 2, 1)
    position = game.parse_position("0steal")
    assert game.outcome(game.parse_position("0steal10").mirror()) == game.outcome(
        game.parse_position("0steal10")
    )
    line = game.play(game.play(position, 0), 1)
    assert game.outcome(line).places == (2, 1)
    small = ConnectFour(3, 1, 3, 1)
    full = small.parse_position("0steal12")
    assert (full.ply, small.outcome(full).reason) == (4, "the board is full")


def test_steal_has_a_name() -> None:
    ui = find_text_ui(GAME)
    position = GAME.parse_position("4steal3")
    assert position == GAME.parse_position("4 STEAL 3")
    assert position != GAME.parse_position("34")
    assert GAME.parse_position(GAME.parse_position("4steal").drawing()).stolen
    assert (ui.read("Steal", position), ui.name(9, position)) == (9, "STEAL")
    assert ui.write_game([4, 9, 3], []) == "4steal3"
    assert ui.read_game("4steal3") == (4, 9, 3)
    first = GAME.parse_position("4")
    assert ui.question(first) == "column 0-8 or steal"
    assert "8 and steal" in ui.list_moves(first)
    assert "o" in ui.draw(GAME.parse_position("4steal"), 9)
    with pytest.raises(IllegalMoveError):
        ConnectFour().parse_move("steal")


def test_a_click_on_the_disc_steals_it() -> None:
    view = find_board_view(GAME)
    position = GAME.parse_position("4")
    moves = view.moves(position)
    clicks = [tuple(path) for move in moves for path in move.get("paths", [move["path"]])]
    assert len(clicks) == len(set(clicks)) == 63
    assert [move["move"] for move in moves if move["path"] == [6 * 9 + 4]] == ["steal"]
    assert "STEAL" in str(view.draw(position, 1))
    assert view.draw(GAME.parse_position("4steal"), 0)["panels"] == []


@pytest.mark.parametrize("plies", [0, 1, 3])
@pytest.mark.parametrize("board", [(9, 7, 4, 1), (8, 8, 4, 0)], ids=str)
@pytest.mark.parametrize("kinds", [list(KINDS)[:4], list(KINDS)[4:]], ids=["networks", "others"])
@pytest.mark.usefixtures("compiled_as_needed")
def test_the_kernel_plays_the_games_that_python_plays(
    kinds: list[str], board: tuple[int, ...], plies: int
) -> None:
    """In two parts: what knows all kinds of players takes three times as long to compile."""
    game = ConnectFour(*board)
    players: list[Player] = [make(kind, seed, **game.options) for kind in kinds for seed in (2, 7)]
    if "tuples" in kinds:
        players += [MinimaxPlayer(game, depth) for depth in (1, 2, 6)]
    else:
        players += make_players(game)[:6]
    able = {type(player).__name__ for player in players} - {"CompiledPlayer"}
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    if plies != 1:
        pairings = pairings[plies % 3 :: 3]
    seeds = derive_seeds(5, 0, "matches", len(pairings))
    openings = random_openings(game, plies, len(pairings), 6)
    packed = combine_players([player.packed for player in players])
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    thieves = set()
    for match, (first, second) in enumerate(pairings):
        rivals = [players[first], players[second]]
        opening = openings[match].tolist()
        played = play_match(game, rivals, seed=int(seeds[match]), opening=opening)
        assert results.games[match] == played.game
        assert results.outcomes[match] == played.outcome
        assert results.plies[match] == len(played.moves)
        if played.moves[1] == game.rules.columns:
            thieves.add(type(players[second]).__name__)
    if game.rules.steal and plies == 1:
        assert able <= thieves
    assert game.rules.steal or not thieves


def search(game: ConnectFour, position: Position, depth: int, lines: Any) -> int:
    """The worth of a position for who is to move, without any short cut."""
    outcome = game.outcome(position)
    if outcome:
        return -(10**6) - depth if outcome.winner is not None else 0
    if depth == 0:
        discs = [position.first, position.second]
        points = [sum(int(lines[c]) for c in range(64) if d >> c & 1) for d in discs]
        return (points[0] - points[1]) * (1 - 2 * (position.ply % 2))
    moves = game.legal_moves(position)
    return max(-search(game, game.play(position, move), depth - 1, lines) for move in moves)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_knows_what_stealing_is_worth(depth: int) -> None:
    game = ConnectFour(5, 3, 3, 1)
    player = MinimaxPlayer(game, depth)
    lines = np.concatenate([player.packed.columns, np.zeros(64, dtype=np.int32)])
    stolen = 0
    for text in ("", *"01234", "0steal", "2steal", "2steal1", "12", "0123"):
        position = game.parse_position(text)
        values = {
            move: -search(game, game.play(position, move), depth - 1, lines)
            for move in game.legal_moves(position)
        }
        best = {move for move, value in values.items() if value == max(values.values())}
        chosen = {player.choose(position, new_stream(seed)) for seed in range(60)}
        assert chosen == best, text
        stolen += 5 in chosen
    assert stolen


def test_what_learns_learns_to_steal() -> None:
    """On three cells in a row the first disc, in the middle, wins for whoever owns it."""
    game = ConnectFour(3, 1, 2, 1)
    decoder = TupleDecoder(**game.options, tuples=4, length=3)
    cells = decoder.draw(np.random.default_rng(0))
    table = decoder.table(cells)
    tables, figures = np.zeros(table.numbers, dtype=np.float32), np.zeros(FIGURES)
    spec = find_game("connect-four")
    assert spec.learn_tuples is not None
    teach, make_workspace = spec.learn_tuples(game.rules)
    settings = LearningSettings(3000, 0.02, 0.8, 1.0, 0.2, 0.0)
    room = make_workspace(table.readings)
    teach(settings, table.structure, tables, new_stream(4), room, figures)
    player = decoder.player(TuplePopulation(cells[None], tables[None]), "learner")
    values = player.value_columns(game.parse_position("1"))
    assert np.isnan(values[1])
    assert player.move(game.parse_position("1")) == 3
    assert values[3] > max(values[0], values[2]) + 0.5


@pytest.mark.parametrize("method", ["td", "q-learning"])
def test_methods_that_cannot_steal_say_so(method: str, tmp_path: Path) -> None:
    recipe = tmp_path / "a.toml"
    recipe.write_text(f'[game]\nsteal = 1\n[method]\nname = "{method}"\n', "utf-8")
    with pytest.raises(RecipeError, match=f"'{method}' learns without STEAL"):
        ea.start(str(recipe), run=str(tmp_path / "run"))


def opening_positions() -> list[Position]:
    """Each first disc, before and after it was stolen."""
    return [GAME.parse_position(f"{column}{rest}") for column in range(9) for rest in ("", "steal")]


@pytest.mark.parametrize("kind", KINDS)
def test_exported_files_choose_the_arenas_moves(kind: str) -> None:
    stolen = 0
    for seed in (0, 1, 2, 7):
        player = make(kind, seed)
        assert read_player(player.serialise()).game.rules == GAME.rules
        bots = [run_source(str(export_player(player, to))) for to in ("python", "codingame")]
        positions = random_positions(GAME, 40, seed)
        if "recurrent" in kind:  # what comes next in these is not the next move of one game
            positions = []
        for position in [*opening_positions(), *positions]:
            expected = player.choose(position, new_stream(0))
            board = position.cells().ravel().tolist()
            assert [bot["choose"](board, 1 + position.ply % 2) for bot in bots] == [expected] * 2
            stolen += expected == 9
    assert stolen, kind


@with_node
@pytest.mark.parametrize("kind", ["value", "policy", "graph, value", "tuples"])
def test_pages_choose_the_arenas_moves(kind: str, tmp_path: Path) -> None:
    player = make(kind, 1)
    positions = [*opening_positions(), *random_positions(GAME, 60)]
    given = [[*position.cells().ravel().tolist(), int(position.stolen)] for position in positions]
    body = "return [bot.ask_bot(position), bot.ask_moves(position), bot.ask_paths(position)];"
    found, _ = ask_page(player, given, tmp_path, body)
    view = find_board_view(GAME)
    for position, (chosen, moves, paths) in zip(positions, found, strict=True):
        assert chosen == player.choose(position, new_stream(0))
        assert moves == GAME.legal_moves(position)
        expected = [move.get("paths", [move["path"]]) for move in view.moves(position)]
        assert paths == expected
    text = "return bot.ask_names(bot.play_on_page(bot.begin_page(), 4));"
    (names,), _ = ask_page(player, [0], tmp_path, text)
    assert names[-1] == "STEAL"


@pytest.mark.parametrize("kind", ["value", "recurrent", "tuples"])
def test_a_referee_finds_nothing_wrong(kind: str, tmp_path: Path) -> None:
    """Both colours; the second player is offered STEAL, and the first one suffers it."""
    player = make(kind, 1)
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(player, "codingame")), encoding="utf-8")
    chance = random.Random(kind)
    stolen = set()
    for seat, first in ((0, STEAL), (0, 3), *((1, column) for column in (0, 4, 7))):
        bot = Bot(file, seat)
        others = [first, *(chance.randrange(9) for _ in range(40))]
        moves, _ = play((others, bot) if seat else (bot, others))
        bot.close()
        position, numbers = GAME.initial(), [9 if move == STEAL else move for move in moves]
        player.begin(seat)
        for number in numbers:
            if GAME.to_move(position) == seat:
                assert player.choose(position, new_stream(0)) == number
            position = GAME.play(position, number)
        stolen.add(STEAL in moves)
    assert stolen == {False, True}


def test_programs_are_asked_as_codingame_asks(tmp_path: Path) -> None:
    player = make("tuples", 1)
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(player, "codingame")), encoding="utf-8")
    dialect = find_game("connect-four").dialects["codingame"]
    rows = ["." * 9] * 6 + ["....0...."]
    legal = ["10", *map(str, range(9)), "-2"]
    position = GAME.parse_position("4")
    assert dialect.greet(GAME, 1, dialect.limits) == "1 0\n"
    assert dialect.show(position).splitlines() == ["1", *rows, *legal, "4"]
    assert dialect.read(GAME, position, b"STEAL haha") == 9
    assert dialect.read(GAME, position, b"-2") == 9
    assert dialect.read(GAME, position, b"9") is None
    assert dialect.read(GAME, position, b"place_disc 3") is None
    assert dialect.show(GAME.initial()).splitlines()[-1] == "-1"
    assert dialect.show(GAME.play(position, 9)).splitlines()[-1] == "-2"
    with pytest.raises(IllegalMoveError):
        dialect.read(GAME, GAME.initial(), b"STEAL")


def test_characters_hold_fifteen_bits_and_survive() -> None:
    data = bytes(np.random.default_rng(1).integers(0, 256, 60_001, dtype=np.uint8))
    text = write_characters(data)
    assert read_bytes(text)[: len(data)] == data
    assert len(text) == -(-len(data) // 15) * 8
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        shown = "".join(sign for sign in text if not 0xAC00 <= ord(sign) < 0xD7A4)
        assert unicodedata.normalize(form, shown) == shown
    assert unicodedata.normalize("NFC", text) == text
    assert len(text.encode("utf-16-le")) == 2 * len(text)
    every = write_characters(
        np.packbits(np.arange(32768)[:, None] >> np.arange(15)[::-1] & 1).tobytes()
    )
    assert len(set(every)) == 32768


def test_what_is_too_large_is_rounded_and_says_so() -> None:
    player = make_bred("connect-four", "tuples", **BOARD, tuples=110, length=6)
    text: Any = export_player(player, "codingame")
    assert len(text) <= MOST_CHARACTERS
    (note,) = text.notes
    assert re.fullmatch(
        r"weights [\d,]+ of [\d,]+ characters; rounded to multiples of 1/\d+:"
        r" moves may differ from the arena's",
        note,
    )
    bot = run_source(str(text))
    position = GAME.parse_position("4")
    assert bot["choose"](position.cells().ravel().tolist(), 2) in range(10)
    (small,) = export_player(make("tuples"), "codingame").notes  # type: ignore[union-attr]
    assert small.endswith("the moves are those of the arena")


def test_networks_of_layers_are_rounded_too() -> None:
    decoder = NetworkDecoder(**BOARD, head="value", encoding="two-planes", hidden=(600,))
    genome = decoder.initialise(1, "normal", np.random.default_rng(0))[0]
    text: Any = export_player(decoder.player(genome, "large"), "codingame")
    assert len(text) <= MOST_CHARACTERS
    assert "rounded to multiples" in text.notes[0]
    assert "rounded to multiples" in text.partition("from __future__")[0]


def test_other_boards_are_told_which_recipe_to_take() -> None:
    for board in ({}, {"columns": 9, "rows": 7}):
        player = make_bred("connect-four", "mlp", **board)
        with pytest.raises(BadValueError, match=r"with the recipe connect-four-codingame$"):
            export_player(player, "codingame")

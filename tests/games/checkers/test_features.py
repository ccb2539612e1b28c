"""The features of checkers: by hand, and against a plain count square by square."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.stream import Stream, below, new_stream
from evolve_arena.games.checkers.board import MOST_MOVES
from evolve_arena.games.checkers.features import FEATURE_NAMES, FEATURE_SETS, count_features
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import Position, bit_of, parse_fen

GAME = Checkers()
WORKSPACE = np.zeros(MOST_MOVES + 5, dtype=np.uint64)


def count(position: Position, side: int, features: int = 20) -> list[int]:
    """The features as *side* sees them; what lies around them must stay as it was."""
    counts = np.full(features + 5, -7, dtype=np.int64)
    boards = np.uint64(position.dark), np.uint64(position.light)
    active, passive = boards if side == 0 else boards[::-1]
    kings = np.uint64(position.kings)
    count_features(counts, 3, features, active, passive, kings, side, WORKSPACE, 5)
    assert (counts[:3] == -7).all()
    assert (counts[-2:] == -7).all()
    return [int(number) for number in counts[3:-2]]


def pick(position: Position, name: str, side: int = 0) -> tuple[int, int]:
    """A feature of *side*, which is active, and the same of the other."""
    counts = dict(zip(FEATURE_NAMES, count(position, side), strict=True))
    return counts[f"{name}[0]"], counts[f"{name}[1]"]


# A second implementation: pieces by row and column, and every definition word by word.

Square = tuple[int, int]
Pieces = dict[Square, tuple[int, bool]]  # colour, and whether it is a king
CENTRE_SQUARES = (10, 11, 14, 15, 18, 19, 22, 23)


def place_of(square: int) -> Square:
    row = (square - 1) // 4
    return row, 2 * ((square - 1) % 4) + 1 - row % 2


CENTRE_PLACES = {place_of(square) for square in CENTRE_SQUARES}


def pieces_of(position: Position) -> Pieces:
    pieces: Pieces = {}
    for square in range(1, 33):
        for colour, board in enumerate((position.dark, position.light)):
            if board & bit_of(square):
                pieces[place_of(square)] = colour, bool(position.kings & bit_of(square))
    return pieces


def is_free(pieces: Pieces, place: Square) -> bool:
    return place not in pieces and 0 <= place[0] < 8 and 0 <= place[1] < 8


def directions(colour: int, king: bool) -> list[Square]:
    rows = (1, -1) if king else (1 - 2 * colour,)
    return [(row, column) for row in rows for column in (-1, 1)]


def steps(pieces: Pieces, colour: int) -> list[tuple[Square, Square]]:
    found = []
    for (row, column), (owner, king) in pieces.items():
        for up, right in directions(colour, king):
            if owner == colour and is_free(pieces, (row + up, column + right)):
                found.append(((row, column), (row + up, column + right)))
    return found


def captures(pieces: Pieces, colour: int, start: Square) -> list[tuple[Pieces, set[Square]]]:
    """The boards after all complete captures of one piece, and what was captured."""
    found = []
    (row, column), (_, king) = start, pieces[start]
    for up, right in directions(colour, king):
        over, end = (row + up, column + right), (row + 2 * up, column + 2 * right)
        if over in pieces and pieces[over][0] != colour and is_free(pieces, end):
            after = {k: v for k, v in pieces.items() if k not in (start, over)}
            crowned = not king and end[0] in (0, 7)
            after[end] = colour, king or crowned
            further = [] if crowned else captures(after, colour, end)
            found += [(board, {over} | taken) for board, taken in further] or [(after, {over})]
    return found


def all_captures(pieces: Pieces, colour: int) -> list[tuple[Pieces, set[Square]]]:
    starts = [place for place, (owner, _) in pieces.items() if owner == colour]
    return [capture for start in starts for capture in captures(pieces, colour, start)]


def after_step(pieces: Pieces, start: Square, end: Square) -> Pieces:
    after = {k: v for k, v in pieces.items() if k != start}
    colour, king = pieces[start]
    after[end] = colour, king or end[0] in (0, 7)
    return after


def is_lost(pieces: Pieces, place: Square, colour: int) -> bool:
    return any(
        place in taken and not all_captures(after, colour)
        for after, taken in all_captures(pieces, 1 - colour)
    )


def count_slowly(position: Position) -> tuple[list[int], list[int]]:
    """All features as dark sees them, and as light does."""
    pieces = pieces_of(position)
    terms = [terms_of(pieces, colour) for colour in (0, 1)]
    seen = []
    for side in (0, 1):
        own, other = terms[side], terms[1 - side]
        counts = [own["men"], own["kings"], other["men"], other["kings"]]
        for name in list(own)[2:]:
            counts += [own[name], other[name]]
        seen.append(counts)
    return seen[0], seen[1]


def terms_of(pieces: Pieces, colour: int) -> dict[str, int]:
    own = {place: king for place, (owner, king) in pieces.items() if owner == colour}
    boards = [(end, after_step(pieces, start, end)) for start, end in steps(pieces, colour)]
    reached = {end for end, _ in boards}
    safe = {end for end, after in boards if not is_lost(after, end, colour)}
    return {
        "men": sum(not king for king in own.values()),
        "kings": sum(own.values()),
        "thretend": len(all_captures(pieces, colour)),
        "cent": sum(place in CENTRE_PLACES for place, king in own.items() if not king),
        "kcent": sum(place in CENTRE_PLACES for place, king in own.items() if king),
        "cntr": len(CENTRE_PLACES & (reached | set(own))),
        "thret": len({end for end, after in boards if captures(after, colour, end)}),
        "mob": len(reached),
        "deny": len(reached - safe),
        "mobil": len(safe),
    }


def play_at_random(stream: Stream) -> list[Position]:
    """The positions of a random game."""
    position = GAME.initial()
    positions = []
    while moves := GAME.legal_moves(position):
        positions.append(position)
        position = GAME.play(position, moves[below(stream, len(moves))])
    return positions


def scatter(stream: Stream) -> Position:
    """Up to twelve pieces of each side, anywhere, half of them kings."""
    squares = list(range(1, 33))
    boards = [0, 0, 0]
    for colour in (0, 1):
        for _ in range(1 + below(stream, 12)):
            square = squares.pop(below(stream, len(squares)))
            last = range(29, 33) if colour == 0 else range(1, 5)
            boards[colour] |= bit_of(square)
            boards[2] |= bit_of(square) if below(stream, 2) or square in last else 0
    return Position(*boards, below(stream, 2))


def random_positions() -> list[Position]:
    stream = new_stream(5)
    positions: list[Position] = []
    while len(positions) < 1200:
        positions += play_at_random(stream)
    return positions[:1200] + [scatter(stream) for _ in range(800)]


def test_features_are_what_is_counted_square_by_square() -> None:
    seen = np.zeros((20, 32), dtype=np.int64)
    for position in random_positions():
        for side, expected in enumerate(count_slowly(position)):
            assert count(position, side) == expected, (position.fen(), side)
            seen[np.arange(20), np.minimum(expected, 31)] += 1
    assert ((seen > 10).sum(axis=1) >= 4).all()


def test_fewer_features_are_the_first_ones() -> None:
    position = parse_fen("B:W6,14,15,K32:B1,27")
    for features in FEATURE_SETS:
        assert count(position, 0, features) == count(position, 0)[:features]
    assert len(FEATURE_NAMES) == FEATURE_SETS[-1]


@pytest.mark.parametrize(
    ("fen", "feature", "dark", "light"),
    [
        # 1x10x17 and 1x10x19, two ways on from one jump; light's king takes 27.
        ("B:W6,14,15,K32:B1,27", "thretend", 2, 1),
        # King 10 takes 14, 22, 23 and 15 in a ring, either way round: two. 14 and 15 can take it.
        ("B:W14,15,22,23:BK10", "thretend", 2, 2),
        # 10 and 11 of dark, 22 of light; the king on 14 is no man.
        ("B:W22,24,K18,K23:B9,10,11,K14", "cent", 2, 1),
        ("B:W22,24,K18,K23:B9,10,11,K14", "kcent", 1, 2),
        # Dark stands on 14 and can step to 10, 11 and 18, and to 9 and 17 outside; light's 26 can
        # step to 22 and 23.
        ("B:W26:B6,7,14", "cntr", 4, 2),
        # From 14 and 15 dark would attack 18, and from 31, crowned, 26. Light's 18 would attack on
        # 14 and on 15.
        ("B:W18,26:B9,10,27", "thret", 3, 2),
        # When 10 makes room, 1 could take 6, but that is no threat of the piece that moved.
        ("B:W6:B1,10", "thret", 0, 0),
        # Though dark must take 18 with 14, its steps to 9 and 17 count.
        ("B:W18:B14,5", "mob", 2, 1),
        # 15 is attacked by 19, which could jump back to where the man on 10 came from; 14 is safe.
        # So it is for light: 15 is lost, 16 is not.
        ("B:W19:B10", "mob", 2, 2),
        ("B:W19:B10", "deny", 1, 1),
        ("B:W19:B10", "mobil", 1, 1),
        # With a man on 6 and one behind it, dark takes back; with 6 alone, 19 takes that as well.
        # Dark's squares are 9, 14 and 15, and 5 for the man on 1.
        ("B:W19:B1,6,10", "mob", 4, 2),
        ("B:W19:B1,6,10", "deny", 0, 1),
        ("B:W19:B6,10", "deny", 1, 1),
        # 10 would be lost on 15, but 11 would not, since 10 stays behind it: 15 is not denied.
        # On 16 11 is lost. Of light's squares 15 and 16 none is safe.
        ("B:W19:B10,11", "mob", 3, 2),
        ("B:W19:B10,11", "deny", 1, 2),
        ("B:W19:B10,11", "mobil", 2, 0),
        # On 9 and on 10 the man from 6 is the second that 23 takes: over 18 to 14, then on. But
        # if 18 goes to 22 nothing is lost. Light's only square is 19.
        ("B:W23:B6,18", "mob", 3, 1),
        ("B:W23:B6,18", "deny", 2, 0),
    ],
)
def test_features_of_positions_worked_by_hand(
    fen: str, feature: str, dark: int, light: int
) -> None:
    position = parse_fen(fen)
    assert pick(position, feature) == (dark, light)
    assert pick(position, feature, side=1) == (light, dark)


def test_piece_counts_are_own_men_and_kings_then_the_others() -> None:
    position = parse_fen("B:W21,22,K30,23:B1,K5,K6,9,10,K11")
    assert count(position, 0, 4) == [3, 3, 3, 1]
    assert count(position, 1, 4) == [3, 1, 3, 3]


def test_the_start_has_four_squares_to_step_to_on_either_side() -> None:
    position = GAME.initial()
    expected = [12, 0, 12, 0, 0, 0, 2, 2, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0, 4, 4]
    assert count(position, 0) == expected
    assert count(position, 1) == expected


@pytest.mark.parametrize("square", range(1, 29))
def test_the_centre_is_eight_squares(square: int) -> None:
    position = parse_fen(f"B:W:B{square}")
    assert pick(position, "cent") == (int(square in CENTRE_SQUARES), 0)

"""Contract of every game that the framework finds, built in or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from evolve_arena.arena.batch import EMPTY, Results
from evolve_arena.arena.match import hash_moves, play_match, play_matches
from evolve_arena.core.errors import BadValueError, GameOverError, IllegalMoveError
from evolve_arena.core.game import AnyGame, Game
from evolve_arena.core.registry import find_game, game_names, recipe_files, shipped_games
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Move, State
from evolve_arena.players.board.game import COUNTS
from evolve_arena.players.board.self_check import check_plain
from evolve_arena.players.evolved import EvolvedPlayer, read_player
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player, player_kinds
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.api import start
from evolve_arena.runs.recipes.methods import METHODS, methods_of

MAX_PLIES = 10_000
SMALL = {
    "tournament": ("method.individuals=6", "method.tournament_size=2"),
    "neat": ("neat.pop_size=6",),
    "evolutionary-programming": ("method.individuals=3", "matches.opponents=2"),
    "evolution-strategy": ("method.individuals=4",),
    "cma-es": ("method.individuals=4", "network.hidden=[2]"),
    "population-based-training": ("method.individuals=2", "method.games=20"),
    "td": ("method.games=20",),
    "td-tuples": ("method.games=20",),
    "q-learning": ("method.games=20",),
    "imitation": ("method.teacher=random", "method.teacher_games=20", "method.batches=5"),
}
COMPILED = ("othello", "pig", "tic-tac-toe")
"""The games of which compiled code is tested here. All games are compiled from the same sources,
which takes some ten seconds for each kind of player; so these few stand for the others:
words of bits that a package loads (othello), an array with chance, points and several seats (pig),
and an array of cells, of which what networks see is derived (tic-tac-toe)."""
EVOLVED = [
    (name, method)
    for name in COMPILED
    for method in METHODS
    if method in methods_of(name) and (name != "pig" or method == "tournament")
    if (name, method) != ("othello", "imitation")  # games to imitate are compiled for long
]
games = pytest.mark.parametrize("name", game_names())


def walk(game: Game[State, Move], seed: int) -> Iterator[tuple[State, list[Move], Move]]:
    """Yield the positions of a random game, each with its legal moves and the move played."""
    choices = random.Random(seed)
    position = game.initial(seed)
    for _ in range(MAX_PLIES):
        moves = game.legal_moves(position)
        if not moves:
            return
        move = choices.choice(moves)
        yield position, moves, move
        position = game.play(position, move)
    raise AssertionError(f"a game of {game.name} does not end")


@cache
def breed(name: str, method: str, folder: str) -> EvolvedPlayer:
    """Return the champion of a small run of *method* for the game called *name*."""
    recipe = f"{folder}/{name}-{method}.toml"
    with open(recipe, "w", encoding="utf-8") as file:
        file.write(f'[game]\nname = "{name}"\n[method]\nname = "{method}"\n')
    checks = ("check.games=2", "check.opponents=['random']")  # so that no search is compiled
    small = SMALL[method]
    changes = [*small, "run.generations=1", *checks]
    run = start(recipe, run=f"{folder}/{name}-{method}", changes=changes, executor="serial")
    return run.champion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("bred"))


# Rules


@games
def test_a_copy_of_a_shipped_file_would_be_taken(name: str) -> None:
    """People begin with one: it must hold what is asked of theirs."""
    game = find_game(name).make()
    check_plain(game, games=3)


@games
def test_what_its_file_counts_has_names_with_all_options(name: str) -> None:
    game = find_game(name).make()
    choices = game.plain.get("OPTIONS", {})
    for options in ({}, *({key.lower(): min(values)} for key, values in choices.items())):
        made = type(game)(**options)
        counts = (made.code.FEATURE_COUNT, made.code.MOVE_FEATURE_COUNT)
        for many, constant in zip(counts, COUNTS.values(), strict=True):
            names = made.name_features(constant)
            assert len(set(names)) == len(names) == many
        assert counts[0] > 0 or name not in {"checkers", "kalah", "othello"}


@games
def test_games_end_and_tell_how(name: str) -> None:
    game = find_game(name).make()
    for seed in range(3):
        for position, moves, _ in walk(game, seed):
            assert game.outcome(position) is None
            assert 0 <= game.to_move(position) < game.seats
            assert len(set(moves)) == len(moves)
        position, _, move = list(walk(game, seed))[-1]
        position = game.play(position, move)
        outcome = game.outcome(position)
        assert outcome is not None
        assert outcome.reason
        assert len(outcome.places) == game.seats
        assert min(outcome.places) == 1
        assert max(outcome.places) <= game.seats
        with pytest.raises((GameOverError, IllegalMoveError)):
            game.play(position, move)


@games
def test_positions_are_values(name: str) -> None:
    game = find_game(name).make()
    positions = [position for position, _, _ in walk(game, 1)]
    again = [position for position, _, _ in walk(game, 1)]
    assert positions == again
    assert len({hash(position) for position in positions}) == len(positions)


@games
def test_moves_have_numbers_of_their_own(name: str) -> None:
    game = find_game(name).make()
    for position, moves, _ in walk(game, 2):
        numbers = [game.number_of(move) for move in moves]
        assert min(numbers) >= 0
        assert len(set(numbers)) == len(moves)
        assert [game.move_of(number) for number in numbers] == moves
        assert game.to_move(position) == game.to_move(game.view(position, game.to_move(position)))


@games
@pytest.mark.parametrize("move", [-1, 10**6])
def test_moves_that_are_none_are_refused(name: str, move: int) -> None:
    """A program may answer any number."""
    game = find_game(name).make()
    with pytest.raises(IllegalMoveError, match=f"{move} can't be played here"):
        game.play(game.initial(1), move)


@games
def test_what_is_seen_is_an_array_of_one_shape(name: str) -> None:
    game = find_game(name).make()
    seen = [game.observe(position, game.to_move(position)) for position, _, _ in walk(game, 3)]
    assert len({(array.shape, array.dtype) for array in seen}) == 1
    assert not np.array_equal(seen[0], seen[-1])


@games
def test_options_out_of_range_are_refused(name: str) -> None:
    spec = find_game(name)
    for option in spec.game.rules_type._fields:
        with pytest.raises(BadValueError, match=f"{option}.*-1|-1.*{option}"):
            spec.make(**{option: -1})
        with pytest.raises(BadValueError, match=option):  # what a player's file may say
            spec.make(**{option: [7]})


# People


@games
def test_moves_are_understood_as_they_are_written(name: str) -> None:
    game = find_game(name).make()
    ui = find_text_ui(game)
    for position, moves, move in walk(game, 4):
        seen = game.view(position, game.to_move(position))
        assert ui.read(game.format_move(move), seen) in moves
        assert ui.name(move, seen)
        assert ui.draw(seen, None)
        assert ui.list_moves(seen)
        assert ui.question(seen)
    with pytest.raises(IllegalMoveError):
        ui.read("no such move", seen)


# Players


@pytest.mark.parametrize("name", ["othello"])
def test_its_players_exist_and_move(name: str) -> None:
    spec = find_game(name)
    game = spec.make()
    known = player_kinds(name)
    for text in {*spec.opponents, *spec.ladder, "random"}:
        assert text.partition(":")[0] in known
        player = make_player(text, game)
        for position, moves, _ in list(walk(game, 5))[:4]:
            seen = game.view(position, game.to_move(position))
            assert player.choose(seen, new_stream(1)) in moves
        player.close()


@pytest.mark.parametrize(("name", "method"), EVOLVED)
def test_the_kernel_plays_the_games_that_python_plays(name: str, method: str, folder: str) -> None:
    compare_games(name, breed(name, method, folder))


@pytest.mark.parametrize(
    ("name", "method"), [each for each in EVOLVED if each[0] in {"connect-four", "tic-tac-toe"}]
)
def test_the_move_of_the_best_value_is_chosen(name: str, method: str, folder: str) -> None:
    player = breed(name, method, folder)
    game = player.game
    ui = find_text_ui(game)
    assert ui.has_values(player)
    for position, moves, _ in walk(game, 3):
        values = ui.find_values(player, position)
        assert set(values) <= set(moves)
        chosen = player.choose(position, new_stream(1))
        wins = game.outcome(game.play(position, chosen)) is not None  # that goes before all values
        assert wins or values[chosen] == max(values.values())


@pytest.mark.parametrize("name", ["connect-four", "othello"])
@pytest.mark.usefixtures("compiled_as_needed")
def test_kernels_for_who_sits_there_play_the_same(name: str, folder: str) -> None:
    """Elsewhere in tests they are compiled for all kinds of players at once."""
    compare_games(name, breed(name, "tournament", folder))


@pytest.mark.usefixtures("compiled_as_needed")
def test_kernels_without_networks_play_the_same() -> None:
    """Networks at the tables of Ticket to Ride take the longest to compile."""
    compare_games("ticket-to-ride", make_player("rule", find_game("ticket-to-ride").make()))


def compare_games(name: str, evolved: Player) -> None:
    """Play matches of *evolved*, a random player and another opponent, compiled and not.

    MCTS and scripts for Pig take long to compile: tests.players has them, test_mcts and
    test_file_players.
    """
    spec = find_game(name)
    game = spec.make()
    others = [text for text in spec.opponents if not text.startswith(("mcts", "hold"))]
    players = [evolved, make_player("random", game), make_player([*others, "random"][0], game)]
    compare_matches(game, players)


def compare_matches(game: AnyGame, players: list[Player], count: int = 6) -> Results:
    """Play matches of all pairs of players, compiled and not."""
    rows, many = np.arange(count)[:, None], len(players)
    pairings = np.full((count, find_game(game.name).most_seats), EMPTY, dtype=np.int32)
    pairings[:, : game.seats] = (rows + np.arange(game.seats) * (1 + rows // many)) % many
    seeds = np.arange(count, dtype=np.uint64) + np.uint64(2**63)
    results, _ = play_matches(game, players, pairings, seeds)
    for row, pairing in enumerate(pairings[:, : game.seats]):
        match = play_match(game, [players[seat] for seat in pairing], seed=int(seeds[row]))
        assert match.game_hash == results.game_hashes[row]
        assert match.places == tuple(results.places[row][: game.seats])
        assert hash_moves(match.numbers or match.moves) == match.game_hash
    return results


@pytest.mark.parametrize(("name", "method"), EVOLVED)
def test_what_was_bred_is_stored_and_read(name: str, method: str, folder: str) -> None:
    game = find_game(name).make()
    evolved = breed(name, method, folder)
    again = read_player(evolved.serialise(), "again")
    assert type(again) is type(evolved)
    for position, _, _ in list(walk(game, 6))[:20]:
        seen = game.view(position, game.to_move(position))
        assert again.choose(seen, new_stream(2)) == evolved.choose(seen, new_stream(2))


def test_every_game_has_recipes() -> None:
    texts = [file.read_text(encoding="utf-8") for file in recipe_files().values()]
    for name in shipped_games():
        assert any(f'name = "{name}"' in text for text in texts) or name == "connect-four"

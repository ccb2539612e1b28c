"""Games that are kept: the very ones of the duel, and each can be replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import evolve_arena as ea
from evolve_arena.cli.app import app
from evolve_arena.core.game import Outcome
from evolve_arena.runs.store.kept_games import KeptGame, KeptGames, parse_games

PLAYED = {"connect-four": 2, "checkers": 2, "ticket-to-ride": 0}
"""With how many random plies they begin."""


def replay(kept: KeptGame) -> Outcome | None:
    game = ea.make_game(kept.game, **kept.options)
    position = game.initial(int(kept.seed))
    for number in kept.numbers:
        position = game.play(position, game.move_of(number))
    return game.outcome(position)


@pytest.mark.parametrize("name", PLAYED)
def test_kept_games_are_those_of_the_duel(name: str, tmp_path: Path) -> None:
    game = ea.make_game(name)
    file = KeptGames(tmp_path / "games.jsonl")
    options = {"games": 12, "opening_plies": PLAYED[name], "seed": 4, "game": game}
    result = ea.duel("random", "random", **options, on_match=file.keep)
    assert result == ea.duel("random", "random", **options)
    file.write()
    kept = parse_games(file.path.read_text(), game)
    assert len(kept) == 12
    for each in kept:
        assert list(replay(each).places) == each.places
        assert set(each.players) == {"random"}
    assert len({tuple(each.numbers) for each in kept}) == result.distinct_games


def test_the_command_writes_a_new_file_and_the_same_table(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    words = ["duel", "random", "random", "--games", "6", "--seed", "1", "--json"]
    plain = CliRunner().invoke(app, words)
    keeping = CliRunner().invoke(app, [*words, "--keep-games", str(file)])
    assert keeping.output == plain.output
    assert len(file.read_text().splitlines()) == 6
    again = CliRunner().invoke(app, [*words, "--keep-games", str(file)])
    assert isinstance(again.exception, ea.ArenaError)
    assert "exists" in str(again.exception)


def test_texts_of_people_are_read() -> None:
    (game,) = parse_games("3344", ea.make_game("connect-four"))
    assert game.numbers == [3, 3, 4, 4]
    pdn = '[Event "x"]\n[Black "A"]\n[White "B"]\n1. 11-15 23-19 *\n\n[Event "y"]\n1. 9-14 *\n'
    first, second = parse_games(pdn, ea.make_game("checkers"))
    assert first.players == ["A", "B"]
    assert (len(first.numbers), len(second.numbers)) == (2, 1)

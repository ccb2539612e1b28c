"""Weight vectors as tuple networks: the arena's tables and the champion's tuples play alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.duel import duel
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.players.evolved import read_player
from evolve_arena.players.player import CompiledPlayer


def make_decoder(game: str, **options: object) -> Any:
    made = ea.make_game(game)
    return find_game(game).networks["lines"].decoder_type(**made.options, **options)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("othello", {"straight": 4, "squares": True}),
        ("othello", {"straight": 2}),
        ("connect-four", {"straight": 4}),
        ("breakthrough", {"straight": 3}),
        ("tic-tac-toe", {"straight": 3}),
    ],
)
def test_a_champion_plays_as_its_genome_does(game: str, options: dict[str, object]) -> None:
    decoder = make_decoder(game, **options)
    genomes = decoder.initialise(2, "normal:1", np.random.default_rng(1))
    genomes[1] *= 1e5  # too large for fixed point, so scaled
    one, other = (
        CompiledPlayer(decoder.game, decoder.pack(genomes[row : row + 1]), f"{row}")
        for row in range(2)
    )
    champion = read_player(decoder.player(genomes[0], "champion").serialise())
    results = [
        duel(decoder.game, player, other, games=100, opening_plies=2, seed=1)
        for player in (one, champion)
    ]
    shown = [(each.wins, each.draws, each.losses, each.distinct_games) for each in results]
    assert shown[0] == shown[1]
    scaled = CompiledPlayer(decoder.game, decoder.pack(genomes[1:] / 1e5), "scaled")
    assert duel(decoder.game, scaled, other, games=2).distinct_games <= 2


def test_players_of_one_array_share_its_structure() -> None:
    decoder = make_decoder("othello", straight=2)
    packed = decoder.pack(decoder.initialise(3, "uniform:1", np.random.default_rng(0)))
    alone = decoder.pack(decoder.initialise(1, "zero", np.random.default_rng(0)))
    assert len(packed.columns) == len(alone.columns) + 2 * 36_081


def test_wrong_settings_are_named() -> None:
    with pytest.raises(BadValueError, match="squares is 1"):
        make_decoder("othello", squares=1)
    decoder = make_decoder("othello")
    rng = np.random.default_rng(0)
    with pytest.raises(UnknownNameError, match="normal"):
        decoder.initialise(1, "norm", rng)
    for wrong in ("normal:0", "uniform:x", "normal:nan"):
        with pytest.raises(BadValueError, match="write"):
            decoder.initialise(1, wrong, rng)
    assert "lines" not in find_game("pig").networks

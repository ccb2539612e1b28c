"""Designs of networks and graphs for Ticket to Ride: what they refuse, and their files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import make_game
from evolve_arena.evolve.tournament import Tournament, TournamentConfig
from evolve_arena.games.ticket_to_ride.bred import TicketDecoder
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.graph import TicketGraphDecoder
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.move_features import INPUTS
from evolve_arena.games.ticket_to_ride.move_network import MoveDecoder
from evolve_arena.games.ticket_to_ride.network import DecisionDecoder, DecisionPlayer
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.spec import GAME
from evolve_arena.games.ticket_to_ride.workspace import (
    ACTION,
    DECISION,
    FEATURES,
    FORBIDS,
    HEAD,
    RULE,
    VARIANT,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.bred import BredPlayer, read_player
from evolve_arena.players.packed import COLUMNS_AT, KIND, NETWORK, NUMBERS_AT, WEIGHTS_AT
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player


def make_genome(decoder: DecisionDecoder | MoveDecoder) -> Any:
    return decoder.initialise(1, "normal:0.5", np.random.default_rng(2))[0]


def make_players() -> list[BredPlayer]:
    decision = DecisionDecoder(features=28, hidden=(6, 5), scaling="raw", masked=False, players=3)
    moves = MoveDecoder(hidden=(7,), variant="code,long=5", cards=92)
    graph = TicketGraphDecoder(head="action", tie_breaks=1)
    genome = create(NeatConfig(pop_size=2), graph.inputs, graph.outputs, seed=1)[0].take([0])
    return [
        decision.player(make_genome(decision), "one"),
        moves.player(make_genome(moves), "two"),
        graph.player(genome, "three"),
    ]


@pytest.mark.parametrize("player", make_players(), ids=lambda player: player.name)
def test_players_come_back_from_their_files(player: BredPlayer) -> None:
    again = read_player(player.serialise(run="x"))
    assert type(again) is type(player)
    assert again.name == player.name
    assert again.decoder == player.decoder
    assert again.remarks == {"run": "x"}
    assert again.game.rules == player.game.rules
    for mine, theirs in zip(player.packed, again.packed, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_genome_of_another_decoder_is_damaged() -> None:
    player = make_players()[0]
    assert isinstance(player, DecisionPlayer)
    player.genome = player.genome[:7]
    with pytest.raises(DamagedFileError, match=r"shape \(7,\)"):
        read_player(player.serialise())


def test_networks_are_packed_one_after_the_other() -> None:
    decoder = DecisionDecoder(hidden=(3,), variant="code", masked=False)
    packed = decoder.pack(decoder.initialise(3, "normal", np.random.default_rng(1)))
    seats = packed.seats
    assert seats[:, KIND].tolist() == [NETWORK] * 3
    assert seats[:, HEAD].tolist() == [DECISION] * 3
    assert seats[:, FEATURES].tolist() == [26] * 3
    assert seats[:, FORBIDS].tolist() == [0] * 3
    assert seats[:, VARIANT].tolist() == [parse_variant("code")] * 3
    size = 27 * 16 + 4 * 16
    assert seats[:, WEIGHTS_AT].tolist() == [0, size, 2 * size]
    assert len(packed.weights) == 3 * size
    moves = MoveDecoder(hidden=(3,))
    packed = moves.pack(moves.initialise(2, "normal", np.random.default_rng(1)))
    assert packed.seats[:, HEAD].tolist() == [ACTION] * 2
    assert packed.seats[:, FORBIDS].tolist() == [1] * 2


def test_scales_are_multiplied_into_the_first_layer() -> None:
    """The feature of trains is divided by 64: so is its weight, and no other number."""
    raw, unit = (DecisionDecoder(hidden=(), scaling=scaling) for scaling in ("raw", "unit"))
    genome = np.ones((1, raw.genes), dtype=np.float32)
    trains = FEATURE_NAMES.index("own trains")
    assert raw.pack(genome).weights.reshape(27, 16)[1 + trains, :4].tolist() == [1] * 4
    rows = unit.pack(genome).weights.reshape(27, 16)
    assert rows[1 + trains, :4].tolist() == [1 / 64] * 4
    assert rows[0, :4].tolist() == [1] * 4
    assert (rows[1:, 0] == FEATURE_SCALES[:26]).all()
    assert len(FEATURE_SCALES) == len(FEATURE_NAMES)


def test_graphs_are_packed() -> None:
    decoder = TicketGraphDecoder()
    assert (decoder.inputs, decoder.outputs) == (26, 4)
    population = create(NeatConfig(pop_size=3), 26, 4, seed=1)[0]
    seats = decoder.pack(population).seats
    assert seats[:, HEAD].tolist() == [DECISION] * 3
    assert len(set(seats[:, COLUMNS_AT])) == len(set(seats[:, NUMBERS_AT])) == 3
    moves = TicketGraphDecoder(head="action", masked=False)
    assert (moves.inputs, moves.outputs) == (INPUTS, 1)
    seats = moves.pack(create(NeatConfig(pop_size=2), INPUTS, 1, seed=1)[0]).seats
    assert seats[:, [HEAD, FEATURES, FORBIDS]].tolist() == [[ACTION, 28, 1]] * 2


def test_initial_populations() -> None:
    decoder = MoveDecoder(hidden=(60, 24))
    genomes = decoder.initialise(5, "glorot", np.random.default_rng(1))
    assert genomes.shape == (5, (INPUTS + 1) * 60 + 61 * 24 + 25)
    assert genomes.dtype == np.float32
    assert DecisionDecoder(hidden=(180, 160)).genes == 27 * 180 + 181 * 160 + 161 * 4


@pytest.mark.parametrize(
    ("kind", "options", "error", "text"),
    [
        (DecisionDecoder, {"features": 27}, BadValueError, "features is 27: it must be 26 or 28"),
        (DecisionDecoder, {"scaling": "unti"}, UnknownNameError, "unit"),
        (DecisionDecoder, {"masked": 1}, BadValueError, "masked is 1: it must be true or false"),
        (DecisionDecoder, {"activation": "tahn"}, UnknownNameError, "tanh"),
        (DecisionDecoder, {"hidden": (0,)}, BadValueError, "at least one unit"),
        (DecisionDecoder, {"variant": "texts"}, UnknownNameError, "text"),
        (MoveDecoder, {"players": 6}, BadValueError, "players is 6: it must be from 2 to 5"),
        (MoveDecoder, {"cards": 100}, BadValueError, "110 or 92"),
        (TicketGraphDecoder, {"head": "value"}, UnknownNameError, "decision"),
        (TicketGraphDecoder, {"features": 4}, BadValueError, "it must be 26 or 28"),
        (TicketGraphDecoder, {"masked": 0}, BadValueError, "true or false"),
    ],
)
def test_what_makes_no_sense_is_refused(
    kind: type[TicketDecoder], options: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        kind(**options)


def test_decoders_by_name() -> None:
    def make(**content: Any) -> Any:
        network = Tournament.network_section(GAME, content)(**content)
        return Tournament.make_decoder(TicketToRide(players=3), network, TournamentConfig())

    assert make(kind="moves", hidden=(5,)) == MoveDecoder(hidden=(5,), players=3)
    assert make(hidden=(5,)) == MoveDecoder(hidden=(5,), players=3)
    assert make(kind="decision", masked=False) == DecisionDecoder(masked=False, players=3)
    with pytest.raises(UnknownNameError, match="decision"):
        make(kind="decisions")
    with pytest.raises(BadValueError, match=r"network.scaling is a key of the kind 'decision'"):
        make(kind="moves", scaling="raw")
    with pytest.raises(ValidationError, match=r"depth\n *Extra inputs are not permitted"):
        make(kind="moves", depth=2)


def test_probabilities_add_up() -> None:
    player = make_players()[0]
    assert isinstance(player, DecisionPlayer)
    states = np.random.default_rng(3).integers(0, 45, (6, 28))
    probabilities = player.decision_probabilities(states)
    assert probabilities.shape == (6, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    with pytest.raises(BadValueError, match=r"expected \(states, 28\)"):
        player.decision_probabilities(states[:, :26])


def test_rule_players_by_specification() -> None:
    game = TicketToRide(players=5)
    rule = make_player("rule", game)
    assert isinstance(rule, CompiledPlayer)
    assert rule.packed.seats[0, [KIND, VARIANT]].tolist() == [RULE, parse_variant("text")]
    assert rule.name == "rule:text"
    code = make_player("rule:code,long=5", game)
    assert isinstance(code, CompiledPlayer)
    assert code.packed.seats[0, VARIANT] == parse_variant("code,long=5")
    assert code.name == "rule:code,long=5"
    with pytest.raises(UnknownNameError, match="text"):
        make_player("rule:txt", game)
    with pytest.raises(BadValueError, match="rule plays ticket-to-ride, not checkers"):
        make_player("rule", make_game("checkers"))


@pytest.mark.parametrize("name", ["minimax:depth=2", "test-bot"])
def test_players_of_other_games_are_refused(name: str) -> None:
    message = "not ticket-to-ride .there are: random, file:PATH, .*human, .*rule:text,early=always"
    with pytest.raises(BadValueError, match=message):
        make_player(name, TicketToRide())

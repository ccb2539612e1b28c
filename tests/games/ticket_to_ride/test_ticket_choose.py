"""How players of Ticket to Ride choose: by what they may know, among what the rules allow."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, find_variant
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream, next_word
from evolve_arena.games.ticket_to_ride.choose import (
    begin_match,
    weigh_decisions,
    weigh_moves,
)
from evolve_arena.games.ticket_to_ride.features import fill_features
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.graph import TicketGraphDecoder
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_TICKETS,
    FORBIDDEN,
    PASS,
    SECOND_CARD,
    TO_MOVE,
    TURN,
)
from evolve_arena.games.ticket_to_ride.move_features import INPUTS
from evolve_arena.games.ticket_to_ride.move_network import MoveDecoder
from evolve_arena.games.ticket_to_ride.network import DecisionDecoder
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player
from evolve_arena.games.ticket_to_ride.situation import STATE_FEATURES
from evolve_arena.games.ticket_to_ride.workspace import (
    FEATURES,
    RULE,
    SEAT_FIELDS,
    TicketWorkspace,
    make_ticket_workspace,
)
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.players.packed import PackedPlayers, combine_players, simple_player, with_noise
from evolve_arena.players.player import CompiledPlayer, make_random
from evolve_arena.runs.plots.network_view import look_inside

GAMES = {players: TicketToRide(players=players) for players in (2, 3, 4, 5)}
DECISIONS = [
    DecisionDecoder(),
    DecisionDecoder(features=28, hidden=(180, 160), activation="relu", scaling="raw"),
    DecisionDecoder(hidden=(), variant="code"),
]
WEIGHERS = [MoveDecoder(hidden=(60, 24)), MoveDecoder(hidden=(20,), activation="relu")]


def make_genome(decoder: DecisionDecoder | MoveDecoder, seed: int = 4) -> NDArray[np.float32]:
    return decoder.initialise(1, "glorot:2", np.random.default_rng(seed))[0]


def make_graph(decoder: TicketGraphDecoder) -> NeatPopulation:
    """One genome with some hidden nodes."""
    ends = {"inputs": decoder.inputs, "outputs": decoder.outputs}
    config = NeatConfig(pop_size=2, node_add_prob=0.8)
    population, counters = create(config, decoder.inputs, decoder.outputs, seed=5)
    for seed in range(4):
        population, counters = mutate(config, population, **ends, seed=seed, counters=counters)
    return population.take([0])


@cache
def make_players() -> tuple[CompiledPlayer, ...]:
    game = GAMES[4]
    networks = [decoder.player(make_genome(decoder), "n") for decoder in (*DECISIONS, *WEIGHERS)]
    return (
        make_random(game),
        make_rule_player("text", game),
        make_rule_player("code", game),
        *networks,
    )


@cache
def random_positions() -> tuple[Position, ...]:
    """From games at all tables, played by the rule player with many moves at random."""
    found = []
    for players, game in GAMES.items():
        packed = with_noise(simple_player(SEAT_FIELDS, RULE), 0.3)
        player = CompiledPlayer(game, packed, "noisy")
        position, stream = game.initial(seed=players), new_stream(players)
        while not position.is_over:
            if len(game.legal_moves(position)) > 1:
                found.append(position)
            position = game.play(position, player.choose(position, stream))
    return tuple(found[::5])


def test_nobody_looks_at_what_is_hidden() -> None:
    """The whole state and what the seat sees of it give the same move, and a legal one."""
    for position in random_positions():
        game = GAMES[position.players]
        view = game.view(position, position.to_move)
        legal = game.legal_moves(position)
        for player in make_players():
            move = ask(player.packed, position, 7)
            assert move == ask(player.packed, view, 7)
            assert move in legal


def ask(
    packed: PackedPlayers, position: Position, seed: int, workspace: TicketWorkspace | None = None
) -> int:
    workspace = workspace or make_ticket_workspace(packed)
    workspace.streams[:] = new_stream(seed)
    begin_match(workspace)
    choose = find_variant(find_game("ticket-to-ride"), position.rules, packed)["choose"]
    return int(choose.choose_move(position.rules, packed, 0, position.array.copy(), workspace))


def test_what_was_played_before_does_not_matter() -> None:
    """One workspace for everybody and all games, in any order: the moves of fresh ones."""
    packed = combine_players([player.packed for player in make_players()])
    workspace = make_ticket_workspace(packed)
    order = np.random.default_rng(1).permutation(len(random_positions()))
    for number in order:
        position = random_positions()[number]
        for player in make_players():
            expected = ask(player.packed, position, 3)
            assert ask(player.packed, position, 3, workspace) == expected


def favouring(decoder: DecisionDecoder, order: tuple[int, ...]) -> CompiledPlayer:
    """Thinks always most of the first of these classes, then of the second, and so on."""
    genome = np.zeros(decoder.genes, dtype=np.float32)
    for worth, decision in enumerate(reversed(order)):
        genome[len(genome) - 4 + decision] = worth
    return decoder.player(genome, "favouring")


def positions_of(phase: int) -> list[Position]:
    return [position for position in random_positions() if position.phase == phase]


def test_masks_leave_what_can_be_carried_out() -> None:
    player = favouring(DecisionDecoder(), (0, 3, 2, 1))
    claimed = drawn = 0
    for position in positions_of(TURN):
        legal = GAMES[position.players].legal_moves(position)
        move = ask(player.packed, position, 1)
        if any(other < DRAW_DECK for other in legal):
            assert move < DRAW_DECK
            claimed += 1
        elif DRAW_TICKETS in legal:
            assert move == DRAW_TICKETS
            drawn += 1
    assert min(claimed, drawn) > 5


def test_without_masks_what_is_impossible_is_forbidden() -> None:
    decoder = DecisionDecoder(masked=False)
    passing = favouring(decoder, (0, 1, 2, 3))
    claiming = favouring(decoder, (3, 1, 2, 0))
    asking = favouring(decoder, (2, 1, 3, 0))
    seen = set()
    for position in positions_of(TURN):
        legal = GAMES[position.players].legal_moves(position)
        assert ask(passing.packed, position, 1) == (PASS if PASS in legal else FORBIDDEN)
        can = any(move < DRAW_DECK for move in legal)
        assert (ask(claiming.packed, position, 1) == FORBIDDEN) == (not can)
        expected = DRAW_TICKETS if DRAW_TICKETS in legal else FORBIDDEN
        assert ask(asking.packed, position, 1) == expected
        seen.add(can)
    assert seen == {True, False}


def test_what_is_no_decision_is_left_to_the_rule_player() -> None:
    passing = favouring(DecisionDecoder(masked=False), (0, 1, 2, 3))
    rule = make_rule_player("text", GAMES[4])
    others = [position for position in random_positions() if position.phase != TURN]
    assert {position.phase for position in others} > {SECOND_CARD}
    for position in others:
        assert ask(passing.packed, position, 9) == ask(rule.packed, position, 9)


def test_noise_plays_any_move() -> None:
    """With noise 1 the network moves as the random player does, its stream one word ahead."""
    decoder = MoveDecoder(hidden=(3,))
    noisy = with_noise(decoder.pack(make_genome(decoder)[None, :]), 1.0)
    for position in random_positions()[:20]:
        workspace = make_ticket_workspace(noisy)
        move = ask(noisy, position, 11, workspace)
        legal = GAMES[position.players].legal_moves(position)
        stream = new_stream(11)
        words = [int(next_word(stream)) >> 32 for _ in range(2)]
        assert move == legal[words[1] * len(legal) >> 32]


@compiled
def think(rules: Any, packed: Any, state: Any, variant: int, workspace: Any) -> None:
    """Leaves the features in ``network.inputs`` and the outputs in ``network.worths``."""
    seat = state[TO_MOVE]
    prepare_turn(rules, state, seat, variant, workspace)
    features = packed.seats[0, FEATURES]
    fill_features(rules, state, seat, features, variant, workspace, workspace.network.inputs)
    weigh_decisions(packed, 0, workspace.network)


@pytest.mark.parametrize("decoder", DECISIONS, ids=str)
def test_decisions_are_the_textbooks(decoder: DecisionDecoder) -> None:
    player = decoder.player(make_genome(decoder), "n")
    workspace = make_ticket_workspace(player.packed)
    for position in positions_of(TURN):
        array = position.array.copy()
        think(position.rules, player.packed, array, decoder.variant_bits, workspace)
        features = workspace.network.inputs[None, : decoder.features].copy()
        expected = player.decision_probabilities(features)[0]
        powers = np.exp(workspace.network.worths[:4] - workspace.network.worths[:4].max())
        np.testing.assert_allclose(powers / powers.sum(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("decoder", WEIGHERS, ids=str)
def test_worths_of_moves_are_the_textbooks(decoder: MoveDecoder) -> None:
    genome = make_genome(decoder)
    player = decoder.player(genome, "n")
    workspace = make_ticket_workspace(player.packed)
    inputs, worths = np.zeros((200, INPUTS), dtype=np.float32), np.zeros(200)
    for position in random_positions():
        count = weigh_moves(
            position.rules, player.packed, position.array.copy(), workspace, inputs, worths
        )
        expected = decoder.mlp.evaluate(genome, inputs[:count] * decoder.scales)[:, 0]
        np.testing.assert_allclose(worths[:count], expected, rtol=1e-3, atol=1e-4)
        best = int(workspace.moves[np.argmax(worths[:count])])
        assert ask(player.packed, position, 1) == best
        assert np.abs(inputs[:count, STATE_FEATURES:]).max() < 8
        assert list(player.values(position).values()) == worths[:count].tolist()
        found = look_inside(player, position)
        assert found is not None
        assert found["layers"][-1][0]["value"] == pytest.approx(worths[:count].max(), abs=1e-3)


def test_graphs_decide_by_their_outputs() -> None:
    decoder = TicketGraphDecoder(features=28)
    genome = make_graph(decoder)
    player = decoder.player(genome, "g")
    graphs = compile_graphs(genome, 28, 4, feed_forward=True)
    workspace = make_ticket_workspace(player.packed)
    chosen = set()
    for position in positions_of(TURN):
        think(position.rules, player.packed, position.array.copy(), 0, workspace)
        inputs = workspace.network.inputs[None, :28] * FEATURE_SCALES
        assert workspace.network.worths[:4].tolist() == evaluate(graphs, 0, inputs)[0].tolist()
        chosen.add(ask(player.packed, position, 1))
        view = GAMES[position.players].view(position, position.to_move)
        assert ask(player.packed, view, 1) == ask(player.packed, position, 1)
    assert len(chosen) > 1


def test_graphs_of_moves_play_the_best() -> None:
    decoder = TicketGraphDecoder(head="action")
    genome = make_graph(decoder)
    player = decoder.player(genome, "g")
    graphs = compile_graphs(genome, INPUTS, 1, feed_forward=True)
    workspace = make_ticket_workspace(player.packed)
    inputs, worths = np.zeros((200, INPUTS), dtype=np.float32), np.zeros(200)
    scales = MoveDecoder().scales
    for position in random_positions()[::3]:
        count = weigh_moves(
            position.rules, player.packed, position.array.copy(), workspace, inputs, worths
        )
        expected = evaluate(graphs, 0, inputs[:count] * scales)[:, 0]
        assert worths[:count].tolist() == expected.tolist()
        assert ask(player.packed, position, 1) == int(workspace.moves[np.argmax(expected)])

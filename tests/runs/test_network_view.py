"""Tables about the inside of networks, against what the networks compute."""

from __future__ import annotations

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.types import Settings
from evolve_arena.runs.plots.network_view import look_inside
from tests.evolved import make_evolved, random_positions

KINDS: dict[tuple[str, str], Settings] = {
    ("connect-four", "mlp"): {"hidden": (5, 3)},
    ("connect-four", "graph"): {},
    ("tic-tac-toe", "mlp"): {},
}


@pytest.mark.parametrize("kind", KINDS)
def test_layers_and_wires_add_up(kind: tuple[str, str]) -> None:
    player = make_evolved(*kind, **KINDS[kind])
    game = player.game
    position = game.play(game.play(game.initial(), 2), 1)
    found = look_inside(player, position)
    assert sum(len(plane["values"]) for plane in found["planes"]) == found["inputs"]
    seen = np.array([plane["values"] for plane in found["planes"]])
    assert np.abs(seen).sum() == 2  # two pieces
    units = [unit["value"] for layer in found["layers"] for unit in layer]
    assert len(found["layers"][-1]) == 1
    values = [*seen.ravel(), *units]
    for source, target, carried in found["edges"]:
        assert source < target < len(values)
        assert (values[source] == 0) == (carried == 0)
    if KINDS[kind]:
        genome = player.decoder.expand(player.genome[None])[0]
        outputs = player.decoder.mlp.evaluate(genome, seen.reshape(1, -1))
        assert found["layers"][-1][0]["value"] == pytest.approx(float(outputs[0, 0]))
        assert [len(layer) for layer in found["layers"]] == [5, 3, 1]


def test_pieces_of_checkers_are_seen_by_who_is_to_move() -> None:
    player = make_evolved("checkers", "mlp", 1, hidden=(4,), encoding="signed", depth=1)
    game, decoder = player.game, player.decoder
    found = look_inside(player, game.initial())
    men, kings = found["planes"]
    assert men["values"] == [1.0] * 12 + [0.0] * 8 + [-1.0] * 12
    assert kings["values"] == [0.0] * 32
    after = game.play(game.initial(), game.legal_moves(game.initial())[0])
    turned = look_inside(player, after)
    light = turned["planes"][0]  # it sees the board turned round, so that its men go down, too
    assert light["values"][:12] == [1.0] * 12
    assert light["values"][20:].count(-1.0) == 11
    outputs = decoder.mlp.evaluate(
        decoder.expand(player.genome[None])[0], np.array([men["values"] + kings["values"]])
    )
    assert found["layers"][-1][0]["value"] == pytest.approx(float(outputs[0, 0]))
    player = make_evolved("checkers", "graph", encoding="features", features=14, depth=1)
    found = look_inside(player, player.game.initial())
    (plane,) = found["planes"]
    assert plane["values"][:4] == [12, 0, 12, 0]
    assert len(plane["names"]) == len(plane["values"]) == found["inputs"] == 14


def test_kinds_of_moves_are_chosen_by_what_is_told() -> None:
    """At a table of Ticket to Ride, the strongest output decides the kind of move."""
    options = {"head": "kinds", "encoding": "features", "features": 26, "hidden": (8,)}
    player = make_evolved("ticket-to-ride", "mlp", 1, **options)
    game, kinds, compared = player.game, player.decoder.output_names, 0
    for position in random_positions(game, 40, seed=4):
        found = look_inside(player, position)
        units, seat = found["layers"][-1], game.to_move(position)
        assert [unit["name"] for unit in units] == kinds
        (plane,) = found["planes"]
        counts = game.count("features", position, seat, many=26)
        np.testing.assert_array_equal(plane["values"], counts)
        allowed = int(game.ask("kinds", game.to_native(position)))
        legal = [kind for kind in range(len(kinds)) if allowed >> kind & 1]
        best = max(legal, key=lambda kind: units[kind]["value"])
        name = game.format_move(player.move(position))
        said = {"claim": 3, "draw": 1, "pass": 0, "keep": 2}
        expected = 2 if name == "draw_tickets" else said[name.partition("_")[0]]
        assert best == expected
        compared += len(legal) > 1
    assert compared > 5


def test_tuples_add_up_to_what_the_moves_are_worth() -> None:
    player = make_evolved("connect-four", "tuples", 2, tuples=7, length=4)
    game = player.game
    for position in random_positions(game, 5, seed=3):
        values = player.values(position)
        for move in game.legal_moves(position):
            after = game.play(position, move)
            if game.outcome(after) is not None:
                continue
            own, other, discs = after.state  # as who moved sees it, whose value it is
            found = look_inside(player, after._replace(state=(other, own, discs)))
            units, (output,) = found["layers"]
            assert output["value"] == pytest.approx(sum(unit["value"] for unit in units))
            assert values[move] == pytest.approx(output["value"], abs=1e-3)
            seen = sum(sum(plane["values"]) for plane in found["planes"][:2])
            assert seen == after.plies
    player = make_evolved("tic-tac-toe", "tuples", 2, tuples=4, length=3)
    game = player.game
    position = game.parse_position("b2 a1")
    found = look_inside(player, position)
    own, other = (plane["values"] for plane in found["planes"])
    assert [own.index(1.0), other.index(1.0)] == [4, 0]
    tables = player.arrays["tables"].reshape(4, 27)
    states = np.zeros(9, dtype=int)
    states[[4, 0]] = 1, 2
    total = sum(
        float(table[states[view[cells]] @ (1, 3, 9)])
        for cells, table in zip(player.genome.cells[0], tables, strict=True)
        for view in player.decoder.views
    )
    assert found["layers"][-1][0]["value"] == pytest.approx(total)


def test_tuples_of_numbers_know_whose_turn_it_is() -> None:
    player = make_evolved("kalah", "tuples", 2, tuples=6, length=3, turns=True)
    game, decoder = player.game, player.decoder
    assert (decoder.reading.cells, decoder.reading.kinds) == (15, 26)
    again = 0
    for position in random_positions(game, 40):
        seat, values = game.to_move(position), player.values(position)
        side, numbers = decoder.read_cells(position)
        turned = np.roll(position.state[:14], -7 * seat)  # own pits first
        assert side == 1
        assert numbers.tolist() == [*np.minimum(turned, 25), 1]
        for move in game.legal_moves(position):
            after = game.play(position, move)
            if game.outcome(after) is None and game.to_move(after) == seat:
                found = look_inside(player, after)
                assert found["layers"][-1][0]["value"] == pytest.approx(values[move], abs=1e-3)
                again += 1
    assert again > 10


@pytest.mark.parametrize("bins", [0, 8])
def test_weights_of_features_are_added_up(bins: int) -> None:
    settings = {"encoding": "features", "features": 4, "bins": bins, "hidden": ()}
    player = make_evolved("checkers", "mlp", 2, **settings)
    found = look_inside(player, player.game.initial())
    counts = np.array([12, 0, 12, 0])
    inputs = np.eye(bins)[np.minimum(counts, bins - 1)].ravel() if bins else counts
    assert [plane["values"] for plane in found["planes"]] == [inputs.tolist()]
    *weights, bias = player.genome.astype(float)
    assert found["layers"][0][0]["value"] == pytest.approx(inputs @ weights + bias)
    assert found["adds"] == pytest.approx(inputs * weights)


def test_what_inputs_add_is_what_lacks_without_them() -> None:
    player = make_evolved("connect-four", "mlp", 1, head="policy", encoding="planes")
    position = player.game.parse_position("3342")
    found = look_inside(player, position)
    best = max(player.values(position), key=player.values(position).__getitem__)
    assert found["output"] == f"{best}"
    inputs = player.see(position).values
    weights = player.decoder.expand(player.genome[None])[0]
    for place in (0, *np.flatnonzero(inputs)):
        without = inputs.copy()
        without[place] = 0.0
        one, other = player.decoder.mlp.evaluate(weights, np.array([inputs, without]))[:, best]
        assert found["adds"][place] == pytest.approx(one - other)
    game = ea.make_game("connect-four")
    assert look_inside(ea.load_player("random"), game.initial()) is None

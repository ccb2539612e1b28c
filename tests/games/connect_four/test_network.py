"""Networks as players: decoders, values, files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.column_player import value_moves
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.graph import GraphDecoder
from evolve_arena.games.connect_four.network import NetworkDecoder, NetworkPlayer
from evolve_arena.games.connect_four.workspace import make_workspace
from evolve_arena.genomes.tensors import (
    DamagedFileError,
    NewerFormatError,
    read_tensors,
    write_tensors,
)
from evolve_arena.players.bred import read_player

GAME = ConnectFour()
VALUE = NetworkDecoder(head="value", encoding="two-planes", hidden=(16,))


def make_player(decoder: NetworkDecoder = VALUE, seed: int = 1, name: str = "net") -> NetworkPlayer:
    return decoder.player(decoder.initialise(1, "normal", np.random.default_rng(seed))[0], name)


def test_genes_of_common_decoders() -> None:
    assert NetworkDecoder().genes == 507
    assert NetworkDecoder(hidden=(10, 10)).genes == 617
    assert VALUE.genes == 84 * 16 + 16 + 16 + 1
    assert NetworkDecoder(columns=9, rows=6, connect=5).genes == 54 * 10 + 10 + 90 + 9
    assert NetworkDecoder(encoding="two-planes", hidden=()).genes == 85 * 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "polcy"}, "unknown head 'polcy': did you mean 'policy'?"),
        ({"encoding": "two-plane"}, "unknown encoding 'two-plane': did you mean 'two-planes'?"),
        ({"viewpoint": "movr"}, "unknown viewpoint 'movr': did you mean 'mover'?"),
        ({"activation": "tan"}, "unknown activation 'tan': did you mean 'tanh'?"),
    ],
)
def test_unknown_names_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        NetworkDecoder(**options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "options",
    [
        {"columns": 17, "rows": 2},
        {"columns": 1, "rows": 6},
        {"connect": 1},
        {"columns": 8, "rows": 9},
        {"hidden": (0,)},
        {"hidden": (1,) * 8},
    ],
)
def test_decoders_without_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadValueError):
        NetworkDecoder(**options)


def test_value_networks_play_where_policies_have_too_few_outputs() -> None:
    for columns, rows in ((17, 2), (32, 1)):
        decoder = NetworkDecoder(columns, rows, 4, head="value")
        player = make_player(decoder)
        position = decoder.game.initial()
        stream = new_stream(0)
        while decoder.game.outcome(position) is None:
            position = decoder.game.play(position, player.choose(position, stream))
        # Every move was legal, or play had refused it; nobody has four discs before ply 7.
        assert 7 <= position.ply <= columns * rows


def test_sixteen_columns_are_the_most_for_a_policy() -> None:
    decoder = NetworkDecoder(16, 3, 4)
    chosen = {
        make_player(decoder, seed).choose(decoder.game.initial(), new_stream(0))
        for seed in range(200)
    }
    assert chosen == set(range(16))


def test_an_unplayable_column_is_never_chosen() -> None:
    position = GAME.parse_position("333333")
    for decoder in (NetworkDecoder(), VALUE, NetworkDecoder(hidden=())):
        for seed in range(50):
            assert make_player(decoder, seed).choose(position, new_stream(0)) != 3


def test_equal_outputs_give_the_first_legal_column() -> None:
    zeros = np.zeros(507, dtype=np.float32)
    player = NetworkDecoder().player(zeros, "zero")
    assert player.choose(GAME.initial(), new_stream(0)) == 0
    assert player.choose(GAME.parse_position("000000"), new_stream(0)) == 1
    values = VALUE.player(np.zeros(VALUE.genes, dtype=np.float32), "zero")
    assert values.choose(GAME.parse_position("000000111111"), new_stream(0)) == 2


def test_outputs_that_are_no_numbers_still_give_a_legal_column() -> None:
    position = GAME.parse_position("000000333")
    for decoder in (NetworkDecoder(), VALUE, NetworkDecoder(hidden=(), activation="relu")):
        for value in (np.nan, np.inf, -np.inf, 3e38):
            genome = np.full(decoder.genes, value, dtype=np.float32)
            move = decoder.player(genome, "broken").choose(position, new_stream(0))
            assert move in GAME.legal_moves(position)


def test_a_win_at_once_is_taken_before_any_value() -> None:
    for moves, winning in (("0101016", 1), ("001122", 3), ("0303034", 3)):
        position = GAME.parse_position(moves)
        for seed in range(20):
            assert make_player(VALUE, seed).choose(position, new_stream(0)) == winning


def test_values_of_columns() -> None:
    player = make_player()
    values = player.value_columns(GAME.parse_position("333333"))
    assert values.shape == (7,)
    assert values.dtype == np.float64
    assert np.flatnonzero(np.isnan(values)).tolist() == [3]
    assert player.choose(GAME.parse_position("333333"), new_stream(0)) == np.nanargmax(values)


@pytest.mark.parametrize(("viewpoint", "alike"), [("mover", True), ("absolute", False)])
def test_only_the_movers_viewpoint_is_blind_to_who_began(viewpoint: str, alike: bool) -> None:
    player = make_player(NetworkDecoder(head="value", viewpoint=viewpoint))
    position = GAME.parse_position("3344550")
    own, other = np.uint64(position.second), np.uint64(position.first)
    values = np.zeros((2, 7), dtype=np.float64)
    for side in (0, 1):
        workspace = make_workspace(player.packed)
        value_moves(GAME.rules, player.packed, side, own, other, workspace, values[side])
    assert values[1].tobytes() == player.value_columns(position).tobytes()
    assert np.array_equal(values[0], values[1]) == alike


def test_a_policy_has_no_values() -> None:
    with pytest.raises(BadValueError, match="net is a policy network: it has no values"):
        make_player(NetworkDecoder()).value_columns(GAME.initial())


def test_genomes_of_another_length_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"shape \(2, 506\), expected \(individuals, 507\)"):
        NetworkDecoder().pack(np.zeros((2, 506), dtype=np.float32))
    with pytest.raises(BadValueError, match=r"expected \(individuals, 507\)"):
        NetworkDecoder().player(np.zeros(5, dtype=np.float32), "short")


# --- symmetric networks --------------------------------------------------------------------

SYMMETRIC = [
    NetworkDecoder(head=head, encoding=encoding, hidden=hidden, symmetric=True, columns=columns)
    for head in ("policy", "value")
    for encoding, hidden, columns in (
        ("0/1/2", (10,), 7),
        ("two-planes", (16,), 7),
        ("0/1/-1", (7, 5), 8),
        ("0/1/2", (), 7),
    )
]


@pytest.mark.parametrize("decoder", SYMMETRIC, ids=lambda d: f"{d.head} {d.encoding} {d.hidden}")
def test_symmetric_networks_treat_mirror_images_alike(decoder: NetworkDecoder) -> None:
    assert decoder.genes < 0.6 * decoder.mlp.genes
    game = decoder.game
    generator = np.random.default_rng(1)
    for seed in range(5):
        player = make_player(decoder, seed)
        position = game.initial()
        while game.outcome(position) is None:
            mirrored = position.mirror()
            if decoder.head == "value":
                values = player.value_columns(position)
                reflected = player.value_columns(mirrored)[::-1]
                np.testing.assert_allclose(values, reflected, rtol=1e-4, atol=1e-4)
            else:
                chosen = player.choose(position, new_stream(0))
                again = player.choose(mirrored, new_stream(0))
                assert again in (game.rules.columns - 1 - chosen, chosen)
                if position != mirrored and not is_close_call(player, position, chosen):
                    assert again == game.rules.columns - 1 - chosen
            position = game.play(position, int(generator.choice(game.legal_moves(position))))


def is_close_call(player: NetworkPlayer, position: object, chosen: int) -> bool:
    """Whether another legal output is within rounding of the chosen one."""
    game, decoder = player.game, player.decoder
    own, other = game.observe(position, game.to_move(position)).reshape(2, -1).astype(float)
    inputs = {
        "two-planes": np.concatenate([own, other]),
        "0/1/2": own + 2 * other,
        "0/1/-1": own - other,
    }[decoder.encoding]
    whole = player.genome[None, :][:, decoder._shared[0]][0]
    outputs = decoder.mlp.evaluate(whole, inputs[None, :])[0]
    rest = [move for move in game.legal_moves(position) if move != chosen]
    return any(abs(outputs[move] - outputs[chosen]) < 1e-3 for move in rest)


# --- heads without a rule about wins -------------------------------------------------------


def test_a_value_network_can_do_without_the_rule_about_wins() -> None:
    """It then goes by its values alone, also where it could win."""
    position = GAME.parse_position("0101016")  # 3 discs in column 1, and it is that side's turn
    missed = 0
    for seed in range(20):
        greedy = make_player(replace(VALUE, take_wins=False), seed)
        values = greedy.value_columns(position)
        assert values.tobytes() == make_player(VALUE, seed).value_columns(position).tobytes()
        assert greedy.choose(position, new_stream(0)) == np.nanargmax(values)
        missed += greedy.choose(position, new_stream(0)) != 1
    assert missed > 10


def test_the_value_of_a_won_position_counts_like_any_other() -> None:
    """A network that reads one cell: the one that wins."""
    decoder = NetworkDecoder(head="value", hidden=(), take_wins=False)
    cell = (5 - 3) * 7 + 1
    for weight, expected in ((1.0, 1), (-1.0, 0)):
        genome = np.zeros(decoder.genes, dtype=np.float32)
        genome[cell] = weight
        player = decoder.player(genome, "net")
        assert player.choose(GAME.parse_position("0101016"), new_stream(0)) == expected


@pytest.mark.parametrize("head", ["policy", "action"])
def test_only_value_networks_have_that_rule_to_do_without(head: str) -> None:
    with pytest.raises(BadValueError, match=f"take_wins is false and head is '{head}'"):
        NetworkDecoder(head=head, take_wins=False)
    with pytest.raises(BadValueError, match="take_wins is 0: it must be true or false"):
        NetworkDecoder(head="value", take_wins=0)


def test_a_file_from_before_there_was_that_key_takes_wins() -> None:
    options = {key: value for key, value in DECODER.items() if key != "take_wins"}
    assert len(options) < len(DECODER)
    assert read_player(change(BLOB, design=options)).decoder.take_wins is True


ACTIONS = [
    NetworkDecoder(
        columns, rows, connect, "action", encoding, viewpoint, hidden, activation="sigmoid"
    )
    for columns, rows, connect in ((7, 6, 4), (5, 4, 3), (17, 2, 4))
    for encoding in ("0/1/2", "0/1/-1", "two-planes")
    for viewpoint in ("mover", "absolute")
    for hidden in ((50,), (), (9, 17))
]


def test_an_action_network_reads_the_cells_and_a_column() -> None:
    decoder = NetworkDecoder(head="action", hidden=(50,))
    assert (decoder.inputs, decoder.outputs) == (43, 1)
    assert decoder.genes == 43 * 50 + 50 + 50 + 1
    assert decoder.mlp.sizes == (43, 50, 1)
    assert NetworkDecoder(head="action", encoding="two-planes").inputs == 85
    # All discs the opponent's, the last column, and the bias: what a running sum must hold.
    assert decoder.board.limit == 32767 // (42 * 2 + 6 + 1)


@pytest.mark.parametrize("decoder", ACTIONS, ids=lambda d: f"{d.columns} {d.encoding} {d.hidden}")
def test_an_action_network_plays_the_move_of_the_best_value(decoder: NetworkDecoder) -> None:
    """Against the textbook's forward pass over the cells and the column's number."""
    game, generator = decoder.game, np.random.default_rng(1)
    compared = 0
    for seed in range(3):
        player = make_player(decoder, seed)
        genome = player.genome.astype(np.float64)
        first = (decoder.inputs + 1) * decoder.mlp.sizes[1]
        genome[:first] = np.rint(genome[:first] * 65536) / 65536
        position = game.initial()
        while game.outcome(position) is None:
            seat = position.ply % 2 if decoder.viewpoint == "mover" else 0
            own, other = game.observe(position, seat).reshape(2, -1).astype(float)
            cells = {
                "two-planes": np.concatenate([own, other]),
                "0/1/2": own + 2 * other,
                "0/1/-1": own - other,
            }[decoder.encoding]
            inputs = np.array([[*cells, column] for column in range(decoder.columns)])
            exact = decoder.mlp.evaluate(genome, inputs)[:, 0]
            legal = game.legal_moves(position)
            values = player.value_columns(position)
            np.testing.assert_allclose(values[legal], exact[legal], rtol=0, atol=2e-4)
            assert np.isnan(values).sum() == decoder.columns - len(legal)
            best, *rest = sorted(exact[legal], reverse=True)
            if not rest or best - rest[0] > 1e-3:
                compared += 1
                assert player.choose(position, new_stream(0)) == max(legal, key=exact.__getitem__)
            position = game.play(position, int(generator.choice(legal)))
    assert compared > 10


def test_an_action_network_has_no_rule_about_wins_and_takes_the_lowest_of_equals() -> None:
    decoder = NetworkDecoder(head="action", hidden=())
    genome = np.zeros(decoder.genes, dtype=np.float32)
    player = decoder.player(genome, "net")
    assert player.choose(GAME.parse_position("0101016"), new_stream(0)) == 0
    assert player.choose(GAME.parse_position("000000"), new_stream(0)) == 1
    genome[-2] = 1.0  # the weight of the column's number
    assert decoder.player(genome, "net").choose(GAME.parse_position("666666"), new_stream(0)) == 5


def test_action_networks_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadValueError, match="symmetric is for the heads 'policy' and 'value'"):
        NetworkDecoder(head="action", symmetric=True)
    with pytest.raises(BadValueError, match="head 'action' is for multilayer perceptrons"):
        GraphDecoder(head="action")


# --- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "decoder",
    [
        NetworkDecoder(),
        VALUE,
        NetworkDecoder(9, 6, 5, hidden=(12, 4), activation="tanh", viewpoint="absolute"),
        NetworkDecoder(hidden=(), encoding="0/1/-1"),
        NetworkDecoder(symmetric=True),
        NetworkDecoder(head="value", take_wins=False),
        NetworkDecoder(head="action", hidden=(50,)),
    ],
)
def test_a_player_comes_back_from_its_blob(decoder: NetworkDecoder) -> None:
    player = make_player(decoder, name="żółw")
    again = read_player(player.serialise(run="alpha", generation=3))
    assert again.name == "żółw"
    assert again.decoder == decoder
    assert again.genome.tobytes() == player.genome.tobytes()
    assert again.genome.dtype == np.float32
    assert again.remarks == {"run": "alpha", "generation": 3}
    assert [a.tobytes() for a in again.packed] == [a.tobytes() for a in player.packed]
    assert read_player(player.serialise(), "other").name == "other"


def change(blob: bytes, **changes: object) -> bytes:
    """The blob with other entries in its description, None to leave one out; well signed."""
    content = read_tensors("player", 1, blob)
    description = {**content.description, **changes}
    description = {key: value for key, value in description.items() if value is not None}
    return write_tensors("player", 1, content.arrays, description)


BLOB = make_player(NetworkDecoder()).serialise()
GENOME = make_player(NetworkDecoder()).genome
DECODER = json.loads(json.dumps(read_tensors("player", 1, BLOB).description["design"]))


def test_a_player_of_a_later_format_is_named() -> None:
    content = read_tensors("player", 1, BLOB)
    with pytest.raises(NewerFormatError):
        read_player(write_tensors("player", 2, content.arrays, content.description))


@pytest.mark.parametrize(
    "blob",
    [
        change(BLOB, design=None),
        change(BLOB, design={**DECODER, "colour": "red"}),
        change(BLOB, design={"head": "policy"}),
        change(BLOB, design="none"),
        change(BLOB, design={**DECODER, "hidden": 3}),
        change(BLOB, design={**DECODER, "hidden": ["a"]}),
        change(BLOB, design={**DECODER, "columns": "7"}),
        change(BLOB, name=None),
        change(BLOB, remarks=None),
        write_tensors("player", 1, {}, read_tensors("player", 1, BLOB).description),
        write_tensors("state", 1, {}, {}),
    ],
)
def test_blobs_that_make_no_player_are_damaged(blob: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read_player(blob)


@pytest.mark.parametrize(
    ("decoder", "shape", "message"),
    [
        ({**DECODER, "hidden": [11]}, (507,), "weights are float32 of shape"),
        ({**DECODER, "head": "else"}, (507,), "unknown head 'else'"),
        ({**DECODER, "columns": 60}, (507,), "columns"),
        (DECODER, (507, 1), "weights are float32 of shape"),
        (DECODER, (506,), "weights are float32 of shape"),
    ],
)
def test_a_description_that_does_not_fit_is_explained(
    decoder: dict[str, object], shape: tuple[int, ...], message: str
) -> None:
    description = {**read_tensors("player", 1, BLOB).description, "design": decoder}
    genome = np.zeros(shape, dtype=np.float32)
    with pytest.raises(ArenaError, match=message):
        read_player(write_tensors("player", 1, {"genome": genome}, description))


@given(st.integers(0, len(BLOB) - 1), st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_a_changed_byte_gives_the_same_player_or_damage(place: int, flip: int) -> None:
    damaged = bytearray(BLOB)
    damaged[place] ^= flip
    try:
        player = read_player(bytes(damaged))
    except (DamagedFileError, NewerFormatError):
        return
    assert player.decoder == NetworkDecoder()
    assert player.genome.tobytes() == GENOME.tobytes()

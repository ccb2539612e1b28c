"""Value networks that learn by playing themselves, in any game that is a file of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.evolve import mirrors
from tests.tracks import STONES

SMALL = mirrors.SMALL | {
    "method.name": "td",
    "network.hidden": [6],
}


breed = partial(mirrors.breed, SMALL)


class Mirror(mirrors.NetworkMirror):
    """The same games."""

    def value(self, seen: np.ndarray) -> float:
        """Return the output, from -1 to 1."""
        return float(self.run(seen)[-1][0])

    def play(self, own: int = -1, opponent: Player | None = None) -> None:
        """Play a game and learn from it; if there is an opponent, at seat *own*."""
        game, position, line = self.game, self.game.initial(0), []
        while (outcome := game.outcome(position)) is None:
            side, best, most = game.to_move(position), None, -np.inf
            if opponent and side != own:
                position = game.play(position, opponent.choose(position, new_stream(1)))
                line.append((side, None, 0.0))
                continue
            for move in game.legal_moves(position):
                after = game.play(position, move)
                end = game.outcome(after)
                worth = 10.0 if end and end.winner == side else self.value(self.look(after, side))
                if worth > most:
                    best, most = after, worth
            position = best
            seen = self.look(position, side)
            line.append((side, seen, self.value(seen)))
        ends = [0.0 if outcome.winner is None else -1.0] * game.seats
        if outcome.winner is not None:
            ends[outcome.winner] = 1.0
        following = [(end, end) for end in ends]  # the next value and the return, for each seat
        for side, seen, value in reversed(line[:-1]):
            if seen is None:
                continue
            after, result = following[side]
            mixed = (1 - self.config.trace_decay) * after + self.config.trace_decay * result
            target = self.config.discount * mixed
            following[side] = value, target
            if game.seats == 2:
                following[1 - side] = -value, -target
            self.learn(seen, target)


@pytest.mark.parametrize(
    ("encoding", "hidden", "gradient"),
    [
        ("planes", [6], "cross-entropy"),
        ("planes", [], "squared"),
        ("planes", [6, 5], "cross-entropy"),
        ("signed", [], "cross-entropy"),
        ("signed", [6, 5], "squared"),
        ("features", [6], "squared"),
        ("features", [], "cross-entropy"),
        ("features", [4, 3], "cross-entropy"),
    ],
)
def test_a_network_learns_what_the_formulas_say(
    encoding: str, hidden: list[int], gradient: str, tmp_path: Path
) -> None:
    options = {"network__encoding": encoding, "network__hidden": hidden}
    options |= {"method__gradient": gradient, "method__rate_scale": 2.0, "method__discount": 0.9}
    game = "tic-tac-toe-evolved"
    if encoding == "features":
        game, options = "kalah-evolved", options | {"game__pits": 3, "game__seeds": 3}
    run = breed(game, tmp_path / "run", **options)
    mirror = Mirror(run)
    for _ in range(3):
        mirror.play()
    mirror.assert_learned(run)


def test_it_learns_its_own_moves_against_others(tmp_path: Path) -> None:
    """By turns, and from both seats; the opponents have nothing to do with chance."""
    others = [breed("tic-tac-toe-evolved", tmp_path / str(n), run__seed=n) for n in (5, 6)]
    named = [f"run:{others[0].path}", "self", f"run:{others[1].path}"]
    options = {"method__games": 8, "method__rate_scale": 2.0, "method__opponents": named}
    run = breed("tic-tac-toe-evolved", tmp_path / "run", **options)
    mirror = Mirror(run)
    for number in range(8):
        other = [others[0].champion, None, others[1].champion, others[0].champion][number // 2]
        mirror.play(number % 2, other)
    mirror.assert_learned(run)


def test_it_learns_its_own_moves_against_a_scripted_player(tmp_path: Path) -> None:
    file = tmp_path / "stubborn.py"
    text = Path(str(find_game("tic-tac-toe").game.file)).read_text(encoding="utf-8")
    text += (
        "\n\nPLAYERS = ('last',)\n\n\ndef last(state, moves, count):\n    return moves[count - 1]\n"
    )
    file.write_text(text, encoding="utf-8")
    options = {"method__games": 4, "method__rate_scale": 2.0, "method__opponents": ["last"]}
    run = breed(str(file), tmp_path / "run", **options)
    mirror, other = Mirror(run), ea.load_player("last", run.method.decoder.game)
    for number in range(4):
        mirror.play(number % 2, other)
    mirror.assert_learned(run)


def test_three_players_learn_what_the_formulas_say(tmp_path: Path) -> None:
    """Each has returns of its own, which run over its own moves."""
    options = {"method__rate_scale": 2.0, "method__discount": 0.9}
    run = breed(str(STONES), tmp_path / "run", **options)
    mirror = Mirror(run)
    for _ in range(3):
        mirror.play()
    mirror.assert_learned(run)


@pytest.fixture(scope="module")
def plain_hex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Write Hex without accelerators."""
    text = Path(str(find_game("hex").game.file)).read_text(encoding="utf-8")
    for name in ("wins", "changes"):
        text, count = re.subn(rf"\ndef {name}\(.*?(?=\n\n\n|\Z)", "", text, flags=re.DOTALL)
        assert count == 1
    text = text.replace("ONLY_WINS = True\n", "")
    file = tmp_path_factory.mktemp("games") / "plain_hex.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_accelerators_change_nothing(plain_hex: str, tmp_path: Path) -> None:
    changes = {"game__size": 4, "method__exploration": 0.2, "method__games": 200}
    changes["method__individuals"] = 1
    runs = [breed(name, tmp_path / Path(name).stem, **changes) for name in ("hex", plain_hex)]
    assert runs[0].population_sha256 == runs[1].population_sha256
    assert runs[0].population_sha256 != runs[0].digest(runs[0].state(0))


def test_games_begin_with_random_moves_on_request(tmp_path: Path) -> None:
    # Almost nothing is learned and no move is random, so all games are the same without them.
    options = {"game__size": 4, "method__individuals": 1, "method__games": 50}
    options |= {"method__exploration": 0.0, "method__rate_scale": 1e-9, "run__generations": 1}
    for share in (0.0, 1.0):
        run = breed("hex", tmp_path / str(share), method__schedule__random_starts=share, **options)
        assert (run.history()["plies"][0] % 1 == 0) == (share == 0)


def test_it_learns_hex_and_beats_chance(tmp_path: Path) -> None:
    options = {"network__hidden": [16], "run__generations": 5, "check__every": 5}
    options |= {"method__games": 1000, "method__exploration": 0.1}
    run = breed("hex", tmp_path / "run", game__size=5, **options)
    result = ea.duel(f"run:{run.path}", "random", games=200, opening_plies=2, seed=1)
    assert result.wilson_95[0] > 0.75


def test_three_players_learn_pig(tmp_path: Path) -> None:
    options = {"network__hidden": [16], "method__games": 200, "method__exploration": 0.1}
    checks = {"check__games": 150, "check__every": 3}
    run = breed("pig", tmp_path / "run", game__seats=3, run__generations=3, **options, **checks)
    assert list(run.checks())[-1].wins > 100  # a third would be chance


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"network.hidden": [8, 0]}, "every layer needs at least one unit"),
        ({"network.head": "policy"}, "network.head"),
        ({"network.activation": "relu"}, "network.activation"),
        ({"method.opponents": ["minimax:time=10ms"]}, "method.opponents: .*can't play compiled"),
        ({"method.opponents": ["nobody"]}, "method.opponents: unknown player"),
        ({"method.opponents": ['process:"true"']}, "method.opponents: .*would run a program"),
    ],
)
def test_what_it_does_not_learn_is_told(changes: JsonObject, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence):
        load_recipe("hex", SMALL | changes).make_method()

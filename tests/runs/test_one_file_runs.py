"""Runs of a game in one file: the same bits, the copy that a run keeps, and whose word it needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import evolve_arena as ea
from evolve_arena.arena.match import play_matches
from evolve_arena.cli.app import app
from evolve_arena.core import registry
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Settings
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import NotPermittedError
from evolve_arena.runs.api import prepare
from tests.evolved import make_evolved

SOURCE: str = find_game("tic-tac-toe").game.source + "\n# changed\n"  # type: ignore[attr-defined]
SMALL = (
    *("method.individuals=6", "method.tournament_size=2", "run.generations=3"),
    *("run.checkpoint_every=1", "check.games=10", "check.opponents=['random']"),
)


@pytest.fixture(autouse=True)
def _as_in_a_new_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder with nothing registered, as in a new process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})
    Path("my_rows.py").write_text(SOURCE, encoding="utf-8")


def forget_what_was_opened() -> None:
    registry._registered.clear()


def start(run: str, **options: object) -> ea.Run:
    return ea.start("my_rows.py", run=run, changes=SMALL, **options)


def test_the_same_bits_with_any_number_of_workers_and_resumed(ready_workers: list[int]) -> None:
    whole = start("one", executor="serial").population_sha256
    assert start("two", workers=2).population_sha256 == whole
    ready_workers.clear()
    assert start("spawn", executor="spawn", workers=3).population_sha256 == whole
    assert ready_workers
    ea.start("my_rows.py", run="three", changes=[*SMALL, "run.generations=1"], executor="serial")
    assert ea.resume("three", generations=3, executor="serial").population_sha256 == whole


BY_FEATURES = {
    "linear": ("tournament", ["network.hidden=[]", *SMALL[:2]]),
    "of moves": ("tournament", ["network.head=action", *SMALL[:2]]),
    "neat": ("neat", ["neat.pop_size=6"]),
    "neat of moves": ("neat", ["neat.pop_size=6", "network.head=action"]),
    "programming": ("evolutionary-programming", ["method.individuals=3", "matches.opponents=2"]),
    "taught": ("td", ["method.games=20", "network.activation=tanh", "network.depth=1"]),
}


@pytest.mark.parametrize("name", BY_FEATURES)
def test_all_methods_breed_what_counts(name: str) -> None:
    """The same bits with two workers, and a champion that is read again and searches."""
    method, changes = BY_FEATURES[name]
    changes = [
        f"method.name={method}",
        *("network.encoding=features", "run.generations=2", "check.games=2"),
        *("check.opponents=['random']", *changes),
    ]
    whole = ea.start("othello-evolved", run="one", changes=changes, executor="serial")
    again = ea.start("othello-evolved", run="two", changes=changes, workers=2)
    assert again.population_sha256 == whole.population_sha256
    decoder = whole.method.decoder
    names = ["FEATURES"] + ["MOVE_FEATURES"] * (decoder.head == "action")
    assert decoder.inputs == sum(len(ea.make_game("othello").name_features(n)) for n in names)
    assert ea.duel("run:one", "run:two", games=4).games == 4
    if decoder.head == "value":
        assert ea.duel("run:one,depth=2", "run:one,rollouts=20", games=4).games == 4
    else:
        with pytest.raises(BadValueError, match="so it values no positions"):
            ea.duel("run:one,depth=2", "random", games=4)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"network.encoding": "features"}, "encoding is 'features': .* function features"),
        ({"network.head": "action"}, "head is 'action': .* function describe_move"),
        ({"method.name": "td", "network.head": "action"}, "network.head is 'action'"),
    ],
)
def test_what_a_file_does_not_count_is_refused(changes: Settings, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence) as caught:
        ea.start("hex-evolved", run="one", changes=changes)
    assert "\n" not in str(caught.value)


def test_a_recipe_that_names_a_file_needs_a_word_too() -> None:
    Path("friend.toml").write_text('[game]\nname = "my_rows.py"\n', encoding="utf-8")
    with pytest.raises(NotPermittedError, match=r"the game is a Python file, my_rows\.py"):
        ea.load_recipe("friend.toml")
    registry.open_game("my_rows.py")  # who names the file himself has said it
    assert ea.load_recipe("friend.toml").game["name"] == "my-rows"


def test_options_of_ones_own_file_are_those_of_play() -> None:
    source = find_game("gomoku").game.source  # type: ignore[attr-defined]
    Path("my_five.py").write_text(source.replace("ROW", "RUN"), encoding="utf-8")
    words = "play --game my_five.py --size 6 --run 3 random random --games 1 --seed 1"
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 0
    assert " a b c d e f\n" in result.output
    again = 'evolve play --game my_five.py --size 6 --run 3 --moves "MOVES"'
    assert f"To look at a game again: {again}" in result.output


def test_a_player_file_alone_says_which_game_it_lacks() -> None:
    start("mine", executor="serial")
    shutil.copy("mine/champion.safetensors", "champion.safetensors")
    forget_what_was_opened()
    with pytest.raises(BadValueError, match="it plays 'my-rows', which is no game here"):
        ea.duel("file:champion.safetensors", "random", games=2)
    game = ea.make_game("my_rows.py")
    assert ea.duel("file:champion.safetensors", "random", games=2, game=game).games == 2


def test_games_that_ship_keep_their_names() -> None:
    Path("gomoku.py").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(BadValueError, match="there is a game gomoku already"):
        ea.make_game("gomoku.py")


def test_the_file_that_is_typed_is_not_taken_for_one_beside_the_recipe() -> None:
    Path("folder/folder").mkdir(parents=True)
    for folder in ("folder", "folder/folder"):
        shutil.copy("my_rows.py", folder)
    with Path("folder/folder/my_rows.py").open("a", encoding="utf-8") as other:
        other.write("open('STOLEN', 'w').close()\n")
    prepare("folder/my_rows.py", run="one", changes=SMALL)
    assert Path("one/game/my_rows.py").read_text(encoding="utf-8") == SOURCE
    assert not Path("STOLEN").exists()


@pytest.mark.usefixtures("compiled_as_needed")
def test_cells_are_seen_alike_in_numbers_of_any_size() -> None:
    """By an MLP and by tuples, which look at what changed each in its own way."""
    played = []
    for kind in ("int8", "int16"):
        file = Path(f"rows_{kind}.py")
        file.write_text(SOURCE.replace("np.int8", f"np.{kind}"), encoding="utf-8")
        game = registry.open_file(file).make()
        settings = {"mlp": {"hidden": (8,)}, "tuples": {"tuples": 9, "length": 3}}
        players = [make_evolved(game.name, name, 5, **settings[name]) for name in settings]
        seats = np.array([[0, 1], [1, 0], [0, 2], [2, 1]] * 5, dtype=np.int32)
        seeds = np.arange(20, dtype=np.uint64)
        results, _ = play_matches(game, [*players, make_random(game)], seats, seeds)
        played.append(results.game_hashes.tolist())
    assert played[0] == played[1]
    assert len(set(played[0])) > 8

"""Games of OpenSpiel: bred, met, resumed, shown, and refused where they can't be played."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.match import Termination, play_match, play_matches
from evolve_arena.arena.pairings import longest_opening, random_openings
from evolve_arena.cli.abilities import list_abilities
from evolve_arena.cli.play import Screen
from evolve_arena.cli.play.options import PlayOptions
from evolve_arena.core.errors import ArenaError, BadValueError, GameOverError, IllegalMoveError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import EvolvedPlayer, read_player
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.openspiel.game import SpielPosition
from evolve_arena.players.openspiel.loader import load_game
from evolve_arena.players.packed import with_noise
from evolve_arena.players.specification import make_player, permit_all
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export import export_player, look_ahead
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.evolved import make_evolved

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

KINDS = [
    ("tic_tac_toe", "mlp", "policy"),
    ("tic_tac_toe", "graph", "policy"),
    ("antichess", "mlp", "value"),  # what is seen are fractions
    ("mancala", "graph", "value"),  # numbers of seeds, and moves in a row
    ("pig(winscore=20)", "mlp", "value"),
    ("pig(winscore=20,players=3)", "mlp", "policy"),
    ("chinese_checkers(players=3,max_moves=20)", "graph", "value"),
]


@pytest.fixture(autouse=True)
def _all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make kernels support all kinds of players, so that they are compiled once."""
    flags = {"HAS_NETWORKS", "HAS_GRAPHS"}
    monkeypatch.setattr("evolve_arena.players.openspiel.matches.find_needs", lambda players: flags)


def make_random(game: BoardGame) -> ea.extend.Player:
    return make_player("random", game)


def make_network(name: str, kind: str, head: str, noise: float = 0.2) -> EvolvedPlayer:
    """Return a player of random weights that sometimes moves at random."""
    player = make_evolved(f"openspiel:{name}", kind, 1, head=head)
    if noise:
        player.packed = with_noise(player.packed, noise)
    return player


@pytest.mark.parametrize(("name", "kind", "head"), KINDS)
def test_matches_are_those_that_python_plays(name: str, kind: str, head: str) -> None:
    network = make_network(name, kind, head)
    game = network.game
    again = read_player(network.serialise(), "again")
    assert type(again) is type(network)
    players: list[ea.extend.Player] = [network, make_random(game), again]
    rows = (np.arange(6)[:, None] + np.arange(game.seats)) % 3
    seeds = np.arange(6, dtype=np.uint64) + np.uint64(2**63)
    openings = random_openings(game, min(2, longest_opening(game)), 6, 5)
    results, _ = play_matches(game, players, seat_players(rows, game.seats), seeds, openings)
    for row, pairing in enumerate(rows):
        opening, seated = openings[row].tolist(), [players[seat] for seat in pairing]
        match = play_match(game, seated, seed=int(seeds[row]), opening=opening)
        assert match.game_hash == results.game_hashes[row]
        assert len(match.moves) == results.plies[row]
        assert match.places == tuple(results.places[row])
    spec = find_game(game.name)
    assert (openings.shape[1] == 0) == spec.has_chance == ("points" in results.columns)


@pytest.mark.parametrize(("name", "kind", "head"), KINDS)
def test_exported_bots_choose_the_same_actions(name: str, kind: str, head: str) -> None:
    player = make_network(name, kind, head, noise=0.0)
    names = {"__name__": "bot"}
    exec(str(export_player(player, "openspiel")), names)
    bot, game, compared = names["Bot"](), player.game, 0
    for seed in range(3):
        position = game.initial(seed)
        while (legal := game.legal_moves(position)) and compared < 60 * (seed + 1):
            wanted = player.choose(position, new_stream(0))
            assert bot.step(game.state_of(position)) == wanted
            compared += 1
            position = game.play(position, legal[(compared * 7 + seed) % len(legal)])
    assert compared > 15
    with pytest.raises(ArenaError, match="makes random moves"):
        export_player(make_network(name, kind, head), "openspiel")


@pytest.mark.parametrize(
    ("name", "method", "changes"),
    [
        ("tic_tac_toe", "evolutionary-programming", ("individuals=3", "opponents=2")),
        ("pig(winscore=20,players=3)", "tournament", ("individuals=6", "tournament_size=2")),
    ],
)
def test_methods_breed(name: str, method: str, changes: tuple[str, ...], tmp_path: Path) -> None:
    values = [f"method.name={method}", *(f"method.{change}" for change in changes)]
    if "players" in name:
        tables = ("deals", "preliminary_deals", "final_deals")
        values += [f"matches.multiplayer.{key}=2" for key in tables]
    values += ["run.generations=2", "check.games=6"]
    run = ea.start(f"openspiel:{name}", run=tmp_path / "run", changes=values, executor="serial")
    assert run.generation == 2
    assert run.champion.game.name == f"openspiel:{name}".replace(
        "winscore=20,players=3", "players=3,winscore=20"
    )


@pytest.mark.parametrize("head", ["policy", "value"])
def test_networks_play_what_their_numbers_say(head: str) -> None:
    """The textbook's forward pass, which has no columns and rows, agrees."""
    spec = find_game("openspiel:oware")
    decoder = spec.networks["mlp"].decoder_type(head=head, hidden=(20, 18), take_wins=False)
    genome = decoder.initialise(1, "fan-in", np.random.default_rng(1))
    player, game = decoder.player(genome[0], "network"), spec.make()
    position = game.initial()
    for seed in range(30):
        legal, seat = game.legal_moves(position), game.to_move(position)
        if head == "policy":
            outputs = decoder.mlp.evaluate(genome[0], game.observe(position, seat)[None])[0, legal]
        else:
            after = [game.observe(game.play(position, move), seat) for move in legal]
            outputs = decoder.mlp.evaluate(genome[0], np.stack(after))[:, 0]
        chosen = player.choose(position, new_stream(seed))
        assert outputs[legal.index(chosen)] >= outputs.max() - 1e-3
        position = game.play(position, chosen)


def test_breeding_beats_random_and_does_not_depend_on_how_it_is_run(
    tmp_path: Path, outcome_of: Callable[[Path], object], ready_workers: list[int]
) -> None:
    recipe = tmp_path / "four.toml"
    recipe.write_text('[game]\nname = "openspiel:connect_four(egocentric_obs_tensor = true)"\n')
    changes = ["run.generations=8", "check.games=200", "check.every=4", "method.individuals=24"]
    changes += ["run.checkpoint_every=4", "method.tournament_size=4", "network.head=policy"]
    alone = ea.start(str(recipe), run=tmp_path / "one/run", changes=changes, executor="serial")
    assert alone.checks()[-1].wins > 130
    options = {"executor": "multiprocess", "workers": 2}
    ea.start(str(recipe), run=tmp_path / "two/run", changes=changes, **options)
    assert outcome_of(tmp_path / "two/run") == outcome_of(alone.path)
    ready_workers.clear()
    ea.resume(tmp_path / "one/run", from_generation=4, force=True, executor="spawn", workers=2)
    assert ready_workers
    assert outcome_of(tmp_path / "one/run") == outcome_of(tmp_path / "two/run")
    assert ea.Run.open(tmp_path / "one/run").recipe.game == {
        "name": "openspiel:connect_four(egocentric_obs_tensor=true)"
    }
    with pytest.raises(ArenaError, match=r"plays openspiel:connect_four.* whose rules are in pys"):
        export_player(alone.champion, "python")
    with pytest.raises(ArenaError, match="neat-python's files hold NEAT graphs"):
        export_player(alone.champion, "neat-python")
    with pytest.raises(ArenaError, match=r"plays openspiel:connect_four.*, but this is openspiel:"):
        make_player(f"run:{alone.path}", ea.make_game("openspiel:tic_tac_toe"))


def test_games_have_one_name_each() -> None:
    game = ea.make_game("openspiel: hex( swap=false ,board_size = 5, num_cols=4)")
    assert game.name == "openspiel:hex(board_size=5,num_cols=4)"
    assert type(ea.make_game(game.name)) is type(game)
    assert ea.make_game("openspiel:hex(board_size=11)").name == "openspiel:hex"
    assert ea.load_recipe("openspiel:nim( pile_sizes=2;3 )").game == {
        "name": "openspiel:nim(pile_sizes=2;3)"
    }


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "dots_and_boxes(utility_margin=true)"])
def test_rules_are_values(name: str) -> None:
    game = ea.make_game(f"openspiel:{name}")

    def walk() -> Iterator[SpielPosition]:
        position = game.initial(3)
        yield position
        while moves := game.legal_moves(position):
            assert game.outcome(position) is None
            position = game.play(position, moves[len(position.history) % len(moves)])
            yield position

    positions = list(walk())
    game.states.clear()
    assert positions == list(walk())
    assert len(set(positions)) == len(positions)
    last = positions[-1]
    outcome = game.outcome(last)
    assert outcome is not None
    assert sorted(outcome.places) in ([1, 1], [1, 2])
    assert ("points" in game.tally(last)[1]) == (name != "tic_tac_toe")
    with pytest.raises(GameOverError):
        game.play(last, 0)
    with pytest.raises(IllegalMoveError):
        game.play(positions[0], 77)


def test_moves_are_understood_by_name_and_number() -> None:
    game = ea.make_game("openspiel:breakthrough")
    ui, position = find_text_ui(game), game.initial()
    for move in game.legal_moves(position):
        assert ui.read(ui.name(move, position).upper(), position) == move
        assert ui.read(f" {move} ", position) == move
    assert ui.read_game("a7a6 b2b3") == (98, 596)
    for text in ("no such move", "a9a8", "-1"):
        with pytest.raises(IllegalMoveError):
            ui.read(text, position)
    with pytest.raises(ArenaError, match="move 2"):
        game.parse_position("a7a6 a7a6")


def test_a_person_plays(capsys: pytest.CaptureFixture[str]) -> None:
    game = ea.make_game("openspiel:tic_tac_toe")
    writes = io.StringIO()
    reads = io.StringIO("z\nX(1,1)\n0\n2\n1\n3\n5\n6\n7\n8\n0\n1\n2\n")
    match = play_match(game, [HumanPlayer(game, reads=reads, writes=writes), make_random(game)])
    assert match.termination in (Termination.WIN, Termination.DRAW)
    said = writes.getvalue()
    assert "'z' is no move here. These moves can be played: x(0,0), x(0,1)" in said
    assert "...\n.x.\n" in said
    reads = io.StringIO("roll\nmoves\nquit\n")
    options = PlayOptions(names=("random",), game="openspiel:pig(winscore=30)", first=True, seed=3)
    session = options.play(Screen(reads, sys.stdout))
    assert not session.matches
    assert "These moves can be played: roll, stop." in capsys.readouterr().out


BOT = """
import sys, pyspiel
for line in sys.stdin:
    words = line.split()
    if words[0] == "game":
        game = pyspiel.load_game(words[1].removeprefix("openspiel:"))
    elif words[0] == "history":
        state = game.new_initial_state()
        for action in words[1:]:
            state.apply_action(int(action))
    elif words[0] == "go":
        print("move", state.action_to_string(state.legal_actions()[-1]), flush=True)
"""


def test_programs_play(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(BOT)
    game = ea.make_game("openspiel:nim(pile_sizes=2;3)")
    bot = make_player(f"process:{sys.executable} {shlex.quote(str(file))}", game, permit_all)
    match = play_match(game, [bot, make_random(game)], seed=1)
    bot.close()
    assert match.termination is Termination.WIN


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("conect_four", "unknown game of OpenSpiel 'conect_four': did you mean 'connect_four'?"),
        ("hex(bord_size=7)", "unknown parameter of openspiel:hex 'bord_size': did you mean 'board"),
        ("hex(board_size)", "game hex: 'board_size' is not of the form key=value"),
        ("hex(board_size=3,board_size=4)", "game hex: board_size is set twice"),
        ("hex(board_size=7", "write openspiel:NAME or openspiel:NAME(key=value)"),
        ("hex(board_size=0)", "board_size is '0': it must be a whole number from 1 to 110"),
        ("hex(swap=1)", "game hex: swap is '1': it must be true or false"),
        ("go(komi=low)", "game go: komi is 'low': it must be a number"),
        ("nim(pile_sizes=()", "pile_sizes is '(', which can't be set here"),
        ("pig(players=6)", "game pig: players is 6: it must be from 2 to 5"),
        ("hex(board_size=1)", "can't be played: there is no legal move, but the game is not over"),
        ("backgammon(scoring_type=x)", "can't be played: Unrecognized scoring_type parameter: x"),
        ("cursor_go", "cursor_go has 72,922 plies in a game: it must be from 1 to 32,767"),
        ("kuhn_poker", "openspiel:kuhn_poker can't be played here: it hides something"),
        ("goofspiel", "can't be played here: it has players who move at the same time"),
        ("catch", "openspiel:catch can't be played here: it is for one player"),
        ("efg_game", "can't be played here: it has to be made of a file or of another game"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(name: str, sentence: str) -> None:
    with pytest.raises(ArenaError) as caught:
        ea.make_game(f"openspiel:{name}")
    assert sentence in str(caught.value)


NO_SEARCH = "so far it is for games that are one file of rules"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("network.depth", f"depth: {NO_SEARCH}"),
        ("network.rollouts", f"rollouts: {NO_SEARCH}"),
        ("search.depth", "search: there is none over what is bred in openspiel"),
    ],
)
def test_searches_are_refused_in_a_line(key: str, reason: str) -> None:
    with pytest.raises(RecipeError, match=reason):
        load_recipe("openspiel:tic_tac_toe", {key: 2})


def test_what_no_bot_does_is_refused_in_a_line() -> None:
    player = make_evolved("openspiel:tic_tac_toe", "mlp")
    with pytest.raises(BadValueError, match="look no farther ahead"):
        look_ahead(player, "depth=2")
    with pytest.raises(BadValueError, match="is a tuple network"):
        export_player(make_evolved("openspiel:tic_tac_toe", "tuples"), "openspiel")
    reasons = {ability.name: ability.reason for ability in list_abilities("openspiel:tic_tac_toe")}
    assert reasons["depth"] == reasons["rollouts"] == NO_SEARCH


def test_crashes_of_pyspiel_and_its_lack_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve_arena.players.openspiel.loader._read_value", lambda *_: 0)
    with pytest.raises(
        ArenaError, match=r"connect_four\(rows=0\) can't be played: pyspiel crashes"
    ):
        ea.make_game("openspiel:connect_four(rows=none)")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    load_game.cache_clear()
    with pytest.raises(ArenaError, match="not installed: pip install open_spiel"):
        ea.make_game("openspiel:othello")

"""NEAT players of any game as neat-python's JSON and genomes, and players from them.

neat-python knows nothing of games, so its files say how many inputs and outputs a network has,
but not what they stand for. Files from here say that too, in their metadata: the game and all
that the player's decoder has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote, spell
from evolve_arena.core.registry import SPIEL, find_game, game_names, usual_game
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.interchange import from_neat_python as take_genomes
from evolve_arena.genomes.neat.interchange import read_json, write_json
from evolve_arena.genomes.neat.network_json import parse
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.bred import BredPlayer, NeatPlayer

if TYPE_CHECKING:
    from neat import Config as NeatPythonConfig
    from neat import DefaultGenome

OWN_NAME = "evolve_arena_player"


class Remarks(BaseModel):
    """What files from here say of the player, under :data:`OWN_NAME` in their metadata.

    The fields of its decoder stand there besides.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    name: str
    game: str


@dataclass(frozen=True)
class ImportedPlayer:
    """A player, and how sure it is that it sees the game as it was bred to."""

    player: NeatPlayer
    assumed: tuple[str, ...]
    """What was taken for granted, since neither the file nor the caller says it."""

    @property
    def summary(self) -> str:
        """What plays, in a line."""
        genome, decoder = self.player.genome, self.player.decoder
        nodes, connections = len(genome.node_key), int(genome.enabled.sum())
        return (
            f"{self.player.name}: a feed-forward graph of {nodes} nodes"
            f" ({nodes - decoder.outputs} hidden) and {connections} connections"
        )


def export_neat_python(player: BredPlayer) -> str:
    """The JSON that neat-python writes for the network of *player*.

    Raises:
        BadValueError: The player is none that was bred by NEAT.
    """
    if not isinstance(player, NeatPlayer):
        kind = "tuple network" if player.genome_kind == "tuples" else "multilayer perceptron"
        raise BadValueError(
            f"{player.name} is a {kind}, and neat-python's files hold NEAT graphs:"
            " export it with --to python"
        )
    decoder, genome = player.decoder, player.genome
    remarks = {"name": player.name, "game": player.game.name, **asdict(decoder)}
    metadata = {"genome_id": int(genome.keys[0]), OWN_NAME: remarks}
    if "generation" in player.remarks:
        metadata["generation"] = player.remarks["generation"]
    text = write_json(genome, 0, decoder.inputs, decoder.outputs, True, metadata)
    return text + "\n"


def import_neat_python(
    text: str,
    *,
    game: str | None = None,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    stem: str = "imported",
) -> ImportedPlayer:
    """The player in a file that neat-python or :func:`export_neat_python` wrote.

    What is not given is as the file says. A file of neat-python's own says nothing: then the game
    is the usual one, its options are the usual ones, and what inputs and outputs stand for is what
    their numbers allow.

    Args:
        text: The content of the file.
        game: What it plays, by name.
        name: How tables call the player.
        options: Of its decoder: ``{"head": "value"}``; options of the game are among them.
        stem: The name if neither *name* nor the file gives one.

    Raises:
        DamagedFileError: The text is no such file.
        NewerFormatError: A later version of this project wrote it.
        UnknownNameError: There is no such option, or no such value; or the file names a function
            that neat-python does not have.
        BadValueError: The network has other numbers of inputs or outputs, or the game no graphs.
    """
    file, chosen = read_json(text), dict(options or {})
    said: dict[str, Any] = {}
    remarks = None
    if OWN_NAME in file.metadata:
        remarks = parse(Remarks, file.metadata[OWN_NAME], f"metadata.{OWN_NAME}")
        said = dict(remarks.model_extra or {})
        if game is not None and game != remarks.game:
            raise BadValueError(f"its player is one of {quote(remarks.game)}, not of {quote(game)}")
    decoder = _make_decoder(remarks.game if remarks else game, said, chosen, file.feed_forward)
    assumed: tuple[str, ...] = ()
    if remarks is None:
        fitting, assumed = fit_decoder(decoder, file.inputs, file.outputs, chosen)
        decoder = replace(decoder, **fitting)
    elif (decoder.inputs, decoder.outputs) != (file.inputs, file.outputs):
        raise _explain_sizes([decoder], [], file.inputs, file.outputs)
    stored = remarks.name if remarks else stem
    return ImportedPlayer(decoder.player(file.population, name or stored), assumed)


def from_neat_python(
    genome: DefaultGenome,
    config: NeatPythonConfig,
    *,
    game: str | None = None,
    name: str | None = None,
    **options: Any,
) -> NeatPlayer:
    """The player that a *genome* of neat-python makes, as its *config* has it.

    Args:
        genome: A ``neat.DefaultGenome``.
        config: The ``neat.Config`` that it was bred with.
        game: What it plays, by name; the usual game if None.
        name: How tables call the player; ``genome KEY`` if None.
        options: Of its decoder, such as ``head="value"``; what is left out is what the numbers of
            inputs and outputs allow.

    Raises:
        BadValueError: The game has no graphs of that size, or the genome is not sound.
        UnknownNameError: There is no such game, option or value.
    """
    sizes = config.genome_config
    inputs, outputs = sizes.num_inputs, sizes.num_outputs
    decoder = _make_decoder(game, {}, options, sizes.feed_forward)
    fitting, _ = fit_decoder(decoder, inputs, outputs, options)
    population = take_genomes([genome])
    if fault := find_fault(population, 0, inputs, outputs, sizes.feed_forward):
        raise BadValueError(f"genome {genome.key}: {fault}")
    player: NeatPlayer = replace(decoder, **fitting).player(
        population, name or f"genome {genome.key}"
    )
    return player


def fit_decoder(
    decoder: Any, inputs: int, outputs: int, chosen: Collection[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """What else than *decoder* says makes graphs of that size; with as few changes as possible.

    Args:
        decoder: What turns genomes into players.
        inputs: How many inputs there are to be.
        outputs: And outputs.
        chosen: Fields that must stay.

    Returns:
        The fields to change, and what is assumed of those that are not *chosen*, in words, with
        what would do as well.

    Raises:
        BadValueError: Nothing does.
    """
    choices = {
        field.name: found
        for field in fields(decoder)
        if field.name not in (*chosen, "script") and (found := _list_choices(decoder, field.name))
    }
    tried = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    usual = {name: getattr(decoder, name) for name in choices}
    tried.sort(key=lambda values: sum(values[name] != usual[name] for name in values))
    for values in tried:
        if _has_sizes(decoder, values, inputs, outputs):
            break
    else:
        now = decoder.inputs, decoder.outputs
        deciding = [
            name
            for name, known in choices.items()
            if not all(_has_sizes(decoder, {name: each}, *now) for each in known)
        ]
        raise _explain_sizes(
            [replace(decoder, **each) for each in tried], deciding, inputs, outputs
        )
    assumed = []
    for name in sorted(choices):
        others = [
            other
            for other in choices[name]
            if other != values[name]
            and _has_sizes(decoder, {**values, name: other}, inputs, outputs)
        ]
        also = f" (or {', '.join(others)})" if others else ""
        assumed.append(f"{name} {values[name]}{also}")
    order = sorted(assumed, key=lambda text: not text.startswith("head "))
    return {name: values[name] for name in values if values[name] != usual[name]}, tuple(order)


def _has_sizes(decoder: Any, values: Mapping[str, str], inputs: int, outputs: int) -> bool:
    made = replace(decoder, **values)
    return (made.inputs, made.outputs) == (inputs, outputs)


def _make_decoder(
    game: str | None, said: Mapping[str, Any], chosen: Mapping[str, Any], feed_forward: bool
) -> Any:
    """The decoder of graphs of a *game*, with what a file *said* and somebody chose."""
    place = f"metadata.{OWN_NAME}"
    name = game or usual_game()
    if said and not name.startswith(SPIEL) and name not in game_names():
        option = spell("--game", "game")
        raise DamagedFileError(
            f"{place}.game: {quote(name)} is no game here: if that is a file of yours, name it with"
            f" {option}"
        )
    graphs = [kind for kind in find_game(name).networks.values() if kind.genome_kind == "graph"]
    if not graphs:
        raise BadValueError(f"{name} has no NEAT graphs")
    decoder_type = graphs[0].decoder_type
    known = {field.name: field.default for field in fields(decoder_type)}
    for key, value in said.items():
        if key not in known or type(value) is not type(known[key]):
            raise DamagedFileError(f"{place}.{key}: {quote(value)} is not what {name} has there")
    for key in chosen:
        if key not in known:
            raise UnknownNameError(f"option of {name}", key, known)
    if not feed_forward:
        raise BadValueError(
            f"its network is recurrent, but in {name} {decoder_type.why_feed_forward}"
        )
    return decoder_type(**{**said, **chosen})


def _list_choices(decoder: Any, name: str) -> list[str]:
    """The values of the text *name* of a *decoder* that make one, the present one first."""
    now = getattr(decoder, name)
    if not isinstance(now, str):
        return []
    try:
        replace(decoder, **{name: "?"})
    except UnknownNameError as error:  # decoders say what they know to whom is wrong
        known = error.known
    except ArenaError:
        return []
    else:
        return []
    usual: Any = next(field.default for field in fields(decoder) if field.name == name)
    found = [now]
    for other in dict.fromkeys([usual, *known]):
        try:
            replace(decoder, **{name: other})
        except ArenaError:
            continue
        found += [other] * (other != now)
    return found


def _explain_sizes(
    decoders: Collection[Any], names: Collection[str], inputs: int, outputs: int
) -> BadValueError:
    """Which sizes there are, for somebody who has another."""
    sizes: dict[tuple[int, int], str] = {}
    for decoder in decoders:
        said = ", ".join(f"{name} {getattr(decoder, name)}" for name in names)
        sizes.setdefault((decoder.inputs, decoder.outputs), f" ({said})" if said else "")
    told = "; ".join(f"{i} and {o}{said}" for (i, o), said in sorted(sizes.items()))
    return BadValueError(
        f"its network has {inputs} inputs and {outputs} outputs, but graphs of"
        f" {next(iter(decoders)).game.name} have {told}"
    )

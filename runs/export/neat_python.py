"""Export of NEAT players to neat-python's JSON, and import from its JSON and its genomes.

Files of neat-python give the numbers of a network's inputs and outputs, but no game and no meaning
of these. Files exported from here add both in their metadata: the game and all fields of the
player's decoder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote, spell
from evolve_arena.core.registry import SPIEL, default_game, find_game, game_names
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.interchange import from_neat_python as take_genomes
from evolve_arena.genomes.neat.interchange import read_json, write_json
from evolve_arena.genomes.neat.network_json import parse
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer

if TYPE_CHECKING:
    from neat import Config as NeatPythonConfig
    from neat import DefaultGenome

Decoder: TypeAlias = Any
"""A decoder of graphs, of any game: a dataclass with ``inputs``, ``outputs`` and ``game``."""
OWN_NAME = "evolve_arena_player"


class Remarks(BaseModel):
    """Description of the player in exported files, under :data:`OWN_NAME` in their metadata.

    The fields of its decoder follow as further keys.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    name: str
    game: str


@dataclass(frozen=True)
class ImportedPlayer:
    """A player from a file, with the assumptions about its inputs and outputs."""

    player: NeatPlayer
    assumed: tuple[str, ...]
    """Values, in words, that were assumed since neither the file nor the caller gives them."""

    @property
    def summary(self) -> str:
        """Description of the player in a line."""
        genome, decoder = self.player.genome, self.player.decoder
        nodes, connections = len(genome.node_key), int(genome.enabled.sum())
        return (
            f"{self.player.name}: a feed-forward graph of {nodes} nodes"
            f" ({nodes - decoder.outputs} hidden) and {connections} connections"
        )


def export_neat_python(player: EvolvedPlayer) -> str:
    """Return the JSON that neat-python writes for the network of *player*.

    Raises:
        BadValueError: The player is not a NEAT graph.
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
    options: Settings | None = None,
    stem: str = "imported",
) -> ImportedPlayer:
    """Return the player in a file that neat-python or :func:`export_neat_python` wrote.

    Options that are not given are read from the file. A file that neat-python itself wrote has
    none: then the game is the default game with its default options, and the meaning of inputs and
    outputs is one that fits their numbers.

    Args:
        text: Content of the file.
        game: Name of the game.
        name: Name of the player in tables.
        options: Fields of its decoder: ``{"head": "value"}``; options of the game are among them.
        stem: Name of the player if neither *name* nor the file gives one.

    Raises:
        DamagedFileError: The text is not the content of such a file.
        NewerFormatError: A later version of this project wrote it.
        UnknownNameError: There is no such option, or no such value; or the file names a function
            that neat-python does not have.
        BadValueError: The numbers of inputs or outputs do not fit, or the game has no graphs.
    """
    file, chosen = read_json(text), dict(options or {})
    said: Settings = {}
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
    **options: object,
) -> NeatPlayer:
    """Return the player of a *genome* of neat-python's with its *config*.

    Args:
        genome: A ``neat.DefaultGenome``.
        config: The ``neat.Config`` that it was bred with.
        game: Name of the game; the default game if None.
        name: Name of the player in tables; ``genome KEY`` if None.
        options: Fields of its decoder, such as ``head="value"``; for those left out, values that
            fit the numbers of inputs and outputs.

    Raises:
        BadValueError: The game has no graphs of that size, or the genome is malformed.
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
    decoder: Decoder, inputs: int, outputs: int, chosen: Collection[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Find the fewest changes of *decoder* with which graphs have so many *inputs* and *outputs*.

    Args:
        decoder: Decoder to begin with.
        inputs: Wanted number of inputs.
        outputs: Wanted number of outputs.
        chosen: Fields that must stay.

    Returns:
        The fields to change, and the assumptions about those that are not *chosen*, in words, with
        other values that fit as well.

    Raises:
        BadValueError: No change gives these numbers.
    """
    # Try all values of the fields that are open, the fewest changes first
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

    # Tell the values that were found, and for each field others that would do
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


def _has_sizes(decoder: Decoder, values: Mapping[str, str], inputs: int, outputs: int) -> bool:
    made = replace(decoder, **values)
    return (made.inputs, made.outputs) == (inputs, outputs)


def _make_decoder(
    game: str | None, said: Settings, chosen: Settings, feed_forward: bool
) -> Decoder:
    """Make the decoder of graphs of a *game*, with fields *said* by a file and those *chosen*."""
    place = f"metadata.{OWN_NAME}"
    name = game or default_game()
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


def _list_choices(decoder: Decoder, name: str) -> list[str]:
    """Return the valid values of the text field *name* of a *decoder*, the current one first."""
    now = getattr(decoder, name)
    if not isinstance(now, str):
        return []
    try:
        replace(decoder, **{name: "?"})
    except UnknownNameError as error:  # its message has the known values
        known = error.known
    except ArenaError:
        return []
    else:
        return []
    usual = next(cast("str", field.default) for field in fields(decoder) if field.name == name)
    found = [now]
    for other in dict.fromkeys([usual, *known]):
        try:
            replace(decoder, **{name: other})
        except ArenaError:
            continue
        found += [other] * (other != now)
    return found


def _explain_sizes(
    decoders: Collection[Decoder], names: Collection[str], inputs: int, outputs: int
) -> BadValueError:
    """Return the error for a network whose numbers of inputs and outputs fit no decoder."""
    sizes: dict[tuple[int, int], str] = {}
    for decoder in decoders:
        said = ", ".join(f"{name} {getattr(decoder, name)}" for name in names)
        sizes.setdefault((decoder.inputs, decoder.outputs), f" ({said})" if said else "")
    told = "; ".join(f"{i} and {o}{said}" for (i, o), said in sorted(sizes.items()))
    return BadValueError(
        f"its network has {inputs} inputs and {outputs} outputs, but graphs of"
        f" {next(iter(decoders)).game.name} have {told}"
    )

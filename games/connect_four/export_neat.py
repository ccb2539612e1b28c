"""NEAT players as neat-python's JSON, and players from it.

neat-python knows nothing of boards, so its files say how many inputs and outputs a network
has, but not what they stand for. Files from here say that too, in their metadata.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.board_view import ENCODINGS, HEADS, VIEWPOINTS, BoardView
from evolve_arena.games.connect_four.graph import GraphDecoder, GraphPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.genomes.neat.interchange import ImportedGenome, read_json, write_json
from evolve_arena.genomes.neat.network_json import parse
from evolve_arena.players.bred import BredPlayer

OWN_NAME = "evolve_arena_player"


class Remarks(BaseModel):
    """What files from here say of the player, under :data:`OWN_NAME` in their metadata."""

    model_config = ConfigDict(strict=True, frozen=True)

    name: str
    game: Literal["connect-four"]
    columns: int
    rows: int
    connect: int
    head: str
    encoding: str
    viewpoint: str


@dataclass(frozen=True)
class ImportedPlayer:
    """A player, and how sure it is that it sees the board as it was bred to."""

    player: GraphPlayer
    assumed: tuple[str, ...]
    """What was taken for granted, since neither the file nor the caller says it."""

    @property
    def summary(self) -> str:
        """What plays, in a line."""
        genome, decoder = self.player.genome, self.player.decoder
        nodes, connections = len(genome.node_key), int(genome.enabled.sum())
        kind = "feed-forward" if decoder.feed_forward else "recurrent"
        return (
            f"{self.player.name}: a {kind} graph of {nodes} nodes"
            f" ({nodes - decoder.outputs} hidden) and {connections} connections"
        )


def export_neat_python(player: BredPlayer) -> str:
    """The JSON that neat-python writes for the network of *player*.

    Raises:
        BadValueError: The player is none that was bred by NEAT.
    """
    if not isinstance(player, GraphPlayer):
        kind = "tuple network" if isinstance(player, TuplePlayer) else "multilayer perceptron"
        raise BadValueError(
            f"{player.name} is a {kind}, and neat-python's files hold NEAT graphs:"
            " export it with --to python"
        )
    decoder, genome = player.decoder, player.genome
    remarks = Remarks(
        name=player.name,
        game="connect-four",
        columns=decoder.columns,
        rows=decoder.rows,
        connect=decoder.connect,
        head=decoder.head,
        encoding=decoder.encoding,
        viewpoint=decoder.viewpoint,
    )
    metadata = {"genome_id": int(genome.keys[0]), OWN_NAME: remarks.model_dump()}
    if "generation" in player.remarks:
        metadata["generation"] = player.remarks["generation"]
    text = write_json(genome, 0, decoder.inputs, decoder.outputs, decoder.feed_forward, metadata)
    return text + "\n"


def import_neat_python(
    text: str,
    *,
    name: str | None = None,
    head: str | None = None,
    encoding: str | None = None,
    viewpoint: str | None = None,
    stem: str = "imported",
) -> ImportedPlayer:
    """The player in a file that neat-python or :func:`export_neat_python` wrote.

    What is None is as the file says. A file of neat-python's own says nothing: then the board
    is the ordinary one, and head and encoding are what the numbers of outputs and inputs allow.

    Args:
        text: The content of the file.
        name: How tables call the player.
        head: What the outputs stand for.
        encoding: What the inputs stand for.
        viewpoint: Whose discs count as the first kind.
        stem: The name if neither *name* nor the file gives one.

    Raises:
        DamagedFileError: The text is no such file.
        NewerFormatError: A later version of this project wrote it.
        UnknownNameError: No head, encoding or viewpoint bears that name, or the file names a
            function that neat-python does not have.
        BadValueError: The network has other numbers of inputs or outputs.
    """
    file = read_json(text)
    options = {"head": head, "encoding": encoding, "viewpoint": viewpoint}
    chosen: dict[str, Any] = {
        kind: option for kind, option in options.items() if option is not None
    }
    assumed: list[str] = []
    if OWN_NAME in file.metadata:
        remarks = parse(Remarks, file.metadata[OWN_NAME], f"metadata.{OWN_NAME}")
        said = remarks.model_dump(exclude={"name", "game"})
        stored = remarks.name
    else:
        said, assumed = _guess(file, chosen)
        stored = stem
    decoder = GraphDecoder(**{**said, **chosen}, feed_forward=file.feed_forward)
    _check_sizes(decoder, file)
    return ImportedPlayer(decoder.player(file.population, name or stored), tuple(assumed))


SIZES: dict[str, tuple[Iterable[str], str]] = {
    "head": ([head for head in HEADS if head != "action"], "outputs"),
    "encoding": (ENCODINGS, "inputs"),
}
"""Which names there are, and which number they decide."""


def _guess(file: ImportedGenome, chosen: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """Names for whatever is not *chosen*, and what is assumed with them, in words."""
    usual = BoardView()
    fitting = {"viewpoint": sorted(VIEWPOINTS, key=lambda name: name != usual.viewpoint)}
    for kind, (_, unit) in SIZES.items():
        sizes = _find_sizes(usual, kind)
        fitting[kind] = [name for name in sizes if sizes[name] == getattr(file, unit)]
    guessed, assumed = {}, []
    for kind in ("head", "encoding", "viewpoint"):
        if kind not in chosen:
            first, *others = fitting[kind] or [getattr(usual, kind)]
            guessed[kind] = first
            assumed.append(f"{kind} {first}" + (f" (or {', '.join(others)})" if others else ""))
    return guessed, assumed


def _check_sizes(decoder: BoardView, file: ImportedGenome) -> None:
    for kind, (_, unit) in SIZES.items():
        sizes = _find_sizes(decoder, kind)
        name, found = getattr(decoder, kind), getattr(file, unit)
        if sizes[name] != found:
            others = ", ".join(f"{other} {sizes[other]}" for other in sizes if other != name)
            raise BadValueError(
                f"its network has {found} {unit}, but on a board of {decoder.columns} by"
                f" {decoder.rows} the {kind} {name} takes {sizes[name]} ({others})"
            )


def _find_sizes(view: BoardView, kind: str) -> dict[str, int]:
    """How many inputs, or outputs, the network has with each name of that *kind*."""
    names, unit = SIZES[kind]
    sizes = {}
    for name in names:
        option: dict[str, Any] = {kind: name}
        sizes[name] = getattr(replace(view, **option), unit)
    return sizes

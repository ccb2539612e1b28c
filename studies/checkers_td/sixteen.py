"""The sixteen players of Piotrowski (2004), trained here with their recipes, as players by name.

Their weights ship with the package. They are those of the last generation of a run of the player's
recipe, such as ``evolve start checkers-06-rafalmore --seed 6001``; the seed is 1000 times the
player's number plus 1.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import VectorPlayer, read_player


def piotrowski_names() -> list[str]:
    """Return the players' names by their published numbers: ``rafalback`` to ``rafalmored``."""
    return list(_files())


def make_piotrowski(name: str, game: BoardGame, depth: int | None = None) -> VectorPlayer:
    """Return the player called *name*.

    Args:
        name: One of :func:`piotrowski_names`.
        game: The game, which is checkers.
        depth: Search depth in plies; if None, that of the publication (7), or of the recipe (3).

    Raises:
        UnknownNameError: There is no such player.
    """
    files = _files()
    if name.lower() not in files:
        raise UnknownNameError("player of Piotrowski", name, list(files))
    folder = resources.files(__package__).joinpath("data", "piotrowski")
    player = read_player(folder.joinpath(files[name.lower()]).read_bytes())
    assert isinstance(player, VectorPlayer)
    decoder = replace(player.decoder, depth=depth or player.decoder.depth)
    made: VectorPlayer = decoder.player(player.genome, name.lower())
    return made


def _files() -> dict[str, str]:
    """Return the files of weights, such as ``06-rafalmore.safetensors``, by the player's name."""
    folder = resources.files(__package__).joinpath("data", "piotrowski")
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".safetensors"))
    return {file[3:].removesuffix(".safetensors"): file for file in files}

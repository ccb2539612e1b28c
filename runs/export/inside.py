"""What the source of an exported bot needs to know of the network inside it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Inside"]


@dataclass(frozen=True)
class Inside:
    """A network, ready to be written down."""

    template: str
    """The file in ``templates`` that evaluates such networks."""
    constants: str
    """The lines that define it, in place of those in the template's section of the network."""
    description: tuple[str, ...]
    """What it is, in lines for the file's docstring."""
    remembers: bool = False
    """Whether a move depends on the moves before."""
    remark: str = ""
    """What else a reader of that docstring should know: a sentence."""

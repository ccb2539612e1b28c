"""One line of the table that a benchmark prints, and parts that cannot run here."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Line", "SkippedError"]


@dataclass(frozen=True)
class Line:
    """A measured value, its ratio to another value, and the target."""

    name: str
    value: float
    unit: str
    versus: str = ""
    """Name and value of the other side of the ratio."""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> list[str]:
        """Return the cells of the line as strings."""
        ratio = "" if self.ratio is None else f"{self.ratio:,.2f}"
        verdict = {None: "", True: "yes", False: "NO"}[self.met]
        return [
            self.name,
            f"{self.value:,.4g}",
            self.unit,
            ratio,
            self.versus,
            self.target,
            verdict,
        ]


class SkippedError(Exception):
    """Raised for a part that cannot run on this machine; the text names what is missing."""

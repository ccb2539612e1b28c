"""What tables of studies say of their numbers."""

from __future__ import annotations

from evolve_arena.studies.study import Table


def remarks_of(table: Table) -> dict[tuple[str, str], str]:
    """The remarks by row and column."""
    return {(row.row, row.column): row.remark for row in table.rows}

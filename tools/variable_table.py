"""Table of trajectory variables: docs/reference/variables.md, generated from src/serpenoid/variables.py.

Run `python tools/variable_table.py` to rewrite the table.
"""

from __future__ import annotations

from pathlib import Path

from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.variables import SENSED, VARIABLES, Described, describe

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "variables.md"
BEGIN, END = "<!-- variables: made by tools/variable_table.py -->", "<!-- end of variables -->"


def row_of(name: str, row: Described) -> str:
    """Return a line of the table."""
    dims = " ".join(row.dims) + (f", or {' '.join(row.dims[:-1])} in the plane" if row.flat else "")
    where = f"{', '.join(row.where)}: " if row.where else ""
    return f"| `{name}` | {dims} | {row.unit or '-'} | {where}{row.meaning} |"


def table() -> str:
    """Return the whole table, including sensor readings."""
    names = [*VARIABLES, *(f"{SENSED}{name}" for name in ALWAYS_SENSED)]
    rows = [row_of(name, describe(name)) for name in names]
    return "\n".join(["| variable | dimensions | unit | meaning |", "|---|---|---|---|", *rows])


def written(page: str) -> str:
    """Return the page with the table of this version between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

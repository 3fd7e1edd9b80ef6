"""Everything that commands print: lines, tables, and numbers with their units. No other file formats or prints."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

NO_END = 100_000  # columns of a file or a pipe
LEAST_TEXT = 24  # columns that a text needs to be wrapped into


def say(*lines: str, flush: bool = False) -> None:
    """Print lines of a command's result."""
    print(*lines, sep="\n", flush=flush)


def note(line: str) -> None:
    """Print a line beside the result, at once: progress, or what the result does not hold."""
    print(line, file=sys.stderr, flush=True)


def complain(problem: Any) -> None:
    """Print why a command ends, or cannot do all of it."""
    note(f"serpenoid: {problem}")


def warn(problem: str) -> None:
    """Print what a user should know about a result."""
    complain(f"warning: {problem}")


def number(value: float, unit: str = "", digits: int = 6) -> str:
    """Return a number with so many digits, and its unit."""
    return f"{value:.{digits}g} {unit}".rstrip()


def fixed(value: float, unit: str = "", places: int = 2) -> str:
    """Return a number with so many digits behind the point, and its unit."""
    return f"{value:.{places}f} {unit}".rstrip()


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: 1 run, 2 runs."""
    return f"{count} {noun}{'s' * (count != 1)}"


def labelled(name: str, unit: str = "") -> str:
    """Return the name of a quantity in words, with its unit in brackets: the header of a column."""
    return name.replace("_", " ") + (f" [{unit}]" if unit else "")


def duration(seconds: float) -> str:
    """Return a time as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def cell_text(value: Any) -> str:
    """Return a cell of a table, numbers with four digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return number(value, digits=4) if isinstance(value, float) else str(value)


def table(rows: list[list[Any]], header: list[str]) -> str:
    """Rows as aligned text that fits the terminal: long texts in the last column wrap, many columns go into blocks."""
    cells = [header, *[[cell_text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    room = columns()
    left = room - sum(width + 2 for width in widths[:-1])
    widths[-1] = min(widths[-1], left if left >= LEAST_TEXT else max(room - widths[0] - 2, LEAST_TEXT))
    blocks: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if blocks[-1] and sum(widths[j] + 2 for j in blocks[-1]) + width > room:
            blocks.append([0])  # the first column names the rows
        blocks[-1].append(i)
    return "\n\n".join(aligned([[row[i] for i in b] for row in cells], [widths[i] for i in b]) for b in blocks)


def aligned(cells: list[list[str]], widths: list[int]) -> str:
    """Rows, the first of them the header, in columns of given widths; texts in the last column wrap."""
    lines: list[str] = []
    for place, (*others, last) in enumerate(cells):
        begin = "".join(cell.ljust(width + 2) for cell, width in zip(others, widths))
        pieces = wrap(last, widths[-1]) if len(last) > widths[-1] else [last]
        lines += [(begin if i == 0 else " " * len(begin)) + piece for i, piece in enumerate(pieces)]
        lines += ["  ".join("-" * width for width in widths)] if place == 0 else []
    return "\n".join(line.rstrip() for line in lines)


def columns() -> int:
    """Columns of the terminal, or as many as COLUMNS says; without end in a file or a pipe."""
    return shutil.get_terminal_size((NO_END, 24)).columns


def entry(name: str, text: str, width: int = 22) -> str:
    """An indented name with a text beside it, wrapped to the terminal."""
    begin = f"  {name:{width}s} "
    pieces = wrap(text, max(columns() - len(begin), LEAST_TEXT))
    return begin + ("\n" + " " * len(begin)).join(pieces)


def summary_table(quantities: Mapping[str, Any]) -> str:
    """The quantities of a run's summary, a row each."""
    return table([[labelled(name), *q.formatted()] for name, q in quantities.items()], ["quantity", "value", "unit"])


def summary_lines(quantities: Mapping[str, Any]) -> list[str]:
    """The quantities of a run's summary, a line each."""
    rows = {labelled(name): q.formatted() for name, q in quantities.items()}
    return [f"  {name}: {cell_text(value)} {unit}".rstrip() for name, (value, unit) in rows.items()]

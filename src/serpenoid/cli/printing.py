"""Output of commands: lines, tables, and numbers with units. No other file formats or prints."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from serpenoid.errors import printable

NO_END = 100_000  # width of a file or a pipe [columns]
LEAST_TEXT = 24  # minimum width for wrapped text [columns]


def say(*lines: str, flush: bool = False) -> None:
    """Print lines of a command's result."""
    print(*lines, sep="\n", flush=flush)


def note(line: str) -> None:
    """Print a line to standard error at once: progress, or a remark on the result."""
    print(line, file=sys.stderr, flush=True)


def complain(problem: Any) -> None:
    """Print the reason why a command ends or is incomplete, as one line that cannot control the terminal."""
    note(f"serpenoid: {printable(str(problem))}")


def warn(problem: str) -> None:
    """Print a warning about a result."""
    complain(f"warning: {problem}")


def number(value: float, unit: str = "", digits: int = 6) -> str:
    """Format a number with `digits` significant digits and its unit."""
    return f"{value:.{digits}g} {unit}".rstrip()


def format_fixed(value: float, unit: str = "", places: int = 2) -> str:
    """Format a number with `places` decimal places and its unit."""
    return f"{value:.{places}f} {unit}".rstrip()


def plural(count: int, noun: str) -> str:
    """Format a count with its noun: 1 run, 2 runs."""
    return f"{count} {noun}{'s' * (count != 1)}"


def column_label(name: str, unit: str = "") -> str:
    """Format the name of a quantity in words with its unit in brackets, as a column heading."""
    return name.replace("_", " ") + (f" [{unit}]" if unit else "")


def duration(seconds: float) -> str:
    """Format a time [s] as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def cell_text(value: Any) -> str:
    """Format a table cell; numbers have four significant digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return number(value, digits=4) if isinstance(value, float) else str(value)


def table(rows: list[list[Any]], header: list[str]) -> str:
    """Format rows as aligned text that fits the terminal: the last column wraps, and excess columns form further
    blocks."""
    cells = [header, *[[cell_text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    room = columns()
    left = room - sum(width + 2 for width in widths[:-1])
    widths[-1] = min(widths[-1], left if left >= LEAST_TEXT else max(room - widths[0] - 2, LEAST_TEXT))
    blocks: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if blocks[-1] and sum(widths[j] + 2 for j in blocks[-1]) + width > room:
            blocks.append([0])  # the first column identifies the rows
        blocks[-1].append(i)
    return "\n\n".join(align_rows([[row[i] for i in b] for row in cells], [widths[i] for i in b]) for b in blocks)


def align_rows(cells: list[list[str]], widths: list[int]) -> str:
    """Align rows (the first is the header) in columns of the given widths; text in the last column wraps."""
    lines: list[str] = []
    for place, (*others, last) in enumerate(cells):
        begin = "".join(cell.ljust(width + 2) for cell, width in zip(others, widths))
        pieces = wrap(last, widths[-1]) if len(last) > widths[-1] else [last]
        lines += [(begin if i == 0 else " " * len(begin)) + piece for i, piece in enumerate(pieces)]
        lines += ["  ".join("-" * width for width in widths)] if place == 0 else []
    return "\n".join(line.rstrip() for line in lines)


def columns() -> int:
    """Return the width of the terminal or the value of COLUMNS; unlimited for a file or a pipe."""
    return shutil.get_terminal_size((NO_END, 24)).columns


def entry(name: str, text: str, width: int = 22) -> str:
    """Format an indented name with its description, wrapped to the terminal."""
    begin = f"  {name:{width}s} "
    pieces = wrap(text, max(columns() - len(begin), LEAST_TEXT))
    return begin + ("\n" + " " * len(begin)).join(pieces)


def summary_table(quantities: Mapping[str, Any]) -> str:
    """Format the quantities of a summary as a table."""
    return table(
        [[column_label(name), *q.formatted()] for name, q in quantities.items()], ["quantity", "value", "unit"]
    )


def summary_lines(quantities: Mapping[str, Any]) -> list[str]:
    """Format the quantities of a summary as lines."""
    rows = {column_label(name): q.formatted() for name, q in quantities.items()}
    return [f"  {name}: {cell_text(value)} {unit}".rstrip() for name, (value, unit) in rows.items()]

"""Printing of commands: in one module, and fitted to the terminal."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import serpenoid_papers.commands
from serpenoid import cli
from serpenoid.cli import printing

FILES = sorted(
    file for package in (cli, serpenoid_papers.commands) for file in Path(package.__file__).parent.glob("*.py")
)
# The printing module, the compilation line, and values as typed.
OTHERS = {("printing.py", None), ("compile_progress.py", None), ("arguments.py", "as_typed"), ("telemetry.py", "draw")}


def formats(node):
    """Return whether code prints, or formats a number or a width itself."""
    prints = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    return prints or (isinstance(node, ast.FormattedValue) and node.format_spec is not None)


def offences(name, text):
    """Return (function, line) of all code of a file that formats or prints without permission."""
    for top in ast.parse(text).body:
        if not {(name, None), (name, getattr(top, "name", ""))} & OTHERS:
            yield from ((getattr(top, "name", ""), node.lineno) for node in ast.walk(top) if formats(node))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_no_other_file_formats_or_prints(file):
    assert list(offences(file.name, file.read_text(encoding="utf-8"))) == []


def test_the_check_notices():
    assert list(offences("new.py", 'def main(x):\n    print(x)\n    return f"{x:.3g} m"\n')) == [
        ("main", 2),
        ("main", 3),
    ]
    assert list(offences("printing.py", "print(1)")) == []


def test_numbers_have_their_units():
    assert printing.number(0.123456789, "m", 3) == "0.123 m" and printing.number(2.0) == "2"
    assert printing.format_fixed(99.5, "%", 0) == "100 %" and printing.format_fixed(1.0) == "1.00"
    assert printing.column_label("mean_speed", "m/s") == "mean speed [m/s]" and printing.column_label("out") == "out"
    assert printing.plural(1, "run") == "1 run" and printing.plural(0, "run") == "0 runs"


ROWS = [[f"cell {i}", *(0.125 * i + 100.0 * j for j in range(9)), "a remark of some length " * 4] for i in range(3)]
HEADER = ["cell", *(f"quantity {j}" for j in range(9)), "remark"]


@pytest.mark.parametrize("width", [60, 80, 132])
def test_tables_fit_the_terminal_and_lose_nothing(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for rows, header in ((ROWS, HEADER), ([[row[0], row[-1]] for row in ROWS], ["cell", "remark"])):
        text = printing.table(rows, header)
        shown = " ".join(text.split())
        assert max(map(len, text.splitlines())) <= width
        assert all(name in shown for name in header)
        assert all(printing.cell_text(cell) in shown for row in rows for cell in row[:-1])


def test_a_table_in_a_file_has_one_line_for_each_row(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(printing, "columns", lambda: printing.NO_END)
    assert len(printing.table(ROWS, HEADER).splitlines()) == len(ROWS) + 2


def test_a_complaint_is_one_line_without_control_characters(capsys):
    printing.complain("unknown word \x1b[31mred\nsecond line \x07")
    assert capsys.readouterr().err == "serpenoid: unknown word \\x1b[31mred\\nsecond line \\x07\n"

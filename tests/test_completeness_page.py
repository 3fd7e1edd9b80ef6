"""docs/papers/completeness.md: every row is complete, and every function, test and claim that it names exists.

Commands, files and names of `sp.` are tested on every page (test_docs.py, test_docs_commands.py).
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from serpenoid_papers.base import find_paper

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "papers" / "completeness.md"
PAPERS = {
    "NATRIX": "natrix", "Gaits by model predictive control": "mpc-gaits", "Pushing": "pushing",
    "Moving frame method": "moving-frame", "Shape-based compliance": "sea-snake",
}  # fmt: skip
STATES = ("yes", "in part", "not yet", "no")


def rows_of(text):
    """Yield (heading, cells) of every row of a table with five columns."""
    for part in text.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        for line in body.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if line.startswith("| ") and cells[0] != "item":
                yield heading, cells


ROWS = list(rows_of(PAGE.read_text(encoding="utf-8")))


def file_of(name):
    """Return a file named from the root, src/ or src/serpenoid/."""
    places = [base / name for base in (ROOT, ROOT / "src", ROOT / "src" / "serpenoid")]
    return next((place for place in places if place.exists()), None)


@cache
def names_in(path):
    """Return the functions and classes that a file defines at its top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def problem_of(heading, cells):
    """Return the first problem of a row; empty if it has none."""
    if len(cells) != 5 or not all(cells) or cells[1] not in STATES:
        return "must have five cells and a known state"
    if cells[1] in ("yes", "in part") and "-" in cells[2:]:
        return "is there, but a cell is empty"
    for name in re.findall(r"`([a-z_0-9/]+(?:\.py)?(?:::[A-Za-z_0-9]+)?)`", " ".join(cells)):
        path, _, member = name.partition("::")
        if "/" not in path:
            continue
        if file_of(path) is None:
            return f"names {path}"
        if member and member not in names_in(file_of(path)):
            return f"names {name}"
    criteria = find_paper(PAPERS[heading]).criteria
    unknown = [claim for claim in re.findall(r"\b[A-Z]\d+\b", cells[4]) if claim not in criteria]
    return f"names claim {unknown[0]}" if unknown else ""


@pytest.mark.parametrize(("heading", "cells"), ROWS, ids=[f"{heading}: {cells[0]}" for heading, cells in ROWS])
def test_a_row_is_complete_and_names_what_exists(heading, cells):
    assert problem_of(heading, cells) == ""


def test_all_papers_are_there():
    assert {heading for heading, _ in ROWS} == set(PAPERS)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_is_named(paper):
    """Claims that no row names would be missing from the page."""
    named = {claim for heading, cells in ROWS if heading == paper for claim in re.findall(r"\b[A-Z]\d+\b", cells[4])}
    missing = set(find_paper(PAPERS[paper]).criteria) - named
    assert not missing


@pytest.mark.parametrize(
    "cells",
    [
        ["item", "yes", "`kernels/tree/no_such.py`", "x", "N1"],
        ["item", "yes", "`kernels/tree/step.py::no_such`", "x", "N1"],
        ["item", "yes", "`kernels/tree/step.py`", "-", "N1"],
        ["item", "yes", "x", "x", "N99"],
        ["item", "done", "x", "x", "N1"],
        ["item", "yes", "x", "N1"],
    ],
)
def test_mistakes_are_found(cells):
    assert problem_of("NATRIX", cells)

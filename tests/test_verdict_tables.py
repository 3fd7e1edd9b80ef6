"""Verdict tables of docs/papers agree with docs/claims and with the criteria of each paper."""

import importlib
import sys
from pathlib import Path

import pytest

from serpenoid_papers.base import find_paper, paper_names

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
try:
    tool = importlib.import_module("verdict_tables")
finally:
    sys.path.pop(0)
COMMITTED = tool.committed()


@pytest.mark.parametrize("name", paper_names())
def test_every_paper_has_a_page(name):
    assert tool.page_of(name).is_file()


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_runs_are_full(name):
    assert (COMMITTED[name]["paper"], COMMITTED[name]["size"]) == (name, "full")


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_ids_are_those_of_the_criteria(name):
    assert [claim["id"] for claim in COMMITTED[name]["claims"]] == list(find_paper(name).criteria)


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_verdicts_follow_from_the_measured_values(name):
    """A criterion that was changed after the run must not contradict the committed verdict."""
    criteria = find_paper(name).criteria
    for claim in COMMITTED[name]["claims"]:
        for own in (claim, *claim.get("readings", {}).values()):
            if own["holds"] is not None and own["measured"] is not None:
                assert bool(criteria[claim["id"]].holds(own["measured"])) == own["holds"], claim["id"]


@pytest.mark.parametrize("name", COMMITTED)
def test_page_and_json_agree(name):
    page = tool.page_of(name).read_text(encoding="utf-8")
    expected = tool.written(page, COMMITTED[name], find_paper(name).criteria)
    assert page == expected, f"docs/papers/{name}.md is out of date; run: python tools/verdict_tables.py"


def test_readings_stand_side_by_side():
    criteria = find_paper("sea-snake").criteria
    own = {name: {"holds": holds} for name, holds in (("printed", True), ("tuned", None))}
    claims = [{"id": "S26", "holds": None, "readings": own}, {"id": "S1", "holds": True}]
    claims.insert(1, {"id": "S28", "holds": None, "readings": {"tuned": own["tuned"]}})
    rows = tool.readings_table(claims, criteria)
    assert rows[0] == "| id | claim | printed | tuned |" and rows[2].endswith("| holds | undecided |")
    assert rows[3].endswith("| not run | undecided |") and tool.readings_table(claims[2:], criteria) == []
    assert "reading `tuned`" in tool.summary(claims) and "reading" not in tool.summary(claims[2:])


def test_values_are_shortened_and_nested_names_are_joined():
    assert tool.measured({"a": {"b": 0.123456}, "c": [1.0, 2.5], "d": True}) == "`a b` 0.123; `c` 1, 2.5; `d` yes"
    assert tool.measured(dict.fromkeys("abcde", 1)).endswith("; ...")
    assert tool.measured([float(i) for i in range(9)]) == "0 ... 8 (9 values)"
    assert tool.cell("|a|\n b") == "\\|a\\| b"

"""Verdicts of reproductions against the committed ones.

`verdicts.json` holds the verdicts of quick runs, `docs/claims/NAME.json` those of full runs. The comparisons between
the files are cheap. The runs themselves take minutes per paper and belong to `make test-full`.
"""

import json
from pathlib import Path

import pytest

from serpenoid_papers.base import find_paper, paper_names, reproduce

QUICK = json.loads((Path(__file__).parent / "verdicts.json").read_text())
CLAIMS = Path(__file__).parents[2] / "docs" / "claims"
# Speed of this machine, not correctness of the code.
TIMES = {"natrix": {"N10"}, "mpc-gaits": {"M11"}, "sea-snake": {"S6"}}
# Papers whose full run takes a few minutes.
CHEAP = ("pushing", "moving-frame")
COMMITTED = [name for name in paper_names() if (CLAIMS / f"{name}.json").is_file()]
# Their full runs take hours; the file of each is added with its first complete run.
UNFINISHED = {"mpc-gaits", "pegs"}


def full_verdicts(paper):
    """Verdicts of the committed full run by id, without those that measure the machine."""
    claims = json.loads((CLAIMS / f"{paper}.json").read_text())["claims"]
    return {claim["id"]: claim["holds"] for claim in claims if claim["id"] not in TIMES.get(paper, set())}


def decided(verdicts):
    """Verdicts that are not null."""
    return {id: holds for id, holds in verdicts.items() if holds is not None}


@pytest.mark.parametrize("paper", paper_names())
def test_a_quick_verdict_is_committed_for_every_claim_except_timings(paper):
    assert set(QUICK[paper]) == set(find_paper(paper).criteria) - TIMES.get(paper, set())


def test_full_runs_are_committed():
    assert set(paper_names()) - set(COMMITTED) <= UNFINISHED


@pytest.mark.parametrize("paper", COMMITTED)
def test_a_full_run_has_every_claim(paper):
    assert set(full_verdicts(paper)) == set(find_paper(paper).criteria) - TIMES.get(paper, set())


@pytest.mark.parametrize("paper", COMMITTED)
def test_committed_quick_verdicts_agree_with_the_committed_full_run(paper):
    full = full_verdicts(paper)
    assert decided(QUICK[paper]) == {id: full[id] for id in decided(QUICK[paper])}


@pytest.mark.full
@pytest.mark.parametrize("paper", paper_names())
def test_verdicts_of_a_quick_run(paper, tmp_path):
    claims = reproduce(find_paper(paper), tmp_path, "quick", print)
    found = {claim["id"]: claim["holds"] for claim in claims if claim["id"] in QUICK[paper]}
    assert found == QUICK[paper]


@pytest.mark.full
@pytest.mark.parametrize("paper", CHEAP)
def test_verdicts_of_a_full_run(paper, tmp_path):
    claims = reproduce(find_paper(paper), tmp_path, "full", print)
    full = full_verdicts(paper)
    assert {claim["id"]: claim["holds"] for claim in claims if claim["id"] in full} == full

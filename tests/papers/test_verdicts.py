"""Verdicts of every paper's quick reproduction, compared with verdicts.json; minutes for each paper."""

import json
from pathlib import Path

import pytest

from serpenoid_papers.base import find_paper, paper_names, reproduce

EXPECTED = json.loads((Path(__file__).parent / "verdicts.json").read_text())
# These depend on the speed of the machine, not on correctness.
TIMES = {"natrix": {"N10"}, "mpc-gaits": {"M11"}, "sea-snake": {"S6"}}


@pytest.mark.parametrize("paper", paper_names())
def test_a_verdict_is_expected_of_every_claim_that_is_no_time(paper):
    assert set(EXPECTED[paper]) == set(find_paper(paper).criteria) - TIMES.get(paper, set())


@pytest.mark.full
@pytest.mark.parametrize("paper", paper_names())
def test_verdicts(paper, tmp_path):
    claims = reproduce(find_paper(paper), tmp_path, "quick", print)
    assert {claim["id"]: claim["holds"] for claim in claims if claim["id"] in EXPECTED[paper]} == EXPECTED[paper]

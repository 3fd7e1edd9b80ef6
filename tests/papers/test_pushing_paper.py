"""Experiments on pushing, tiny: every claim has a finding, table 2 is written, the computed numbers hold."""

import pytest

from serpenoid_papers.base import find_paper
from serpenoid_papers.pushing.criteria import CRITERIA


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("pushing"), {}
    paper = find_paper("pushing")
    for name in paper.modules:
        experiment = paper.experiment(name)
        result = experiment.run(experiment.Config.tiny(), lambda text: None)
        found |= {finding.id: finding for finding in experiment.claims(result)}
        if name == "shapes":
            experiment.figure(result, folder)
    assert (folder / "table2.json").exists()
    return found


def test_every_claim_is_answered(findings):
    assert sorted(findings) == sorted(CRITERIA)
    assert all(finding.reason for finding in findings.values())


@pytest.mark.parametrize("id", ["P1", "P2", "P3", "P10"])
def test_what_does_not_depend_on_the_grid_holds(findings, id):
    assert CRITERIA[id].holds(findings[id].measured) is True


def test_a_wrong_number_does_not_hold(findings):
    wrong = {name: 1.05 * value for name, value in findings["P1"].measured.items()}
    assert CRITERIA["P1"].holds(wrong) is False
    assert CRITERIA["P10"].holds({"difference": 1e-8}) is False
    assert CRITERIA["P9"].holds(findings["P9"].measured) is None

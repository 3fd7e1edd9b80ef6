"""The experiments on pushing, tiny: every claim is answered, every figure is drawn, the computed numbers hold."""

from importlib import import_module

import pytest

from serpenoid.experiments.base import find_paper
from serpenoid.experiments.criteria import CRITERIA

TINY = {
    "torque_plane": {"directions": 360, "radii": 4, "kappas": (100.0,)},
    "far_joint": {"spacing": 90.0},
    "polar_maps": {"spacing": 45.0, "directions": 20, "radii": 2},
    "shapes": {"spacing": 45.0, "directions": 20, "radii": 2},
    "closed_forms": {"cases": 10},
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("pushing"), {}
    assert set(find_paper("pushing").modules) - set(TINY) == {"in_time"}  # tested with the engine, which it compiles
    for name in TINY:
        module = import_module(f"serpenoid.experiments.pushing.{name}")
        result = module.run(module.Config(**TINY[name]), lambda text: None)
        found |= {finding.id: finding for finding in module.claims(result)}
        for picture in module.figure(result, folder):
            assert picture.stat().st_size > 5_000
        assert type(module.Config.quick()) is module.Config
    assert (folder / "table2.json").exists()
    return found


def test_every_claim_is_answered(findings):
    assert sorted(findings) == sorted(CRITERIA["pushing"])
    assert all(finding.reason for finding in findings.values())


@pytest.mark.parametrize("id", ["P1", "P2", "P3", "P10"])
def test_what_does_not_depend_on_the_grid_holds(findings, id):
    assert CRITERIA["pushing"][id].holds(findings[id].measured) is True


def test_a_wrong_number_does_not_hold(findings):
    wrong = {name: 1.05 * value for name, value in findings["P1"].measured.items()}
    assert CRITERIA["pushing"]["P1"].holds(wrong) is False
    assert CRITERIA["pushing"]["P10"].holds({"difference": 1e-8}) is False
    assert CRITERIA["pushing"]["P9"].holds(findings["P9"].measured) is None

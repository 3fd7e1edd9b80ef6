"""Experiments on gaits, tiny: claims without physics hold, and wrong numbers do not."""

import pytest

from serpenoid.gaits import ConicalSidewinding, RollingHelix, Sidewinding
from serpenoid.robots import SeaSnake
from serpenoid_papers.base import find_paper
from serpenoid_papers.gaits.criteria import CRITERIA
from serpenoid_papers.gaits.ideals import helix_speed, tread_speed


@pytest.fixture(scope="module")
def findings():
    """Findings that are judged at any size, and those of the floor; tests of `reproduce` run all of them."""
    found, paper = {}, find_paper("gaits")
    for name in ("formulas", "helices", "ground"):
        experiment = paper.experiment(name)
        result = experiment.run(experiment.Config.tiny(), lambda text: None)
        found |= {finding.id: finding for finding in experiment.claims(result)}
    return found


def test_formulas_are_judged_at_any_size(findings):
    assert CRITERIA["S7"].holds(findings["S7"].measured) is True
    helix = findings["S39"].measured
    assert helix["radius"] <= 0.05 and helix["pitch"] <= 0.1
    assert CRITERIA["S39"].holds(helix | {"ratio": 0.001}) is True


def test_wrong_numbers_do_not_hold(findings):
    holds = {id: criterion.holds for id, criterion in CRITERIA.items()}
    assert not holds["S7"]({"difference": 1e-11, "parameters": 9})
    assert not holds["S7"]({"difference": 0.0, "parameters": 10})
    assert holds["S25"](findings["S25"].measured) is False
    with pytest.raises(KeyError, match="explicit_mm_per_cycle"):
        holds["S25"]({"mujoco_mm_per_cycle": {}})
    assert holds["S25"]({"explicit_mm_per_cycle": 6.0}) is False
    assert not holds["S39"](findings["S39"].measured | {"ratio": 0.001, "pitch": 0.11})
    slow = {"a": {"lengths_per_cycle": 0.01, "off_deg": 0.0}}
    assert holds["S8"](slow) is False
    assert not holds["S43"]({"fall_share": 0.1, "slip_share": 0.0})


def test_the_tread_rolls_on_by_the_girth_of_its_cylinder():
    round_tread = Sidewinding(amplitude=0.3, dorsal_amplitude=0.3, spatial_frequency=9.0, frequency=1.0)
    robot = SeaSnake()
    radius = 0.3 / (2 * 0.064 * (9.0 / (18 * 0.064)) ** 2)
    assert tread_speed(round_tread, robot) == pytest.approx(2 * 3.14159265 * radius, rel=1e-5)
    cone = ConicalSidewinding(amplitude=0.3, dorsal_amplitude=0.3, spatial_frequency=9.0, frequency=1.0, taper=-0.6)
    assert tread_speed(cone, robot) == pytest.approx(0.7 * 2 * 3.14159265 * radius, rel=1e-5)


def test_a_steep_helix_climbs_less_than_it_rolls():
    steep = RollingHelix(radius=0.1, pitch=-2 * 3.14159265 * 0.1, frequency=0.5)
    assert helix_speed(steep, SeaSnake()) == pytest.approx(3.14159265 * SeaSnake().radius / 2**0.5, rel=1e-6)

"""Experiments of CRITERIA, tiny: findings for their claims, judged by the criteria."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.scenarios.natrix_roll import roll_summary
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics
from serpenoid_papers.natrix import agreement, conservation, shells
from serpenoid_papers.natrix.criteria import CRITERIA
from serpenoid_papers.natrix.response import capsizing_band
from serpenoid_papers.natrix.runs import BEATING, CAPSIZING, FORCED, OVERTURNING, Cell, cells_over, kind_of_motion


def test_three_experiments_end_in_claims_that_hold(tmp_path):
    tiny = {agreement: agreement.Config(states=5), conservation: conservation.Config(), shells: shells.Config(count=5)}
    for module, config in tiny.items():
        result = module.run(config, lambda words: None)
        for finding in module.claims(result):
            assert CRITERIA[finding.id].holds(finding.measured), finding
        assert all(path.stat().st_size > 1000 for path in module.figure(result, tmp_path))


def kind_of(times, roll):
    summary = roll_summary(times, roll)
    return kind_of_motion(*(summary[name][0] for name in ("beating", "capsized", "turned_over")))


def test_motions_are_told_apart():
    times = 0.01 * np.arange(1, 6001)
    slow, near = np.sin(2 * np.pi * 1.3 * times), np.sin(2 * np.pi * 1.45 * times)
    assert kind_of(times, 0.2 * slow) == FORCED
    assert kind_of(times, 0.2 * (slow + 0.7 * near)) == BEATING
    assert kind_of(times, 0.2 * (slow + np.sin(2 * np.pi * 2.1 * times))) == FORCED
    assert kind_of(times, 2.0 * slow) == CAPSIZING
    assert kind_of(times, 2.0 * (slow + near)) == OVERTURNING
    assert kind_of(times[:3], 0.2 * slow[:3]) == FORCED


def test_cells_of_a_sweep_stand_with_their_own_gait():
    """The largest roll of each cell equals that of a single run at its amplitude and frequency."""
    short = NatrixAfloat(duration=0.3, step=0.002)
    cells = cells_over(short, [0.1, 0.3], [1.2, 1.5, 1.7], lambda words: None)
    for cell in cells[1], cells[3]:
        run = replace(short, gait=Undulation(cell.amplitude, cell.frequency)).run()
        np.testing.assert_allclose(cell.largest, np.degrees(np.abs(run["roll"]).max()), rtol=1e-9)
    assert [(cell.amplitude, cell.frequency) for cell in cells[2:4]] == [(0.1, 1.7), (0.3, 1.2)]


def test_the_band_is_the_widest_unbroken_one():
    cells = [Cell(0.25, F, 1.0, roll, "") for F, roll in ((1.0, 95), (1.1, 10), (1.2, 91), (1.3, 200), (1.4, 20))]
    assert capsizing_band(cells, 90.0) == (1.2, 1.3)
    assert capsizing_band(cells, 300.0) is None


def test_a_batch_equals_single_runs():
    runs = [NatrixAfloat(duration=0.2, start_roll=seed) for seed in (0.01, 0.05)]
    batch = NatrixAfloat.batch(runs)
    single = [run.summary(run.run()) for run in runs]
    assert batch is not None
    for name, quantity in batch.items():
        wanted = [float(found[name].value) for found in single]
        np.testing.assert_allclose(quantity.value, wanted, rtol=1e-9, err_msg=name)
        assert quantity.unit == single[0][name].unit


def test_a_batch_in_moving_water_equals_single_runs_and_feels_the_water():
    """Lanes do not support hydrodynamics, so those cells run one by one."""
    still = NatrixAfloat(duration=1.0, step=0.002, start_roll=0.2)
    damped = [
        replace(still, world=WaterSurface(hydrodynamics=Hydrodynamics(roll_damping=c, added_mass=0.2)))
        for c in (0.01, 0.02)
    ]
    batch = NatrixAfloat.batch([still, *damped])
    assert batch is not None
    found = batch["roll_deviation"].value
    assert found[0] > 1.05 * found[1] > 1.05 * found[2]
    single = [np.degrees(run.run()["roll"].std()) for run in damped]
    np.testing.assert_allclose(found[1:], single, rtol=1e-9)


def test_a_batch_refuses_a_gait_beyond_a_joint_limit():
    with pytest.raises(InvalidValue, match="joint's limit"):
        NatrixAfloat.batch([NatrixAfloat(gait=Undulation(a, 1.3), duration=0.2) for a in (0.2, 3.0)])

"""Batched slithering compared with single runs, independent of the other lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import sweeps
from serpenoid.configuration import changed
from serpenoid.errors import InvalidValue
from serpenoid.robots.drives import PD, Prescribed
from serpenoid.scenarios.slither import TABLE_II, Slither

SHORT = Slither(duration=1.2, settle=0.4, step=0.002, sample_period=0.002, control_period=0.002)
NAMES = ("speed", "power", "cost_of_transport", "tracking_error")


def drawn(count, seed=0, base=SHORT):
    """Return scenarios with gaits and gains from the ranges of Table II."""
    rng = np.random.default_rng(seed)
    ranges = {
        "gait.frequency": (0.5, 5.0), "gait.amplitude": (0.3, 1.5), "gait.spatial_frequency": (0.3, 12.3),
        "gait.offset": (-0.1, 0.1), "robot.drive.stiffness": (0.1, 3.0), "robot.drive.damping": (0.05, 0.2),
    }  # fmt: skip
    return [changed(base, {name: float(rng.uniform(*ends)) for name, ends in ranges.items()}) for _ in range(count)]


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid", "box"])
def test_lanes_agree_with_single_runs(medium):
    scenarios = [changed(scenario, {"world.medium": medium, "sample_period": 0.02}) for scenario in drawn(5)]
    scenarios.append(changed(scenarios[0], {"robot.links": 40, "duration": 0.6}))
    scenarios.append(replace(scenarios[0], robot=replace(scenarios[0].robot, drive=Prescribed())))
    found = Slither.batch(scenarios)
    for i, scenario in enumerate(scenarios):
        alone = scenario.summary(scenario.run())
        for name in NAMES:
            assert found[name].value[i] == pytest.approx(alone[name].value, rel=1e-10)
    assert {name: found[name].unit for name in NAMES} == {name: alone[name].unit for name in NAMES}


def test_a_run_does_not_depend_on_its_place_or_neighbours():
    scenarios = drawn(130)
    together = Slither.batch(scenarios)
    order = np.random.default_rng(1).permutation(130)
    shuffled = Slither.batch([scenarios[i] for i in order])
    single = Slither.batch(scenarios[77:78])
    for name in NAMES:
        np.testing.assert_array_equal(shuffled[name].value, together[name].value[order])
        assert single[name].value[0] == together[name].value[77]


def test_snakes_and_planes_that_differ_are_run_apart():
    base = drawn(1)[0]
    changes = [
        {},
        {"robot.links": 4},
        {"robot.links": 40, "duration": 0.6},
        {"world.medium": "viscous"},
        {"duration": 0.8},
        {"robot.link_mass": 0.3},
    ]
    scenarios = [changed(base, change) for change in changes]
    scenarios.append(replace(base, robot=replace(base.robot, drive=Prescribed())))
    together = Slither.batch(scenarios)
    for i, scenario in enumerate(scenarios):
        assert together["speed"].value[i] == Slither.batch([scenario])["speed"].value[0]
    assert len(set(together["speed"].value)) == len(scenarios)


def test_diverged_and_refused_cells_say_so(tmp_path):
    base = replace(SHORT, robot=replace(SHORT.robot, drive=PD(torque_limit=1e9)))
    over = {"robot.drive.damping": [0.05, 1e6], "world.smoothing": [0.01, 1e-7]}
    found = sp.sweep(base, over, tmp_path / "map.zarr")
    assert found.speed.notnull().values.tolist() == [[True, False], [False, False]]
    reasons = {(f["robot.drive.damping"], f["world.smoothing"]): r for f, r in sweeps.failures(tmp_path / "map.zarr")}
    assert reasons[1e6, 0.01] == "simulation diverged"
    assert "smoothing = 1e-07: must be at least" in reasons[0.05, 1e-7]


def test_table_ii_sample_does_not_depend_on_chunks_and_repeats_phase_shifts(tmp_path):
    a = sp.sweep(SHORT, TABLE_II, tmp_path / "a.zarr", sample="random:200", chunk=64).load()
    b = sp.sweep(SHORT, TABLE_II, tmp_path / "b.zarr", sample="random:200", chunk=77).load()
    for name in NAMES:
        np.testing.assert_array_equal(a[name].values, b[name].values)
    over = {"gait.spatial_frequency": "-2pi:-16pi:36", "gait.frequency": "1,2"}
    found = sp.sweep(SHORT, over, tmp_path / "c.zarr").load()
    np.testing.assert_array_equal(found.speed.values[:16], found.speed.values[20:])
    assert len(np.unique(found.speed.values[:, 0])) == 20


@pytest.mark.parametrize("integral", [0.0, 5.0])
def test_sampled_lanes_agree_with_the_controller_in_the_loop(integral):
    # At 100 Hz the damping of Table II exceeds inertia / period: torques then chatter, and rounding errors grow.
    changes = {"control_period": 0.01, "sample_period": 0.01, "robot.drive.damping": 0.02}
    changes |= {"sampled": True, "integral": integral}
    scenarios = [changed(scenario, changes) for scenario in drawn(4)]
    continuous = Slither.batch([changed(scenario, {"sampled": False, "integral": 0.0}) for scenario in scenarios])
    found = Slither.batch(scenarios)
    for i, scenario in enumerate(scenarios):
        run = scenario.run()
        alone = scenario.summary(run)
        assert np.ptp(run["command_torque"], axis=0).min() > 0.01  # the controller acted
        for name in NAMES:
            assert found[name].value[i] == pytest.approx(alone[name].value, rel=1e-8)
    assert np.abs(found["power"].value / continuous["power"].value - 1.0).min() > 1e-4  # not the drive


@pytest.mark.parametrize(
    ("changes", "word"), [({"integral": 1.0}, "integral"), ({"sampled": True, "robot.drive": Prescribed()}, "drive")]
)
def test_sampled_control_needs_its_drive(changes, word):
    with pytest.raises(InvalidValue, match=word):
        changed(SHORT, changes)


def test_a_prescribed_gait_is_tracked_without_error():
    scenario = replace(SHORT, robot=replace(SHORT.robot, drive=Prescribed()))
    assert scenario.summary(scenario.run())["tracking_error"].value < 1e-12

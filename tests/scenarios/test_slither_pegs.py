"""Slithering among pegs: laws inside and outside the engine, cells of sweeps, repeats, stop rules."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.control import CentralPatternGenerator, JointAdmittance, OpenLoop, ShapeCompliance
from serpenoid.gaits import CompoundSerpenoid
from serpenoid.gaits.base import cycle_ticks
from serpenoid.robots import SeaSnake
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.scenarios.slither_pegs import SlitherPegs, first_targets, net_cycles, smooth_path_length
from serpenoid.sweeps.chunks import evaluate
from serpenoid.worlds import PegBoard

ROBOT = SeaSnake()


def asked_tick_by_tick(monkeypatch, scenario):
    with monkeypatch.context() as patch:
        patch.setattr(SimulatedPlant, "can_fuse", lambda plant, law: False)
        return scenario.run()


LAWS = [OpenLoop(), ShapeCompliance(), JointAdmittance(), CentralPatternGenerator()]


@pytest.mark.parametrize("controller", LAWS, ids=lambda law: type(law).__name__)
def test_a_law_does_the_same_inside_the_engine_and_asked_from_outside(monkeypatch, controller):
    scenario = SlitherPegs(world=PegBoard(seed=2), controller=controller, duration=1.0)
    inside, outside = scenario.run(), asked_tick_by_tick(monkeypatch, scenario)
    assert list(inside.variables) == list(outside.variables) and np.array_equal(inside.times, outside.times)
    assert np.nanmax(inside["touch_slip"]) > 0.0
    for name in ("joint_position", "base_pose", "command_position"):
        np.testing.assert_allclose(inside[name], outside[name], atol=1e-12, rtol=1e-12, err_msg=name)
    torques = inside["joint_torque"], outside["joint_torque"]  # 30 N m per radian
    np.testing.assert_allclose(*torques, atol=30e-12)


def test_torque_and_power_do_not_depend_on_the_samples():
    """Check power with targets that jump at every tick; instantaneous samples gave twice the true power."""
    law, board = ShapeCompliance.presets()["slithering_aw"](), PegBoard(density=20.0, seed=5)
    scenarios = [SlitherPegs(world=board, controller=law, duration=1.0, sample_period=p) for p in (0.05, 0.01, 0.001)]
    runs = [scenario.run() for scenario in scenarios]
    tables = [scenario.summary(run) for scenario, run in zip(scenarios, runs)]
    for run, table in zip(runs, tables):
        assert run["power"][1:].mean() == pytest.approx(table["power"].value, rel=1e-9)
        assert run["power_drive"][1:].mean() == pytest.approx(run["work_drive"][-1], rel=1e-9)
        assert table["power"].value == pytest.approx(tables[0]["power"].value, rel=1e-9)
        assert table["torque_rms"].value == pytest.approx(tables[0]["torque_rms"].value, rel=1e-9)


def test_laws_begin_with_their_wave_at_the_phase_that_is_drawn():
    """Return A sin(Omega s - phase), with s in modules from the first joint, or for gaits in body lengths from the
    snout."""
    gait = CompoundSerpenoid(0.25 * np.pi, frequency=1.8 / (2.0 * np.pi))
    for phase in (0.0, 0.7, 4.0):
        for law in (*LAWS, OpenLoop(gait)):
            started, is_gait = law.from_phase(phase), isinstance(law, OpenLoop)
            s = np.array(ROBOT.arc_positions)[::2] / ROBOT.length if is_gait else np.arange(0, 18, 2) / 18
            wanted = 0.25 * np.pi * np.sin(3.0 * np.pi * s - phase)
            angles = first_targets(started, ROBOT, 0.01)[::2]
            np.testing.assert_allclose(angles, wanted, atol=1e-9, err_msg=type(law).__name__)
            assert started.phase_rate(ROBOT) == pytest.approx(1.8)


@pytest.fixture(scope="module")
def run():
    return SlitherPegs(world=PegBoard(seed=5), duration=20.0).run()


def test_a_run_that_leaves_the_board_stops_there(run):
    assert run.attributes["stopped"] and run.times[-1] < 20.0
    scenario = SlitherPegs(world=PegBoard(seed=5), duration=20.0)
    front = run["link_pose"][-1, :9, :2]
    low, high = np.array(scenario.stop().low), np.array(scenario.stop().high)
    beyond = np.maximum(low - front, front - high).max(axis=1)
    assert (beyond > -0.05).all()  # the last sample may be up to 50 ms older than the stop
    assert scenario.summary(run)["out"].value is True


def test_a_run_that_was_broken_off_is_not_out(run):
    broken = copy(run)
    broken.attributes = {**run.attributes, "complete": False}
    assert SlitherPegs(world=PegBoard(seed=5), duration=20.0).summary(broken)["out"].value is False


def test_repeats_and_streams_have_the_same_bits(run):
    again = sp.repeat(run)
    parts = SlitherPegs(world=PegBoard(seed=5)).parts()
    stream = sp.stream(
        *parts, 1.0, initial=SlitherPegs(world=PegBoard(seed=5)).initial(), engine="pegs", sample_period=0.05
    )
    streamed = [sample.state for sample in stream]
    for name in run.variables:
        np.testing.assert_array_equal(again[name], run[name], err_msg=name)
    np.testing.assert_array_equal(stream.trajectory()["base_pose"][:20], run["base_pose"][:20])
    assert len(streamed) == 21


def test_a_cell_of_a_sweep_is_the_single_run(run):
    scenario = SlitherPegs(world=PegBoard(seed=5), duration=20.0)
    cell = evaluate([scenario], {})[0]
    assert cell == {name: float(quantity.value) for name, quantity in scenario.summary(run).items()}


def test_the_way_is_that_of_the_smoothed_place():
    t = np.linspace(0.0, 10.0, 1001)
    wobble = np.stack([0.2 * t, 0.05 * np.sin(2 * np.pi * t)], axis=1)
    assert smooth_path_length(wobble, 100)[-1] == pytest.approx(2.0, rel=0.03)
    assert smooth_path_length(np.stack([0.2 * t, 0.0 * t], axis=1), 7)[-1] == pytest.approx(2.0)


@pytest.mark.parametrize("rate, ticks", [(np.pi, 200), (-np.pi, 200), (0.0, 1), (1e9, 1), (5e-324, 628_318_530_718)])
def test_a_cycle_is_a_number_of_samples_at_any_rate(rate, ticks):
    """A cycle longer than the run smooths over the whole run, and has no net displacement."""
    assert cycle_ticks(rate, 0.01) == ticks
    place = np.stack([np.linspace(0.0, 1.0, 50)] * 2, axis=1)
    assert smooth_path_length(place, ticks)[-1] == pytest.approx(np.sqrt(2.0))
    assert np.isnan(net_cycles(place, ticks)) == (ticks > 50)


def test_a_start_that_is_scattered_into_a_peg_names_the_scatter():
    with refused("scatter"):
        SlitherPegs(scatter=0.1, duration=0.1).run()

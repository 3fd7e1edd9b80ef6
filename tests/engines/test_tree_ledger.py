"""Work integrals of trees: energies change by their sum, for any command and at any sample period."""

from dataclasses import replace

import numpy as np
import pytest
from runs import moments_of

import serpenoid as sp
from serpenoid.control.roll import RollStabiliser
from serpenoid.engines.base import Initial
from serpenoid.gaits import JointTrajectory, Undulation
from serpenoid.robots import Body, BodyTree, MovingFrameChain, Natrix
from serpenoid.robots.drives import PD, SeriesElastic
from serpenoid.worlds import FreeSpace, WaterSurface
from serpenoid.worlds.water import Hydrodynamics

GAIT = Undulation(amplitude=0.3, frequency=1.2)
FLOW = Hydrodynamics(
    added_mass=0.6, added_roll_inertia=2e-3, linear_drag=3.0, quadratic_drag=1.0, longitudinal_drag=0.2,
    wave_damping=2.0, roll_damping=0.01,
)  # fmt: skip
CURL = JointTrajectory((0.0, 0.7), ((), (0.5,) * 5))
SPIN = Initial(base_twist=(0.1, 0.2, 0.0, 1.0, 0.5, -0.7))
DRIVEN = Natrix(drive=PD(stiffness=5.0, damping=0.1))
ELASTIC = Natrix(drive=SeriesElastic())
ROUGH = BodyTree((
    Body("trunk", mass=1.0, center=(0.1, 0.0, 0.02), inertia=(0.02, 0.03, 0.04, 0.001, -0.002, 0.003)),
    Body("arm", "trunk", (0.2, 0.1, 0.0), (0.5, 0.5, -0.5, 0.5), (0.6, 0.0, 0.8), 0.5, (0.1, 0.0, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0), damping=0.03, armature=0.002),
    Body("leg", "arm", (-0.2, 0.1, 0.0), (0.8, 0.0, 0.6, 0.0), (0.0, 1.0, 0.0), 0.5, (0.1, 0.2, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0), damping=0.01, armature=0.001),
))  # fmt: skip
ROUGH_CURL = JointTrajectory((0.0, 0.7), ((), (0.5, -0.8)))
CASES = {
    "free": (Natrix(), FreeSpace(), GAIT, SPIN),
    "falling": (Natrix(), FreeSpace(gravity=True), GAIT, SPIN),
    "afloat": (Natrix(), WaterSurface(), GAIT, Initial()),
    "swimming": (Natrix(), WaterSurface(hydrodynamics=FLOW), GAIT, Initial()),
    "stabilised": (Natrix(), WaterSurface(), RollStabiliser(gait=GAIT), Initial()),
    "driven": (DRIVEN, FreeSpace(gravity=True), GAIT, SPIN),
    "driven afloat": (DRIVEN, WaterSurface(), GAIT, Initial()),
    "driven swimming": (DRIVEN, WaterSurface(hydrodynamics=FLOW), GAIT, Initial()),
    "elastic": (ELASTIC, FreeSpace(gravity=True), GAIT, SPIN),
    "elastic swimming": (ELASTIC, WaterSurface(hydrodynamics=FLOW), GAIT, Initial()),
    "rough": (ROUGH, FreeSpace(gravity=True), ROUGH_CURL, SPIN),
    "rough and driven": (replace(ROUGH, drive=PD()), FreeSpace(gravity=True), ROUGH_CURL, SPIN),
    "held": (MovingFrameChain(5), FreeSpace(gravity=True), CURL, Initial()),
    "held and driven": (MovingFrameChain(5, drive=PD()), FreeSpace(gravity=True), CURL, Initial()),
}
WORKS = ("work_drive", "work_medium", "work_damping", "work_external")


def residual(run):
    """Largest difference between energies gained and works done, over the work that passed [-]."""
    stored = sum(run[name] for name in run.variables if name.startswith("energy_"))
    work = sum(run[name] for name in WORKS)
    passed = run["work_absolute"][-1] + np.abs(run["work_medium"][-1])
    return np.abs(stored - stored[0] - work + work[0]).max() / passed


@pytest.mark.parametrize("case", CASES)
def test_the_ledger_closes_at_any_sample_period(case):
    robot, world, controller, initial = CASES[case]
    runs = [
        sp.simulate(robot, world, controller, 1.0, initial=initial, sample_period=period)
        for period in (0.001, 0.01, 0.05)
    ]
    for run in runs:
        assert run["work_absolute"][-1] > 1e-3
        assert residual(run) < 1e-6
    ends = np.array([[run[name][-1] for name in (*WORKS, "work_absolute")] for run in runs])
    np.testing.assert_allclose(ends, np.broadcast_to(ends[0], ends.shape), atol=1e-10)


def test_water_that_only_carries_takes_nothing_and_drag_takes_always():
    still, moving = (sp.simulate(Natrix(), CASES[case][1], GAIT, 1.0) for case in ("afloat", "swimming"))
    assert np.abs(still["work_medium"]).max() < 1e-6 * still["work_absolute"][-1]
    assert np.all(np.diff(moving["work_medium"]) < 0.0)


def test_friction_in_the_joints_takes_always():
    for case in ("rough", "rough and driven", "elastic"):
        robot, world, controller, initial = CASES[case]
        assert np.all(np.diff(sp.simulate(robot, world, controller, 0.5, initial=initial)["work_damping"]) < 0.0)


def test_works_are_the_integrals_of_powers():
    _, run = moments_of(Natrix(), FreeSpace(gravity=True), GAIT, 1.0, sample_period=0.001, initial=SPIN)
    works = (("work_drive", "power_drive"), ("work_absolute", "power"), ("joint_impulse", "joint_torque"))
    for work, power in works:
        rate = run[power]
        integral = np.cumsum(0.5e-3 * (rate[1:] + rate[:-1]), axis=0)
        assert np.abs(run[work][1:] - integral).max() < 2e-4 * np.abs(integral).max()


def test_a_jump_of_the_joint_rates_is_work_of_the_drive():
    """Ramps that begin and end at odd times, between the steps."""
    gait = JointTrajectory((0.10037, 0.50041), ((), (0.5,) * 14))
    run = sp.simulate(Natrix(), FreeSpace(), gait, 1.0, initial=SPIN)
    assert residual(run) < 1e-6

"""Work integrals of planar runs: energies change by their sum, for any command and at any sample period."""

import numpy as np
import pytest
from runs import moments_of

from serpenoid import analysis
from serpenoid.control.base import Command
from serpenoid.engines import find_engine
from serpenoid.engines.base import NO_DRAWS, Initial, Log
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PD, PlanarSnake, Prescribed, SeriesElastic
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace, Plane
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels

WORLDS = {
    "free": FreeSpace(), **{medium: Plane(medium=medium) for medium in ("box", "dry", "viscous", "fluid")},
    "printed": Plane(medium="fluid", added_mass_velocity_terms=False),
}  # fmt: skip
STEP = 2.5e-4  # RK4 limits the energy balance: at 1 ms jumps of a stiff drive leave 5e-5


def gap_in_the_books(variables):
    """Largest difference between the change of energy and the work done, as a share of what passed."""
    stored = sum(part for name, part in variables.items() if name.startswith("energy_"))
    kinds = [name for name in variables if name.startswith("work_") and name != "work_absolute"]
    work = sum(variables[name] for name in kinds)
    passed = max(np.abs(variables[name]).max() for name in (*kinds, "work_absolute"))
    return np.abs(stored - stored[0] - (work - work[0])).max() / max(passed, stored.max())


def random_command(rng, drive, joints):
    """A jump: of torque, of the angle asked for, or of both."""
    command = Command.empty(joints)
    if not isinstance(drive, Prescribed) and rng.random() < 0.7:
        command = command._replace(torque=rng.uniform(-0.3, 0.3, joints))
    if isinstance(drive, Prescribed) or rng.random() < 0.7:
        command = command._replace(position=rng.uniform(-0.4, 0.4, joints))
    return command


def led_by_jumps(engine, periods, control, sample, wrenches=None, seed=1, **given):
    """Variables of a run under commands that jump every `control` steps, sampled every `sample` steps."""
    rng, joints = np.random.default_rng(seed), engine.robot.joints
    state, states, commands = engine.initial(Initial(**given), None, NO_DRAWS), [], []
    command, steps = Command.empty(joints), int(np.gcd(control, sample))
    for first in range(0, periods * control + 1, steps):
        if first % control == 0:
            command = random_command(rng, engine.robot.drive, joints)
        if first % sample == 0:
            states.append(state)
            commands.append(command)
        state = engine.advance(first, state, command, steps, wrenches)
    held = Command(*(np.array(part) for part in zip(*commands)))
    samples = None if wrenches is None else np.repeat(wrenches[None], len(states), axis=0)
    return engine.variables(Log(sample * engine.step * np.arange(len(states)), np.array(states), held, samples))


@pytest.mark.parametrize("sample", [0.002, 0.05])
@pytest.mark.parametrize("drive", [PD(), Prescribed(), SeriesElastic()])
@pytest.mark.parametrize("world", WORLDS)
def test_the_ledger_closes_under_jumps(world, drive, sample):
    robot = PlanarSnake(drive=drive, joint_damping=0.005)
    engine = find_engine(robot, WORLDS[world])(robot, WORLDS[world], STEP)
    found = led_by_jumps(engine, 50, round(0.01 / STEP), round(sample / STEP))
    assert gap_in_the_books(found) < 1e-6
    assert found["work_damping"][-1] < 0.0 and np.all(np.diff(found["work_absolute"]) >= 0.0)
    if world not in ("free", "printed"):
        assert np.all(np.diff(found["work_medium"]) <= 0.0) and found["work_medium"][-1] < 0.0


def test_the_gap_shrinks_with_the_fourth_power_of_the_step():
    gaps = []
    for step in (1e-3, 5e-4):
        engine = find_engine(PlanarSnake(), Plane())(PlanarSnake(), Plane(), step)
        gaps.append(gap_in_the_books(led_by_jumps(engine, 50, round(0.01 / step), round(0.05 / step))))
    assert 12.0 < gaps[0] / gaps[1] < 20.0


@pytest.mark.parametrize("drive", [PD(), Prescribed(), SeriesElastic()])
def test_the_ledger_of_a_gait_and_what_analysis_says_of_it(drive):
    run = simulate(PlanarSnake(drive=drive), Plane(), Serpenoid(), 2.0, step=STEP, sample_period=0.05)
    assert gap_in_the_books({name: run[name] for name in run.variables}) < 1e-6
    assert analysis.energy_residual(run) < 1e-6
    balance = analysis.energy_balance(run, 0.5, 1.5)
    assert balance.residual < 1e-6 and balance.dissipated > 0.0
    assert analysis.power(run) == pytest.approx(run["work_absolute"][-1] / 2.0, rel=1e-12)


def test_accounts_are_the_integrals_of_the_powers():
    times, found = moments_of(PlanarSnake(), Plane(medium="viscous"), Serpenoid(), 1.0, sample_period=0.001)
    for account, rate in (
        ("work_drive", "power_drive"), ("work_medium", "power_medium"), ("work_damping", "power_damping"),
        ("work_absolute", "power"), ("joint_impulse", "joint_torque"),
    ):  # fmt: skip
        integral = np.trapezoid(found[rate], times, axis=0)
        assert found[account][-1] == pytest.approx(integral, rel=2e-4, abs=1e-6), account


@pytest.mark.parametrize("wheels", ["none", "friction", "ideal"])
@pytest.mark.parametrize("drive", [PD(torque_limit=10.0), SeriesElastic()])
def test_the_ledger_of_a_push_closes_under_jumps(wheels, drive):
    robot = PlanarSnake(3, 0.15, 1.0, 0.002, joint_damping=0.001, drive=drive)
    floor = PushingFloor(PushedObject(5.0, friction=0.001), Wheels(wheels, 0.05), Contact(), gap=0.004)
    engine = find_engine(robot, floor)(robot, floor, STEP)
    pushed = np.zeros((3, 6))
    pushed[1] = (0.3, 0.1, 0.0, 0.0, 0.0, 0.02)
    control = round(0.01 / engine.step)
    found = led_by_jumps(engine, 40, control, control, pushed, joint_position=(-1.2, -1.0))
    assert found["contact_force"].max() > 0.0 and found["work_impacts"][-1] < 0.0
    assert gap_in_the_books(found) < 1e-6

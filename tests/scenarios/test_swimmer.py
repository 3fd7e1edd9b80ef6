"""Gymnasium's swimmer on our kernels, against MuJoCo's own steps."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from refusals import refused

from serpenoid.analysis import energy_residual
from serpenoid.control.base import Command
from serpenoid.engines import find_engine
from serpenoid.engines.base import Initial
from serpenoid.scenarios.swimmer import BOX_LENGTH, BOX_WIDTH, FLUID, RAIL_POINT, RANGE, SWIMMER, Swim

gymnasium = pytest.importorskip("gymnasium")
MODEL = Path(gymnasium.__file__).parent / "envs/mujoco/assets/swimmer.xml"


def head_of(qpos, qvel):
    """Return pose and twist of the head's front end for positions and velocities of MuJoCo's model."""
    heading = qpos[2] + np.pi
    along, across = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    place, speed = qpos[:2] - RAIL_POINT * along, qvel[:2] - RAIL_POINT * qvel[2] * across
    pose = (*place, 0.0, np.cos(0.5 * heading), 0.0, 0.0, np.sin(0.5 * heading))
    return Initial(
        joint_position=tuple(qpos[3:]), joint_velocity=tuple(qvel[3:]), base_pose=pose,
        base_twist=(speed @ along, speed @ across, 0.0, 0.0, 0.0, qvel[2]),
    )  # fmt: skip


def state_of(engine, data):
    """Return our state at MuJoCo's positions and velocities."""
    return engine.initial(head_of(data.qpos, data.qvel), None, np.random.default_rng(0))


@pytest.mark.parametrize("reach, speed", [(1.7, 1.0), (1.9, 4.0)], ids=["within the range", "at the stops"])
def test_steps_agree_with_mujoco(reach, speed):
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    data, rng = mujoco.MjData(model), np.random.default_rng(7)
    engine, beyond, worst = find_engine(SWIMMER, FLUID)(SWIMMER, FLUID, 0.01), 0, 0.0
    for _ in range(5):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = rng.uniform(-reach, reach, 5), rng.uniform(-speed, speed, 5)
        state = state_of(engine, data)
        for number in range(100):
            data.ctrl[:] = rng.uniform(-1.0, 1.0, 2)
            mujoco.mj_step(model, data)
            state = engine.advance(number, state, Command.empty(2)._replace(torque=150.0 * data.ctrl), 1)
            beyond += int(np.abs(data.qpos[3:]).max() > RANGE)
            turns = state[2] - (data.qpos[2] + np.pi)
            state[2] -= 2.0 * np.pi * round(turns / (2.0 * np.pi))  # quaternions lose whole turns
            wanted = state_of(engine, data)
            wanted[2] = data.qpos[2] + np.pi
            worst = max(worst, np.abs(wanted - state)[:10].max())
    assert worst < 1e-9
    assert beyond > 0 or speed == 1.0


def test_boxes_are_those_of_mujoco():
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    along, across = model.body_inertia[1].min(), model.body_inertia[1].max()
    assert pytest.approx(np.sqrt(6.0 * (2.0 * across - along) / model.body_mass[1])) == BOX_LENGTH
    assert pytest.approx(np.sqrt(6.0 * along / model.body_mass[1])) == BOX_WIDTH


def test_the_swimmer_swims_and_its_energy_balance_closes_at_a_finer_step():
    run = Swim(duration=4.0, step=0.001, control_period=0.04).run()
    assert np.ptp(run["center_of_mass"][:, 0]) > 0.2
    assert energy_residual(run) < 3e-5


def test_a_negative_viscosity_is_refused():
    with refused("viscosity"):
        type(FLUID)(medium="inertia_box", viscosity=-1.0)

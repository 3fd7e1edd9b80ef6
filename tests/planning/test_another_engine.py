"""The planner closed round MuJoCo's model of the same snake: it survives physics that is not its own."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import serpenoid as sp
from serpenoid.kernels.planar.chain import forward_dynamics, planar_model, planar_work
from serpenoid.planning.estimators import chain_state
from serpenoid_papers.mpc_gaits.another_engine import ROBOT, MujocoSnake, mujoco_speed


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_mujoco_under_our_forces_has_our_accelerations(medium):
    """The model itself, apart from the step: MuJoCo's accelerations of the joints under the forces per link."""
    world = sp.worlds.Plane(medium)
    snake, rng = MujocoSnake(world, "Euler"), np.random.default_rng(5)
    snake.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP  # joint friction explicit, as in our forces
    model = planar_model(snake.chain, world.medium_record(snake.chain))
    for _ in range(10):
        snake.data.qpos[:], snake.data.qvel[:] = rng.normal(size=7), rng.normal(size=7)
        torque = rng.uniform(-0.9, 0.9, ROBOT.joints)
        seen = snake.observation()
        state = chain_state(model, np.arange(ROBOT.joints), seen, seen.truth)
        snake.integrate(torque)
        ours = np.empty(ROBOT.links + 2)
        forward_dynamics(model, planar_work(ROBOT.links), state, torque, ours)
        np.testing.assert_allclose(snake.data.qacc[2:], ours[2:], rtol=1e-6, atol=1e-6 * np.abs(ours).max())


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_it_still_moves(medium):
    """The speed agrees within a tenth where the integrator is as good as ours; slower where it is of first order."""
    world = sp.worlds.Plane(medium)
    controller = sp.planning.RecedingHorizon(sp.planning.Problem(ROBOT, world))
    ours = sp.analysis.speed(sp.simulate(ROBOT, world, controller, 2.0), 1.0)
    assert mujoco_speed(world, 2.0, "RK4") == pytest.approx(ours, rel=0.1)
    assert mujoco_speed(world, 2.0, "implicitfast") > 0.5 * ours

"""Planar chain against MuJoCo and Pinocchio, and its rollouts in lanes against single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Serpenoid
from serpenoid.kernels.accounts import ACCOUNTS, PER_JOINT
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.batch import WaveRuns, wave_rollouts
from serpenoid.kernels.planar.chain import PlanarModel, forward_dynamics, planar_model, planar_work
from serpenoid.kernels.planar.derivatives import forward_derivatives
from serpenoid.kernels.planar.slopes import planar_tangent
from serpenoid.kernels.planar.step import driven_rollout
from serpenoid.kernels.records import Actuation
from serpenoid.robots import PD, PlanarSnake
from serpenoid.robots.export import mujoco_model, urdf
from serpenoid.worlds import FreeSpace, Plane
from serpenoid_papers.benchmarks.base import Row, time_interleaved

STEPS = 64  # steps or states per compiled call
RUNS, ROLLOUT = 128, 20  # runs in lanes and their steps


def rows() -> Iterator[Row]:
    """Yield ours as a rollout calls it, many steps in one compiled call; the peers by their own fastest call."""
    yield from dynamics_rows()
    yield from lane_rows()


def dynamics_rows() -> Iterator[Row]:
    """Yield one step and one set of derivatives of a free 5-link chain."""
    robot = PlanarSnake(joint_damping=0.0)
    calls: dict[str, Callable[[], Any]] = {"step": steps_of(robot), "derivatives": derivatives_of(robot)}
    calls |= mujoco_step(robot) | pinocchio_calls(robot)
    times = time_interleaved(calls)
    step, derivatives = times["step"] / STEPS, times["derivatives"] / STEPS
    for peer, name in (("mj_step", "MuJoCo mj_step (Euler)"), ("aba", "Pinocchio aba")):
        if peer in times:
            yield Row("planar 5-link forward-dynamics step", step, name, times[peer], "5")
    if "aba_derivatives" in times:
        theirs = times["aba_derivatives"]
        yield Row("planar 5-link derivatives per knot", derivatives, "Pinocchio computeABADerivatives", theirs, "4")


def lane_rows() -> Iterator[Row]:
    """Yield one RK4 step with PD and dry friction: in lanes, one at a time, and by MuJoCo (RK4, no friction)."""
    robot = PlanarSnake()
    chain = robot.chain()
    model = planar_model(chain, Plane().medium_record(chain))
    runs, starts = wave_runs(robot), np.zeros((RUNS, 2 * (robot.links + 2)))
    leading = Actuation(Serpenoid().motion(robot), PD().record(robot.joints), np.zeros(robot.joints))
    none, start = np.zeros((0, 3)), np.zeros(starts.shape[1] + PER_JOINT * robot.joints + ACCOUNTS)
    calls: dict[str, Callable[[], Any]] = {
        "lanes": lambda: wave_rollouts(model, runs, starts, 0.002, ROLLOUT, ROLLOUT),
        "single": lambda: driven_rollout(model, leading, none, start, 0, 0.002, 20 * ROLLOUT, 20 * ROLLOUT),
    } | mujoco_rollout(robot)
    times = time_interleaved(calls)
    lanes, name = times["lanes"] / (RUNS * ROLLOUT), "planar RK4 step, PD and dry friction, in lanes"
    yield Row(name, lanes, "the same one at a time", times["single"] / (20 * ROLLOUT), "5")
    yield Row(name, lanes, "mujoco.rollout (RK4, no friction)", times["rollout"] / (RUNS * ROLLOUT), "30")


def wave_runs(robot: PlanarSnake) -> WaveRuns:
    """Return serpenoid runs of many frequencies and amplitudes."""
    random = np.random.default_rng(3)
    ones = np.ones((RUNS, robot.joints))
    shift = random.uniform(np.pi, 2.0 * np.pi, (RUNS, 1)) * np.arange(robot.joints)
    return WaveRuns(
        2.0 * np.pi * random.uniform(0.5, 5.0, RUNS), np.zeros(RUNS), 0.0 * ones,
        random.uniform(0.3, 1.0, (RUNS, 1)) * ones, shift, 2.0 * ones, 0.1 * ones, ones,
    )  # fmt: skip


def steps_of(robot: PlanarSnake) -> Callable[[], Any]:
    """Return a call that makes STEPS steps of a free chain."""
    chain = robot.chain()
    model, work = planar_model(chain, FreeSpace().medium_record(chain)), planar_work(robot.links)
    state = np.random.default_rng(1).normal(0.0, 0.3, 2 * (robot.links + 2))
    acceleration, torque = np.empty(robot.links + 2), np.zeros(robot.joints)
    return lambda: euler_steps(model, work, state.copy(), torque, acceleration)


@kernel
def euler_steps(model: PlanarModel, work: Any, state: NDArray, torque: NDArray, acceleration: NDArray) -> None:
    """Make STEPS semi-implicit Euler steps of 1 ms."""
    half = acceleration.size
    for _ in range(STEPS):
        forward_dynamics(model, work, state, torque, acceleration)
        for i in range(half):
            state[half + i] += 0.001 * acceleration[i]
            state[i] += 0.001 * state[half + i]


def derivatives_of(robot: PlanarSnake) -> Callable[[], Any]:
    """Return a call that differentiates the accelerations at STEPS states."""
    chain = robot.chain()
    model, work = planar_model(chain, FreeSpace().medium_record(chain)), planar_work(robot.links)
    half = robot.links + 2
    states = np.random.default_rng(2).normal(size=(STEPS, 2 * half))
    out = np.empty(half), np.empty((half, 2 * half)), np.empty((half, robot.joints))
    tangent, torque = planar_tangent(robot.links), np.zeros(robot.joints)
    return lambda: many_derivatives(model, work, tangent, states, torque, out)


@kernel
def many_derivatives(
    model: PlanarModel, work: Any, tangent: Any, states: NDArray, torque: NDArray, out: tuple[NDArray, NDArray, NDArray]
) -> None:
    """Compute the derivatives at every state."""
    for i in range(states.shape[0]):
        forward_derivatives(model, work, tangent, states[i], torque, out[0], out[1], out[2])


def mujoco_step(robot: PlanarSnake) -> dict[str, Callable[[], Any]]:
    """Return a call of mj_step on the exported chain, by Euler, without contacts."""
    import mujoco

    model = mujoco_model(robot, integrator="Euler")
    data = mujoco.MjData(model)
    data.qvel[:] = 0.1
    return {"mj_step": lambda: mujoco.mj_step(model, data)}


def mujoco_rollout(robot: PlanarSnake) -> dict[str, Callable[[], Any]]:
    """Return rollouts of the exported chain in one thread, from slightly bent states at rest."""
    import mujoco
    from mujoco import rollout

    model = mujoco_model(robot)
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((RUNS, size))
    start[:, 1:] = 0.1
    return {"rollout": lambda: rollout.rollout(model, data, start, nstep=ROLLOUT)}


def pinocchio_calls(robot: PlanarSnake) -> dict[str, Callable[[], Any]]:
    """Return aba and its derivatives of the exported chain; empty if Pinocchio is not installed."""
    try:
        import pinocchio
    except ImportError:
        return {}
    model = pinocchio.buildModelFromXML(urdf(robot))
    model.gravity = pinocchio.Motion.Zero()
    data = model.createData()
    q, v, tau = np.random.default_rng(1).normal(size=(3, model.nv))
    return {
        "aba": lambda: pinocchio.aba(model, data, q, v, tau),
        "aba_derivatives": lambda: pinocchio.computeABADerivatives(model, data, q, v, tau),
    }

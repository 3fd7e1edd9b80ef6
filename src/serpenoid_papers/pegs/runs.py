"""Runs of slither-pegs by three solvers with equal measures: our step, its slow reference, MuJoCo's planar model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import NO_DRAWS
from serpenoid.engines.peg_record import piece_motion
from serpenoid.engines.pegs import PegEngine
from serpenoid.engines.planar_record import poses
from serpenoid.errors import Unsupported
from serpenoid.kernels.laws.fused_run import Course
from serpenoid.kernels.laws.tick import Sensed, law_tick
from serpenoid.kernels.planar.chain import planar_model as dense_model
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds.free import FreeSpace
from serpenoid_papers.references.peg_peer import coordinates, place_state, planar_model, torque_ranges
from serpenoid_papers.references.peg_steps import Outside, Twin, twin_rollout

if TYPE_CHECKING:
    import mujoco

NO_IMU = np.zeros((0, 3))


def ready(scenario: SlitherPegs) -> tuple[PegEngine, NDArray, Any]:
    """Return engine, state and law at the start of a run."""
    robot, world, controller = scenario.parts()
    engine = PegEngine(robot, world, scenario.step)
    law: Any = controller.start(robot, scenario.control_period, NO_DRAWS)  # type: ignore[union-attr]
    return engine, engine.initial(scenario.initial(), None, NO_DRAWS), law


def rule_on(engine: PegEngine, stop: LeaveArea | None) -> Outside:
    """Return the rule that ends a run as points of the rigid pieces."""
    if stop is None:
        return Outside(low_x=0.0, low_y=0.0, high_x=0.0, high_y=0.0, piece=np.zeros(0, np.int64), place=np.zeros(0))
    frames = engine.body.frames
    piece, place = frames.piece[: stop.links].copy(), frames.front[: stop.links].copy()
    (west, south), (east, north) = (map(float, corner) for corner in (stop.low, stop.high))
    return Outside(low_x=west, low_y=south, high_x=east, high_y=north, piece=piece, place=place)


def by_twin(scenario: SlitherPegs, step: float, turned: float = 0.0) -> dict[str, Quantity]:
    """Measure a run of the slow reference with its own step [s]; its start may be rotated [rad]."""
    engine, state, law = ready(scenario)
    state[engine.layout["heading"]] += turned
    nodes, _ = twin_rollout(
        twin_of(engine), law.record, law.memory, rule_on(engine, scenario.stop()), engine.moving, law.target,
        by_center(engine, state), course_of(scenario, step),
    )  # fmt: skip
    return measure_nodes(scenario, engine, nodes)


def twin_of(engine: PegEngine) -> Twin:
    """Return the slow reference of an engine."""
    if len(engine.world.walls):
        raise Unsupported("walls: must be none for the slow reference, which has only pegs")
    chain = engine.scene.chain
    return Twin(engine.scene, dense_model(chain, FreeSpace().medium_record(chain)), engine.gains)


def by_center(engine: PegEngine, state: NDArray) -> NDArray:
    """Convert a state of the engine to coordinates of the centre of mass, 2 (n + 2) numbers."""
    return engine.chain_state(state)[: 2 * (engine.scene.chain.mass.size + 2)].copy()


def course_of(scenario: SlitherPegs, step: float) -> Course:
    """Return the times of samples and of calls of the law, for a step [s] other than the scenario's."""
    per_tick, every = round(scenario.control_period / step), round(scenario.sample_period / step)
    return Course(0, step, per_tick, int(scenario.duration / scenario.control_period + 1e-6), every)


def by_mujoco(scenario: SlitherPegs, stiff: bool) -> dict[str, Quantity]:
    """Measure a run of the planar model in MuJoCo, with stiff or default contacts."""
    engine, state, law = ready(scenario)
    model, rule = planar_model(engine, stiff), rule_on(engine, scenario.stop())
    data, at = place_state(model, engine, state), coordinates(model)
    course = course_of(scenario, scenario.step)
    every, reading, nodes = course.every // course.per_tick, np.zeros((3, engine.robot.joints)), []
    for tick in range(course.ticks):
        if tick % every == 0:
            nodes.append(nodes_of(engine, data.qpos[at]))
        reading[0, engine.moving], reading[1, engine.moving] = data.qpos[at[3:]], data.qvel[at[3:]]
        reading[2, engine.moving] = drive_torques(engine, data, at[3:]) if tick else 0.0
        seen = Sensed(tick * scenario.control_period, reading[0], reading[1], reading[2], NO_IMU, NO_IMU)
        law_tick(law.record, law.memory, seen, law.target)
        data.ctrl[:] = law.target[engine.moving]
        carry(engine, model, data, at[3:], course.per_tick)
        here = nodes_of(engine, data.qpos[at])
        stopped = outside(here, rule)
        if (tick + 1) % every == 0 and (stopped or tick == course.ticks - 1):
            nodes.append(here)
        if stopped:
            break
    return measure_nodes(scenario, engine, np.array(nodes))


def carry(engine: PegEngine, model: mujoco.MjModel, data: mujoco.MjData, joints: NDArray, steps: int) -> None:
    """Advance MuJoCo with drives whose torque fades towards their top speed."""
    import mujoco

    for _ in range(steps):
        model.actuator_forcerange[:] = torque_ranges(engine, data.qvel[joints])
        mujoco.mj_step(model, data)


def drive_torques(engine: PegEngine, data: Any, joints: NDArray) -> NDArray:
    """Return the torques of the drives for the current targets, (joints,) [N m]."""
    gains, rates = engine.gains, data.qvel[joints]
    wanted = gains.stiffness * (data.ctrl - data.qpos[joints]) - gains.damping * rates
    return np.clip(wanted, *torque_ranges(engine, rates).T)


def nodes_of(engine: PegEngine, place: NDArray) -> NDArray:
    """Return x, y, angle of the pieces' front ends (n, 6), rates 0, from head, heading and joint angles."""
    angle = np.cumsum(place[2:])
    along = engine.scene.chain.length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    front = place[:2] + np.vstack([np.zeros(2), np.cumsum(along, axis=0)[:-1]])
    return np.column_stack([front, angle, np.zeros((angle.size, 3))])


def outside(nodes: NDArray, rule: Any) -> bool:
    """Return whether every point of the rule that ends a run is outside its rectangle."""
    angle = nodes[rule.piece, 2]
    x = nodes[rule.piece, 0] + rule.place * np.cos(angle)
    y = nodes[rule.piece, 1] + rule.place * np.sin(angle)
    inside = (rule.low_x <= x) & (x <= rule.high_x) & (rule.low_y <= y) & (y <= rule.high_y)
    return not inside.any()


def measure_nodes(scenario: SlitherPegs, engine: PegEngine, nodes: NDArray) -> dict[str, Quantity]:
    """Measure the scenario's distances from front ends of the pieces (samples, n, ..); torques and pushes are 0."""
    samples, frames = len(nodes), engine.body.frames
    pieces = np.concatenate([nodes[..., :6], np.zeros((*nodes.shape[:2], 3))], axis=-1)
    pose = poses(piece_motion(pieces, frames.piece, frames.front)[..., :3])
    nothing = {
        "joint_torque": np.zeros((samples, 1)), "joint_torque_squared": np.zeros((samples, 1)),
        "work_absolute": np.zeros(samples), "touch_force": np.zeros((samples, 1, 3)),
        "touch_slip": np.zeros((samples, 1)),
    }  # fmt: skip
    return scenario.measures(scenario.sample_period * np.arange(samples), {"link_pose": pose, **nothing})

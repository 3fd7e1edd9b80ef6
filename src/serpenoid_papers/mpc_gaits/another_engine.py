"""Beyond the paper (B2): the planner in closed loop with MuJoCo's model of the snake, and media as forces per link.

MuJoCo integrates the bodies and joints by RK4 or by the first-order implicitfast. Drag and the fluid's added mass are
forces on every link. The accelerations follow from MuJoCo's mass matrix, bias forces and Jacobians
with the added mass included. Each link then gets -m_a times its transverse acceleration, so MuJoCo computes the same
accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.control.base import Command, Observation, Signal, Truth
from serpenoid.engines.base import Initial
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.media import Medium, reaction
from serpenoid.kernels.records import Chain
from serpenoid.planning import Problem, RecedingHorizon
from serpenoid.robots import PlanarSnake
from serpenoid.robots.export import mujoco_model
from serpenoid.runtime.loop import run_loop
from serpenoid.runtime.plant import Plant
from serpenoid.simulation import simulate
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import MEDIA

if TYPE_CHECKING:
    import mujoco

ROBOT = PlanarSnake()
STEP, PERIOD, SETTLE = 0.001, 0.01, 1.0
TORQUE = 1.0  # torque limit of a joint [N m]
INTEGRATORS = ("RK4", "implicitfast")


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    duration: float = 6.0
    """duration of a run [s], whose first second is excluded"""

    @classmethod
    def quick(cls) -> Config:
        """Use half the duration."""
        return cls(duration=3.0)

    @classmethod
    def tiny(cls) -> Config:
        """Use a duration slightly longer than the excluded transient."""
        return cls(duration=1.1)


class Speeds(NamedTuple):
    """Speed under the same planner on both engines [m/s]."""

    ours: float
    mujoco: dict[str, float]  # by integrator


Result = dict[str, Speeds]


def run(config: Config, progress: Progress) -> Result:
    """Run all media on both engines."""
    progress("the planner with MuJoCo as the plant")
    result: Result = {}
    for medium in MEDIA:
        world = Plane(medium)
        own = simulate(ROBOT, world, RecedingHorizon(Problem(ROBOT, world)), config.duration)
        theirs = {name: mujoco_speed(world, config.duration, name) for name in INTEGRATORS}
        result[medium] = Speeds(analysis.speed(own, SETTLE), theirs)
    return result


def mujoco_speed(world: Plane, duration: float, integrator: str) -> float:
    """Return the mean speed of the centre of mass along -x under the planner, with MuJoCo as the plant."""
    run = run_loop(MujocoSnake(world, integrator), RecedingHorizon(Problem(ROBOT, world)), duration)
    settled = run.ticks >= SETTLE - 1e-9
    time, place = run.ticks[settled], run["center_x"][settled]
    return float((place[0] - place[-1]) / (time[-1] - time[0]))


class MujocoSnake(Plant):
    """Planar snake in MuJoCo without contact and gravity; its base has two slides and a hinge."""

    has_truth: ClassVar[bool] = True

    def __init__(self, world: Plane, integrator: str):
        import mujoco

        super().__init__(ROBOT, PERIOD)
        self.chain: Chain = ROBOT.chain()
        self.medium: Medium = world.medium_record(self.chain)
        self.model: mujoco.MjModel = mujoco_model(ROBOT, STEP, integrator)
        self.data: Any = mujoco.MjData(self.model)

    def start(self, initial: Initial, rng: np.random.Generator) -> Observation:
        """Start straight and at rest."""
        import mujoco

        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)
        return self.observation()

    def step(self, command: Command) -> Observation:
        """Advance one period with constant torques."""
        for _ in range(round(PERIOD / STEP)):
            self.integrate(command.torque)
        return self.observation()

    def observation(self) -> Observation:
        """Return the controller's observation."""
        data, heading = self.data, self.data.qpos[2]
        c, s = np.cos(heading), np.sin(heading)
        vx, vy = data.qvel[:2]
        pose = np.array([*data.qpos[:2], 0.0, np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)])
        twist = np.array([c * vx + s * vy, c * vy - s * vx, 0.0, 0.0, 0.0, data.qvel[2]])
        sensed = {"joint_position": data.qpos[3:].copy(), "joint_velocity": data.qvel[3:].copy()}
        sensed["joint_torque"] = data.qfrc_applied[3:].copy()
        return Observation(data.time, sensed, Truth({"base_pose": pose, "base_twist": twist}))

    def signals(self) -> dict[str, Signal]:
        return {"center_x": Signal(float(self.data.subtree_com[1, 0]), "m", "centre of mass along x")}

    def integrate(self, torque: NDArray) -> None:
        """Advance MuJoCo one step with constant torques; the medium's forces are evaluated at every stage."""
        import mujoco

        def load(model: mujoco.MjModel, data: mujoco.MjData) -> None:
            self.data.xfrc_applied[1:] = self.wrenches()

        self.data.qfrc_applied[3:] = np.clip(torque, -TORQUE, TORQUE)
        mujoco.set_mjcb_control(load)
        try:
            mujoco.mj_step(self.model, self.data)
        finally:
            mujoco.set_mjcb_control(None)

    def wrenches(self) -> NDArray:
        """Return force and moment of the medium on every link (links, 6), world axes."""
        frames = self.data.xmat[1:].reshape(-1, 3, 3)
        along, across = frames[:, :2, 0], frames[:, :2, 1]
        jacobian, moved = self.jacobians()
        velocity = jacobian @ self.data.qvel
        turn = velocity[:, 2].copy()
        local = [np.ascontiguousarray((axis * velocity[:, :2]).sum(axis=1)) for axis in (along, across)]
        drag = np.empty((turn.size, 3))
        link_forces(self.medium, self.chain.length, *local, turn, drag)
        forces = drag[:, :1] * along + drag[:, 1:2] * across
        if self.medium.added_mass.any():
            planar = np.column_stack([forces, drag[:, 2]])
            forces = forces + self.added_forces(planar, across, jacobian, moved)
        out = np.zeros((turn.size, 6))
        out[:, :2], out[:, 5] = forces, drag[:, 2]
        return out

    def jacobians(self) -> tuple[NDArray, NDArray]:
        """Return the Jacobians (links, 3, dofs) of the links' middles and angles (x, y, yaw), and their rate times the
        rates.
        """
        import mujoco

        rows, bias = [], []
        for body in range(1, self.model.nbody):
            place, turn, place_rate = (np.zeros((3, self.model.nv)) for _ in range(3))
            mujoco.mj_jacBodyCom(self.model, self.data, place, turn, body)
            mujoco.mj_jacDot(self.model, self.data, place_rate, None, self.data.xipos[body], body)
            rows.append(np.vstack([place[:2], turn[2:]]))
            bias.append(place_rate[:2] @ self.data.qvel)
        return np.array(rows), np.array(bias)

    def added_forces(self, drag: NDArray, across: NDArray, jacobian: NDArray, moved: NDArray) -> NDArray:
        """Return -m_a n (n . acceleration) (links, 2), with the accelerations that result from these forces."""
        import mujoco

        matrix = np.zeros((self.model.nv, self.model.nv))
        for row, unit in zip(matrix, np.eye(self.model.nv)):
            mujoco.mj_mulM(self.model, self.data, row, unit)
        right = self.data.qfrc_applied + self.data.qfrc_passive - self.data.qfrc_bias
        right += np.einsum("kij,ki->j", jacobian, drag)
        rows = np.einsum("ki,kij->kj", across, jacobian[:, :2])
        bias = (across * moved).sum(axis=1)
        added = self.medium.added_mass
        matrix += rows.T @ (added[:, None] * rows)
        acceleration = rows @ np.linalg.solve(matrix, right - rows.T @ (added * bias)) + bias
        return -(added * acceleration)[:, None] * across


@kernel
def link_forces(medium: Medium, length: NDArray, along: NDArray, across: NDArray, turn: NDArray, out: NDArray) -> None:
    """Compute forces (along, across) and moments of the medium on every link: its law, and the added mass's velocity
    terms.
    """
    for k in range(turn.size):
        force, side, moment = reaction(medium, k, length[k], along[k], across[k], turn[k])
        mass = medium.turning_mass[k]
        out[k, 0] = force + mass * turn[k] * across[k]
        out[k, 1] = side + mass * turn[k] * along[k]
        out[k, 2] = moment - mass * along[k] * across[k]


def claims(result: Result) -> list[Finding]:
    """Report the finding on B2."""
    table: dict[str, float] = {}
    for medium, (ours, theirs) in result.items():
        table[f"{medium}, our engine [m/s]"] = round(ours, 3)
        for integrator, speed in theirs.items():
            table[f"{medium}, MuJoCo {integrator} [m/s]"] = round(speed, 3)
            table[f"{medium}, MuJoCo {integrator}, loss [%]"] = round(100.0 * (1.0 - speed / ours), 1)
    how = "MuJoCo at 1 ms; media as forces per link, in fluid with the added mass in MuJoCo's mass matrix"
    return [Finding("B2", table, how)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is a table."""
    return []

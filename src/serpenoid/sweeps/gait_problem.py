"""Speed and power of a planar snake as differentiable functions of its gait and gains."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis import stretch
from serpenoid.analysis.window import shares
from serpenoid.engines.base import AT_REST, NO_DRAWS
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import InvalidValue, instance, require
from serpenoid.gaits import Fourier, Serpenoid
from serpenoid.kernels.planar.gait_slopes import COMMON, GaitSeries, gait_measures
from serpenoid.kernels.planar.slopes import planar_tangent
from serpenoid.robots.drives import PD
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.slither import Slither
from serpenoid.support.kernel_inputs import motion_of


class Measured(NamedTuple):
    """Speed and power of a gait after the transient, with derivatives by the parameters."""

    speed: float  # [m/s]
    power: float  # [W]
    by_speed: NDArray  # (parameters,)
    by_power: NDArray  # (parameters,)


class GaitProblem:
    """Gaits of a `slither` scenario as parameters: frequency, stiffness, damping, offset, sine and cosine.

    Speed and power are those of the scenario's summary. The world keeps the smoothing of friction that suits the
    scenario's own gait.
    """

    def __init__(self, scenario: Scenario, harmonics: int):
        self.scenario, self.harmonics = accepted(scenario), harmonics
        robot = self.scenario.robot
        world = self.scenario.world.suited(robot, motion_of(self.scenario.gait, robot))
        self.scenario = replace(self.scenario, world=world)
        self.engine = PlanarEngine(robot, world, self.scenario.step)
        if len(self.engine.model.hinges) or len(self.engine.model.lever):
            raise InvalidValue("robot", robot.called, "a snake whose joints have no dry friction, stops or rails")
        self.limit = robot.drive.torque_limits(robot.joints)
        timing = self.scenario.timing()
        samples = timing.steps // timing.steps_per_sample
        _, self.step, _, self.every = self.engine.finer(0, timing.steps, timing.steps_per_sample)
        times = timing.step * timing.steps_per_sample * np.arange(samples + 1)
        chosen = stretch(times, self.scenario.settling(float(times[-1])))
        self.weights = np.zeros(samples + 1)
        self.weights[chosen] = shares(times[chosen])
        self.time = float(times[-1] - times[chosen][0])

    @property
    def size(self) -> int:
        """Number of parameters."""
        return COMMON + self.scenario.robot.joints * (1 + 2 * self.harmonics)

    def series(self, parameters: NDArray) -> GaitSeries:
        """Return gait and gains as the record of the kernel."""
        joints = self.scenario.robot.joints
        offset, rest = parameters[COMMON : COMMON + joints], parameters[COMMON + joints :]
        sine, cosine = rest.reshape(2, self.harmonics, joints)
        frequency, stiffness, damping = parameters[:COMMON].tolist()
        return GaitSeries(frequency, offset.copy(), sine.copy(), cosine.copy(), stiffness, damping, self.limit)

    def gait(self, parameters: NDArray) -> Fourier:
        """Return the gait of parameters."""
        series = self.series(parameters)
        return Fourier.of(series.frequency, series.offset, series.sine, series.cosine)

    def designed(self, parameters: NDArray) -> Slither:
        """Return the scenario with the gait and the gains of parameters."""
        drive = replace(drive_of(self.scenario), stiffness=float(parameters[1]), damping=float(parameters[2]))
        return replace(self.scenario, gait=self.gait(parameters), robot=replace(self.scenario.robot, drive=drive))

    def parameters_of(self, scenario: Slither) -> NDArray:
        """Return the parameters of a scenario; harmonics that the problem lacks are dropped."""
        gait, robot = as_fourier(scenario.gait, scenario.robot.joints), scenario.robot
        offset, sine, cosine = gait.series(robot.joints)
        series = np.zeros((2, self.harmonics, robot.joints))
        kept = min(self.harmonics, len(sine))
        series[0, :kept], series[1, :kept] = sine[:kept], cosine[:kept]
        common = [gait.frequency, *(number_of(drive_of(scenario), name) for name in ("stiffness", "damping"))]
        return np.concatenate([common, offset, series.ravel()])

    def measure(self, parameters: NDArray) -> Measured:
        """Simulate one run; return speed and power with their derivatives, NaN if it diverges."""
        model = self.engine.model
        start = self.start(parameters)
        found, slopes = gait_measures(
            model, self.series(parameters), planar_tangent(model.shift.size), start, self.step, self.every, self.weights
        )  # fmt: skip
        moved, axis, work = found[:2], found[2:4], found[4]
        length = float(np.linalg.norm(axis))
        along = axis / length if length > 0.0 else axis
        turned = (slopes[2:4] - np.outer(along, along @ slopes[2:4])) / max(length, 1e-12)
        by_speed = (along @ slopes[:2] + moved @ turned) / self.time
        return Measured(float(moved @ along) / self.time, float(work) / self.time, by_speed, slopes[4] / self.time)

    def start(self, parameters: NDArray) -> NDArray:
        """Return the initial state of the kernel: rest in the first shape, with its derivatives by the parameters."""
        motion, shift = self.gait(parameters).motion(self.scenario.robot), self.engine.model.shift
        joints, half = self.scenario.robot.joints, self.engine.model.shift.size + 2
        state = self.engine.initial(AT_REST, motion, NO_DRAWS)[: 2 * half]
        slopes = np.zeros((2 * half + 1, self.size))
        for j in range(joints):
            own = [COMMON + j, *range(COMMON + joints * (1 + self.harmonics) + j, self.size, joints)]
            slopes[3 + j, own] = 1.0  # offset and cosines
        angles = state[2] + np.append(0.0, np.cumsum(state[3 : 3 + joints]))
        for j in range(joints):  # a joint turns all links behind it
            turning = np.array([-np.sin(angles[j + 1 :]) @ shift[j + 1 :], np.cos(angles[j + 1 :]) @ shift[j + 1 :]])
            slopes[:2] += np.outer(turning, slopes[3 + j])
        return np.concatenate([state, [0.0], slopes.ravel()])


def accepted(scenario: Scenario) -> Slither:
    """Return a scenario whose gait can be differentiated; refuse others."""
    instance("scenario", scenario, Slither, "slither: only its runs are differentiated")
    assert isinstance(scenario, Slither)
    require(not scenario.sampled, "sampled", scenario.sampled, "false: held torques are not differentiated")
    require(scenario.scatter == 0.0, "scatter", scenario.scatter, "0: a gradient needs a repeatable start")
    require(scenario.initial() is AT_REST, "start", scenario.start, "omitted: a run starts at rest in its first shape")
    instance("robot.drive", scenario.robot.drive, PD, "a PD, whose gains are parameters")
    for name in ("stiffness", "damping"):
        number_of(drive_of(scenario), name)
    return scenario


def drive_of(scenario: Slither) -> PD:
    """Return the drive of an accepted scenario."""
    return cast(PD, scenario.robot.drive)


def number_of(drive: PD, name: str) -> float:
    """Return a gain that all joints share."""
    value = getattr(drive, name)
    require(not isinstance(value, tuple), f"robot.drive.{name}", value, "one number for all joints")
    return float(value)


def as_fourier(gait: Serpenoid | Fourier, joints: int) -> Fourier:
    """Return a gait as a Fourier series."""
    if isinstance(gait, Fourier):
        return gait
    lag = gait.phase - gait.spatial_frequency / joints * np.arange(joints)
    sine, cosine = -gait.amplitude * np.cos(lag), -gait.amplitude * np.sin(lag)
    return Fourier.of(gait.frequency, np.full(joints, gait.offset), sine[None], cosine[None])

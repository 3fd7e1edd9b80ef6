"""State of a planar chain for the planner: the simulated truth, or an estimate from encoders and IMUs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part, above, at_least, between, check_fields
from serpenoid.control.base import Observation, Truth
from serpenoid.robots.sensors import ticks_of

if TYPE_CHECKING:
    from serpenoid.kernels.planar.chain import PlanarModel
    from serpenoid.planning.solver import Planner

Place = tuple[float, float, float]  # x, y [m] and heading [rad]


class Tracker(Protocol):
    """Memory of an estimator during a run."""

    def __call__(self, observation: Observation, torque: NDArray) -> NDArray:
        """Return the state at an observation; `torque` acted since the previous one."""
        ...


class Estimator(Part, ABC):
    """Source of the planner's state. Subclasses are frozen dataclasses."""

    @property
    def needs_truth(self) -> bool:
        """True if it reads quantities that only simulations have."""
        return False

    @abstractmethod
    def start(self, planner: Planner, place: Place, rng: np.random.Generator) -> Tracker:
        """Return the memory for a run of a snake whose head starts at a place."""


@dataclass(frozen=True)
class TrueState(Estimator):
    """Simulated truth; joint angles and rates are those of the sensors."""

    @property
    def needs_truth(self) -> bool:
        return True

    def start(self, planner: Planner, place: Place, rng: np.random.Generator) -> Tracker:
        def read(observation: Observation, torque: NDArray) -> NDArray:
            assert observation.truth is not None  # guaranteed by needs_truth
            return chain_state(planner.model, planner.problem.pieces.joints, observation, observation.truth)

        return read


@dataclass(frozen=True)
class InertialState(Estimator):
    """Dead reckoning by encoders, gyroscopes, accelerometers and the planner's model; optionally an external pose.

    Encoders give joint angles and rates, and the mean of the gyroscopes the rate of the heading. The velocity is
    integrated from the accelerometers and pulled towards that of the planner's model. Position and heading drift
    unless an external pose of the head corrects them.
    """

    model_gain: Annotated[float, between(0.0, 1.0, usual=(0.01, 1.0))] = 0.5
    """fraction of the velocity's deviation from the model's prediction that is removed per tick"""
    pose_period: Annotated[float | None, above(0.0, usual=(0.01, 1.0))] = None
    """time between two external poses of the head [s]; none: no external pose"""
    pose_noise: Annotated[float, at_least(0.0, usual=(0.0, 0.05))] = 0.0
    """standard deviation of the position of an external pose [m]"""
    heading_noise: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """standard deviation of the heading of an external pose [rad]"""
    pose_gain: Annotated[float, between(0.0, 1.0, usual=(0.05, 1.0))] = 0.3
    """fraction of the deviation from an external pose that is removed"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def needs_truth(self) -> bool:
        """An external pose is simulated as the true one with noise."""
        return self.pose_period is not None

    def start(self, planner: Planner, place: Place, rng: np.random.Generator) -> Tracker:
        return InertialTracker(self, planner, place, rng)


class InertialTracker:
    """Estimated state, and the acceleration of the centre of mass at the last tick."""

    def __init__(self, estimator: InertialState, planner: Planner, place: Place, rng: np.random.Generator):
        self.estimator, self.planner, self.place, self.rng = estimator, planner, place, rng
        self.period, self.tick = planner.problem.step, 0
        wanted = estimator.pose_period
        self.every = 0 if wanted is None else ticks_of("estimator.pose_period", wanted, self.period)
        self.state: NDArray | None = None
        self.acceleration = np.zeros(2)
        # Compile now, so that compilation does not count against a deadline.
        planner.predict(np.zeros(planner.problem.states), np.zeros((0, planner.problem.robot.joints)))

    def __call__(self, observation: Observation, torque: NDArray) -> NDArray:
        position, velocity = observation.joint_position, observation.joint_velocity
        read = np.r_[position, velocity, observation.gyroscope.ravel(), observation.accelerometer.ravel()]
        if not np.isfinite(read).all():
            return self.unread(torque)
        spin = float(np.mean(observation.gyroscope[:, 2] - np.append(0.0, np.cumsum(velocity))))
        if self.state is None:
            head, rates = np.r_[self.place, position], np.r_[0.0, 0.0, spin, velocity]
            state = state_of(self.planner.model, head, rates)
            self.acceleration = self.felt(observation, state)
        else:
            state = self.moved(observation, torque, spin)
        if self.every and self.tick % self.every == 0 and observation.truth is not None:
            self.correct(state, observation.truth.base_pose)
        self.tick += 1
        self.state = state
        return state.copy()

    def unread(self, torque: NDArray) -> NDArray:
        """Return the model's prediction at a tick without readings; NaN before the first ones."""
        if self.state is None:
            return np.full(self.planner.problem.states, np.nan)
        self.tick += 1
        self.state = self.planner.predict(self.state, torque[None])
        return self.state.copy()

    def moved(self, observation: Observation, torque: NDArray, spin: float) -> NDArray:
        """Return the state one tick after the last: integrated readings, pulled towards the model's velocity."""
        last, joints, period = self.state, observation.joint_position.size, self.period
        assert last is not None
        rates = joints + 3
        state = self.planner.predict(last, torque[None])
        predicted = state[rates : rates + 2].copy()
        state[2] = last[2] + 0.5 * period * (last[rates + 2] + spin)
        state[3:rates] = observation.joint_position
        state[rates + 2], state[rates + 3 :] = spin, observation.joint_velocity
        acceleration = self.felt(observation, state)
        measured = last[rates : rates + 2] + 0.5 * period * (self.acceleration + acceleration)
        state[rates : rates + 2] = measured + self.estimator.model_gain * (predicted - measured)
        state[:2] = last[:2] + 0.5 * period * (last[rates : rates + 2] + state[rates : rates + 2])
        self.acceleration = acceleration
        return state

    def felt(self, observation: Observation, state: NDArray) -> NDArray:
        """Return the acceleration (2,) of the centre of mass from the accelerometers in the links' middles."""
        mass = self.planner.model.chain.mass
        angles = np.cumsum(state[2 : 2 + mass.size])
        along, across = observation.accelerometer[:, 0], observation.accelerometer[:, 1]
        c, s = np.cos(angles), np.sin(angles)
        return np.array([mass @ (c * along - s * across), mass @ (s * along + c * across)]) / mass.sum()

    def correct(self, state: NDArray, pose: NDArray) -> None:
        """Pull position, velocity and heading towards a noisy pose of the head, in place."""
        settings, links = self.estimator, self.planner.model.shift.size
        place = pose[:2] + settings.pose_noise * self.rng.standard_normal(2)
        heading = 2.0 * math.atan2(pose[6], pose[3]) + settings.heading_noise * self.rng.standard_normal()
        state[2] += settings.pose_gain * math.remainder(heading - state[2], 2.0 * math.pi)
        away = place - head_place(self.planner.model, state)
        state[:2] += settings.pose_gain * away
        # gain of the velocity in an alpha-beta filter with the same damping
        share = settings.pose_gain**2 / (2.0 - settings.pose_gain)
        state[links + 2 : links + 4] += share * away / (self.every * self.period)


def head_place(model: PlanarModel, states: NDArray) -> NDArray:
    """Return positions (..., 2) of the head's tip [m] at states (..., states): centre of mass minus its arm."""
    angles = np.cumsum(states[..., 2 : 2 + model.shift.size], axis=-1)
    return states[..., :2] - np.stack([np.cos(angles) @ model.shift, np.sin(angles) @ model.shift], axis=-1)


def state_of(model: PlanarModel, head: NDArray, rates: NDArray) -> NDArray:
    """Return the planner's state from the head's x, y, heading and the joint angles, and from their rates."""
    angles, turning = np.cumsum(head[2:]), np.cumsum(rates[2:])
    arm_x, arm_y = model.shift * np.cos(angles), model.shift * np.sin(angles)
    return np.concatenate([
        [head[0] + arm_x.sum(), head[1] + arm_y.sum()], head[2:],
        [rates[0] - arm_y @ turning, rates[1] + arm_x @ turning], rates[2:],
    ])  # fmt: skip


def chain_state(model: PlanarModel, joints: NDArray, observation: Observation, truth: Truth) -> NDArray:
    """Return the planner's state: measured joints, the rest from the engine's state or from pose and twist of the
    head. `joints` are the indices of the planned ones.
    """
    position, velocity = observation.joint_position[joints], observation.joint_velocity[joints]
    if truth.chain_state is not None:
        state = truth.chain_state.copy()
        state[3 : 3 + joints.size], state[6 + joints.size :] = position, velocity
        return state
    pose, twist = truth.base_pose, truth.base_twist
    heading = 2.0 * math.atan2(pose[6], pose[3])
    c, s = math.cos(heading), math.sin(heading)
    speed = (c * twist[0] - s * twist[1], s * twist[0] + c * twist[1])
    return state_of(model, np.r_[pose[0], pose[1], heading, position], np.r_[speed, twist[5], velocity])

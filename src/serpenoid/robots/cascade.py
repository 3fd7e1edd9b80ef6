"""Joint drives of HEBI modules: a motor behind a spring with PID loops for position, velocity and torque."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require
from serpenoid.kernels.records import CascadeDrive
from serpenoid.robots.drives import Drive, spring_energy

TOP_SPEED = 33.0 * 2.0 * np.pi / 60.0  # 33 rpm [rad/s]
Proportional = Annotated[float, at_least(0.0, usual=(0.0, 50.0))]
Integral = Annotated[float, at_least(0.0, usual=(0.0, 10.0))]
Derivative = Annotated[float, at_least(0.0, usual=(0.0, 5.0))]


@dataclass(frozen=True)
class Gains:
    """PID loop with every gain of a HEBI gains file.

    Target and feedback are angles [rad], rates [rad/s] or torques [N m], depending on the loop. The output is a
    torque [N m] if it feeds the torque loop, else a fraction of the motor voltage (PWM) from -1 to 1.
    """

    kp: Proportional = 0.0
    """proportional gain [output / error]"""
    ki: Integral = 0.0
    """integral gain [output / (error s)]"""
    kd: Derivative = 0.0
    """derivative gain [output s / error]"""
    feed_forward: Annotated[float, usual(0.0, 1.0)] = 0.0
    """feedforward gain: fraction of the target added to the output [output / target]"""
    dead_zone: Annotated[float, at_least(0.0, usual=(0.0, 0.05))] = 0.0
    """dead zone: errors up to this size count as zero [target]"""
    i_clamp: Annotated[float, at_least(0.0, usual=(0.0, 1.0), most=1e6)] = 1.0
    """limit of the integral's contribution to the output [output]"""
    punch: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.0
    """offset added in the direction of every error outside the dead zone [output]"""
    min_target: Annotated[float, between(-1e6, 1e6, usual=(-10.0, 0.0))] = -1e6
    """smallest accepted target [target]"""
    max_target: Annotated[float, between(-1e6, 1e6, usual=(0.0, 10.0))] = 1e6
    """largest accepted target [target]"""
    target_lowpass: Annotated[float, above(0.0, usual=(0.1, 1.0), most=1.0)] = 1.0
    """low-pass weight of each new target [-]; 1: no filter"""
    min_output: Annotated[float, usual(-10.0, 0.0)] = -1.0
    """smallest output [output]"""
    max_output: Annotated[float, usual(0.0, 10.0)] = 1.0
    """largest output [output]"""
    output_lowpass: Annotated[float, above(0.0, usual=(0.1, 1.0), most=1.0)] = 1.0
    """low-pass weight of each new output [-]; 1: no filter"""
    d_on_error: bool = True
    """whether the derivative acts on the error, or on minus the feedback, which does not jump with the target"""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("target", "output"):
            low, high = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            require(low < high, f"min_{name}", low, f"below max_{name} = {high:g}")

    def row(self) -> NDArray:
        """Return the gains in the order of kernels/laws/cascade.py."""
        return np.array(astuple(self), dtype=float)


@dataclass(frozen=True)
class JointGains:
    """Joint with its own proportional, integral and derivative gains; all other gains are shared."""

    joint: Annotated[int, between(0, 500, usual=(0, 15))]
    """index of the joint, from 0"""
    position_kp: Proportional
    """proportional gain of the position loop [output / error]"""
    position_ki: Integral
    """[output / (error s)]"""
    position_kd: Derivative
    """[output s / error]"""
    velocity_kp: Proportional
    """proportional gain of the velocity loop [output / error]"""
    velocity_ki: Integral
    """integral gain of this loop [output / (error s)]"""
    velocity_kd: Derivative
    """derivative gain of this loop [output s / error]"""
    effort_kp: Proportional
    """proportional gain of the torque loop [output / error]"""
    effort_ki: Integral
    """integral gain of this loop [output / (error s)]"""
    effort_kd: Derivative
    """derivative gain of this loop [output s / error]"""

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def of(cls, joint: int, drive: Cascade) -> JointGains:
        """Return the gains of a drive as those of one joint."""
        return cls(joint, *(value for loop in drive.loops for value in (loop.kp, loop.ki, loop.kd)))

    def given_to(self, drive: Cascade) -> Cascade:
        """Return a drive with these gains in every joint."""
        values = astuple(self)[1:]
        loops = zip(drive.loops, (values[:3], values[3:6], values[6:]))
        return drive.with_loops(*(replace(loop, kp=p, ki=i, kd=d) for loop, (p, i, d) in loops))


@dataclass(frozen=True)
class Cascade(Drive):
    """Motor behind a spring (two masses) with PID loops that set its voltage at every step: HEBI's four strategies.

    1: the commanded torque sets the voltage, where 7 N m is full voltage.

    2: position and velocity loops plus the commanded torque give a torque, which the torque loop tracks.

    3: the outputs of all three loops are summed.

    4: the position loop plus the commanded torque give a torque, which the torque loop tracks. The output of the
    velocity loop is added.

    The motor torque is stall_torque (voltage - rate / top_speed). On the real robot the user sets the gains. The
    defaults are for strategy 4, in SI units; STRATEGIES has gains for each.
    """

    states: ClassVar[tuple[str, ...]] = ("motors", "motor_rates")

    strategy: Annotated[int, between(1, 4, usual=(1, 4))] = 4
    """1: direct PWM, 2: inner torque, 3: outer torque, 4: intermediate torque"""
    position: Gains = Gains(kp=30.0, ki=2.0, kd=0.1, i_clamp=1.0, min_output=-10.0, max_output=10.0)
    """position loop"""
    velocity: Gains = Gains(kp=0.05, feed_forward=0.25)
    """velocity loop"""
    effort: Gains = Gains(kp=0.5, kd=0.002, feed_forward=0.15, min_target=-7.0, max_target=7.0)
    """torque loop"""
    stall_torque: Annotated[float, above(0.0, usual=(1.0, 10.0))] = 7.0
    """stall torque of the motor behind its gear at full voltage [N m]"""
    top_speed: Annotated[float, above(0.0, usual=(1.0, 10.0))] = TOP_SPEED
    """no-load speed of the motor behind its gear [rad/s]"""
    spring: Annotated[float, above(0.0, usual=(10.0, 100.0))] = 30.0
    """stiffness of the spring [N m/rad]"""
    spring_damping: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.3
    """viscous friction parallel to the spring [N m s/rad]"""
    rotor_inertia: Annotated[float, above(0.0, usual=(0.001, 0.1))] = 0.02
    """inertia of the rotor, reflected through the gear [kg m^2]"""
    own: tuple[JointGains, ...] = ()
    """joints with their own gains"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def loops(self) -> tuple[Gains, Gains, Gains]:
        """Loops of angle, rate and torque."""
        return self.position, self.velocity, self.effort

    def with_loops(self, position: Gains, velocity: Gains, effort: Gains) -> Cascade:
        """Return the same drive with other loops."""
        return replace(self, position=position, velocity=velocity, effort=effort)

    def record(self, joints: int) -> CascadeDrive:
        """Return the record of all joints: the shared motor, spring and gains, or a joint's own gains."""
        loops = np.tile(np.array([loop.row() for loop in self.loops]), (joints, 1, 1))
        for own in self.own:
            require(own.joint < joints, "own", own.joint, f"a joint from 0 to {joints - 1}")
            loops[own.joint] = [loop.row() for loop in own.given_to(self).loops]
        return CascadeDrive(
            self.strategy, np.full(joints, self.stall_torque), np.full(joints, self.top_speed),
            np.full(joints, self.spring), np.full(joints, self.spring_damping), np.full(joints, self.rotor_inertia),
            loops,
        )  # fmt: skip

    def torque_limits(self, joints: int) -> NDArray:
        return np.full(joints, self.stall_torque)

    def joint_stiffness(self, joints: int) -> NDArray:
        return np.full(joints, self.spring)

    def energy(self, joint: NDArray, motor: NDArray, motor_rate: NDArray) -> NDArray:
        return spring_energy(self.spring, self.rotor_inertia, motor - joint, motor_rate)

    @property
    def cascade(self) -> Cascade:
        return self


STRATEGIES = {  # gains per strategy with which one module can lift five others; strategy 1 has no loop that uses them
    1: Cascade(1),
    2: Cascade(2, velocity=Gains(kp=1.0, min_output=-10.0, max_output=10.0)),
    3: Cascade(3, position=Gains(kp=5.0, ki=2.0, kd=0.02)),
    4: Cascade(),
}

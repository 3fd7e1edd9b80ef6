"""Joint-space admittance: every joint yields independently, fully decentralised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields
from serpenoid.control.base import Signal
from serpenoid.control.kernel_law import WaveController
from serpenoid.control.shape_compliance import ShapeCompliance, made_for
from serpenoid.control.shape_parameters import Parameter
from serpenoid.kernels.laws.joint_admittance import JointAdmittanceLaw
from serpenoid.kernels.laws.shape import shape_numbers
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class JointAdmittance(WaveController):
    """Damped springs at each joint about the angles of a shape: (3.7), with damping on the deviation only."""

    shape: ShapeCompliance = ShapeCompliance().rigid()
    """shape law of the nominal angles; rigid, unless windows yield as well"""
    mass: Annotated[float, above(0.0, usual=(0.05, 1.0))] = 0.1
    """M [kg m^2]"""
    damping: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 3.0
    """B [N m s/rad]"""
    stiffness: Annotated[float, above(0.0, usual=(0.5, 30.0))] = 3.0
    """K [N m/rad]"""
    sign: Annotated[float, between(-1.0, 1.0, usual=(-1.0, 1.0))] = 1.0
    """1 yields to torques, -1 pushes back"""

    def __post_init__(self) -> None:
        check_fields(self)

    def kernel(self, robot: Robot, period: float) -> JointAdmittanceLaw:
        spring = Parameter("joint", mass=self.mass, damping=self.damping, stiffness=self.stiffness)
        return JointAdmittanceLaw(self.shape.kernel(robot, period), *spring.over_period(period), float(self.sign))

    def phase_rate(self, robot: Robot) -> float:
        return self.shape.phase_rate(robot)

    def from_phase(self, phase: float) -> JointAdmittance:
        return replace(self, shape=self.shape.from_phase(phase))

    def carry_over(self, before: JointAdmittanceLaw, after: JointAdmittanceLaw, memory: NDArray) -> None:
        self.shape.carry_over(before.shape, after.shape, memory)

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        size = shape_numbers(made_for(self.shape, robot, period)[0])
        yielded = Signal(memory[..., size : size + robot.joints], "rad", "deviation from the nominal angle", ("joint",))
        return {**self.shape.memory_signals(robot, period, memory), "joint_yielded": yielded}

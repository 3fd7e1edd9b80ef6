"""A snake rolls up to a pole, winds round it and climbs; or starts wound round it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import above, at_least, usual
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Parameter
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, require
from serpenoid.gaits.winding import reach_from_axis
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.robots.shapes import segments
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.modular import CLEAR
from serpenoid.scenarios.slither_pegs import first_targets
from serpenoid.script import Event
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.pole import Pole

FALL, WITHIN = 0.05, 1.0  # who comes down by so much [m] in so long [s] has fallen
OFF_THE_FLOOR = 0.05  # lowest joint above this: off the floor [m]


@dataclass(frozen=True)
class RollToPole(Scenario):
    """The SEA snake rolls over the floor to a pole, winds round it and climbs, its helix yielding as it likes."""

    robot: SeaSnake = SeaSnake()
    """the snake"""
    world: Pole = Pole()
    """the pole; its distance says how far the snake has to roll"""
    controller: ShapeCompliance = ShapeCompliance.presets()["helix"]()
    """the helix; its winding is held at its initial value until the approach is over"""
    approach: Annotated[float, at_least(0.0, usual=(0.0, 30.0))] = 11.0
    """time for which it rolls before it winds [s]"""
    wound: bool = False
    """whether it starts wound round the pole instead, a little clear of it"""
    press: Annotated[float, usual(0.0, 0.03)] = 0.01
    """set point of the winding: a helix so much tighter than one that touches the foot of the pole [m]"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """of the rolling at the start [rad]"""
    duration: Annotated[float, above(0.0, usual=(10.0, 60.0))] = 60.0
    """simulated time [s]"""
    sample_period: Annotated[float, above(0.0, usual=(0.01, 0.1))] = 0.05
    """time between two samples of the trajectory [s]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        named = any(p.name == "winding" for p in self.controller.parameters)
        require(named, "controller", self.controller.basis, "a helix, whose shape has a winding")

    @property
    def winding(self) -> Parameter:
        """The helix's own parameter as it is configured."""
        return next(p for p in self.controller.parameters if p.name == "winding")

    def fitted(self, tighter: float) -> float:
        """Winding [rad/m] of a helix that touches the foot of the pole, then tighter by so many metres."""
        from scipy.optimize import brentq

        wall, own = self.world.radius - tighter, self.winding
        pieces = segments(self.robot)

        def gap(winding: float) -> float:
            shape = first_targets(self.led(replace(own, initial=winding)), self.robot, self.control_period)
            return reach_from_axis(self.robot, np.nan_to_num(shape), pieces)[0] - self.robot.radius - wall

        loose, tight = max(own.low, 0.7), own.high
        if gap(tight) > 0.0 or gap(loose) < 0.0:
            raise InvalidValue("world.radius", self.world.radius, "such that the helix can touch it within its limits")
        return float(brentq(gap, loose, tight, xtol=1e-3))

    def led(self, winding: Parameter) -> ShapeCompliance:
        """The controller with another winding, from this scenario's phase on."""
        others = tuple(winding if p.name == "winding" else p for p in self.controller.parameters)
        return replace(self.controller, parameters=others).from_phase(self.phase)

    def parts(self) -> Parts:
        """Its set point fits the pole; before it winds a bias holds it where it begins, and it does not feel."""
        own, nominal = self.winding, self.fitted(self.press)
        if self.wound:
            start = replace(own, nominal=nominal, initial=nominal)
        else:
            first = own.nominal if own.initial is None else own.initial
            held = own.stiffness * (first - nominal)
            start = replace(own, nominal=nominal, bias=held, sign=(0.0,), adapt_rate=0.0)
        return Parts(self.robot, self.world, self.led(start))

    def script(self) -> tuple[Event, ...]:
        """After the approach the winding is what the controller says."""
        if self.wound:
            return ()
        tick, own = round(self.approach / self.control_period), self.winding
        names = ("bias", "sign", "adapt_rate")
        return tuple(Event(tick, f"controller.parameters.winding.{name}", getattr(own, name)) for name in names)

    def usual_start(self) -> Initial:
        """On the floor beside the pole, as rolling begins; or round it, a little clear: drives then close the helix."""
        robot, _, controller = self.parts()
        law: Any = self.led(replace(self.winding, initial=self.fitted(-CLEAR))) if self.wound else controller
        return Initial(joint_position=tuple(np.nan_to_num(first_targets(law, robot, self.control_period)).tolist()))

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        times, height = trajectory.times, trajectory["link_pose"][:, 1:, 2]
        start = min(2.0 if self.wound else self.approach + 5.0, 0.5 * float(times[-1]))  # once it is wound
        middle = height.mean(axis=1)
        late = middle[np.searchsorted(times, start) :]
        rolling = self.controller.phase_rate(self.robot) * self.robot.radius
        span = max(times[-1] - start, self.sample_period)
        return {
            "climbed": Quantity(float(late[-1] - late[0]), "m"),
            "climb_over_rolling": Quantity(float(late[-1] - late[0]) / span / rolling),
            "off_the_floor": Quantity(bool(height[-1].min() > OFF_THE_FLOOR)),
            "fell": Quantity(fell(times, height, start)),
            "slip": Quantity(analysis.contact_slip(trajectory, start) / rolling),
            "contact_load": Quantity(analysis.contact_load(trajectory, start), "N"),
            "torque_rms": Quantity(float(np.sqrt(np.mean(trajectory["joint_torque"] ** 2))), "N m"),
        }


def fell(times: NDArray, height: NDArray, start: float) -> bool:
    """Whether a body whose joints have heights (samples, joints) [m] came down fast after a start, or to the floor."""
    middle, period = height.mean(axis=1), float(times[1] - times[0])
    first, ahead = int(np.searchsorted(times, start)), max(1, round(WITHIN / period))
    drop = middle[first:-ahead] - middle[first + ahead :]
    return bool(drop.size and drop.max() > FALL) or bool(height[-1].min() < OFF_THE_FLOOR)

"""A snake that rolls to a pole, wraps around it and climbs, or starts wrapped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import pi
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import at_least, usual
from serpenoid.control.kernel_law import first_targets
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.gaits.winding import body_radius
from serpenoid.robots.base import Robot
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.runtime.events import Event
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.helix_start import fit_to_pole, has_winding, touching_start, winding_of, with_winding
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.pole import Pole

FALL, WITHIN = 0.05, 1.0  # a drop of 0.05 m within 1 s is a fall
WINDING = 5.0  # time after the approach until the snake is wrapped around the pole [s]
OFF_THE_FLOOR = 0.05  # height of the lowest joint above which the snake is off the floor [m]
HIGH = 0.008  # contacts above this height are with the pole [m]


@dataclass(frozen=True)
class RollToPole(Scenario, duration=60.0, sample_period=0.05):
    """The SEA snake rolls over the floor to a pole, wraps around it and climbs with a compliant helix."""

    robot: Robot = SeaSnake()
    """snake"""
    world: Pole = Pole()
    """pole; its distance determines the rolling distance"""
    controller: ShapeCompliance = ShapeCompliance.presets()["helix"]()
    """helix; its winding stays at the initial value during the approach"""
    approach: Annotated[float, at_least(0.0, usual=(0.0, 30.0))] = 11.0
    """rolling time before it wraps [s]"""
    wound: bool = False
    """whether it starts wrapped around the pole, slightly clear of it"""
    press: Annotated[float, usual(0.0, 0.03)] = 0.01
    """set point of the winding: a helix tighter by this than one that touches the foot of the pole [m]"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """initial phase of the rolling [rad]; the arc opens to the pole as at phase 0, with its modules rolled"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.controller, ShapeCompliance):
            winding_of(self.controller)

    def parts(self) -> Parts:
        """Fit the set point to the pole; during the approach a bias holds the initial winding and compliance is off."""
        led = self.controller.from_phase(self.phase)
        if not has_winding(led):
            return Parts(self.robot, self.world, led)
        law = self.fitted
        if not self.wound:
            own, nominal = winding_of(led), law.gait.nominal("winding")
            first = led.gait.nominal("winding") if own.initial is None else own.initial
            held = own.stiffness * (first - nominal)
            law = with_winding(law, nominal, initial=first, bias=held, sign=(0.0,), adapt_rate=0.0)
        return Parts(self.robot, self.world, law)

    @cached_property
    def fitted(self) -> ShapeCompliance:
        """Helix whose set point fits the pole; a property because the fit takes 0.1 s."""
        led = self.controller.from_phase(self.phase)
        return fit_to_pole(led, self.robot, self.world.radius, self.press, self.control_period)

    def script(self) -> tuple[Event, ...]:
        """Restore the winding's parameters of the controller after the approach."""
        if self.wound or not has_winding(self.controller):
            return ()
        tick, own = round(self.approach / self.control_period), winding_of(self.controller)
        names = ("bias", "sign", "adapt_rate")
        return tuple(Event(tick, f"controller.parameters.winding.{name}", getattr(own, name)) for name in names)

    def usual_start(self) -> Initial:
        """Return a start on the floor next to the pole in the rolling shape, or around the pole, almost touching."""
        robot, world, controller = self.parts()
        if self.wound and has_winding(controller):
            return touching_start(self.controller.from_phase(self.phase), robot, world.radius, self.control_period)
        shape = np.nan_to_num(first_targets(controller, robot, self.control_period))
        start = Initial(joint_position=tuple(shape.tolist()))
        if self.phase == 0.0:
            return start
        first = np.nan_to_num(first_targets(replace(self, phase=0.0).parts().controller, robot, self.control_period))
        return replace(start, base_pose=world.rolled_pose(robot, shape, first))

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        times, height = trajectory.times, trajectory["link_pose"][:, 1:, 2]
        start = min(2.0 if self.wound else self.approach + WINDING, 0.5 * float(times[-1]))  # after wrapping
        middle = height.mean(axis=1)
        late = middle[np.searchsorted(times, start) :]
        rate = self.controller.phase_rate(self.robot)
        rolling = abs(rate) * body_radius(self.robot)
        span = max(times[-1] - start, self.sample_period)
        came_down = fell(times, height, start, rolling * WITHIN if rate < 0.0 else 0.0)
        at_the_pole = self.wound or times[-1] >= self.approach + WINDING
        slip = analysis.contact_slip(trajectory, start, robot=self.robot)
        return {
            "climbed": Quantity(float(late[-1] - late[0]), "m"),
            "climb_over_rolling": Quantity(float(late[-1] - late[0]) / span / rolling if rolling else np.nan),
            "off_the_floor": Quantity(bool(height[-1].min() > OFF_THE_FLOOR)),
            "fell": Quantity(came_down if at_the_pole else np.nan),
            "slip": Quantity(slip / rolling if rolling else np.nan),
            "normal_load": Quantity(float(normal_load(trajectory)[times >= start].mean()), "N"),
            "torque_rms": Quantity(analysis.torque_rms(times, trajectory["joint_torque_squared"]), "N m"),
        }


def normal_load(trajectory: Trajectory) -> NDArray:
    """Return the force (samples,) of the snake on a vertical pole at the origin: the sum of radial forces [N]."""
    place, force = trajectory["touch_point"], trajectory["touch_force"]
    outward = place[..., :2] / np.linalg.norm(place[..., :2], axis=-1, keepdims=True)
    radial = np.abs((force[..., :2] * outward).sum(axis=-1))
    return np.nansum(np.where(place[..., 2] > HIGH, radial, 0.0), axis=1)


def fell(times: NDArray, height: NDArray, start: float, rolls_down: float = 0.0) -> bool:
    """Return whether a body with joint heights (samples, joints) [m] dropped fast after `start`, or ended on the floor.

    rolls_down: intended descent in that time [m].
    """
    middle, period = height.mean(axis=1), float(times[1] - times[0])
    first, ahead = int(np.searchsorted(times, start)), max(1, round(WITHIN / period))
    drop = middle[first:-ahead] - middle[first + ahead :]
    return bool(drop.size and drop.max() > FALL + rolls_down) or bool(height[-1].min() < OFF_THE_FLOOR)

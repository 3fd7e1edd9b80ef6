"""Shape laws that wind round a pole: the winding at which a robot touches, and a start at that."""

from __future__ import annotations

from dataclasses import replace
from math import floor
from typing import Any, TypeGuard

import numpy as np

from serpenoid.control.kernel_law import first_targets
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Parameter
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, require
from serpenoid.gaits.winding import body_radius, reach_from_axis, rounded_up
from serpenoid.robots.base import Robot
from serpenoid.robots.shapes import segments

CLEAR = 0.0005  # between pole and snake at the start [m]; from farther off a law takes its drives' closing for a push
# from outside, and opens
LOOSEST = 0.7  # winding at which a helix is wider than all poles [rad/m]


def winds(controller: Any) -> TypeGuard[ShapeCompliance]:
    """Whether a controller is a shape law with a winding."""
    return isinstance(controller, ShapeCompliance) and any(p.name == "winding" for p in controller.parameters)


def winding_of(controller: ShapeCompliance) -> Parameter:
    """Return how the winding of a helix yields."""
    require(winds(controller), "controller", controller.gait, "a helix, whose winding yields")
    return next(p for p in controller.parameters if p.name == "winding")


def with_winding(controller: ShapeCompliance, nominal: float, **yielding: Any) -> ShapeCompliance:
    """Return the same helix with another winding [rad/m], and other fields of how it yields."""
    gait: Any = controller.gait
    parameters = tuple(replace(p, **yielding) if p.name == "winding" else p for p in controller.parameters)
    return replace(controller, gait=replace(gait, winding=nominal), parameters=parameters)


def fitted_winding(controller: ShapeCompliance, robot: Robot, wall: float, press: float, period: float) -> float:
    """Winding [rad/m] of a helix that is so much [m] tighter than one that touches a pole of radius `wall` [m]."""
    from scipy.optimize import brentq

    own, pieces, thick = winding_of(controller), segments(robot), body_radius(robot)

    def gap(winding: float) -> float:
        law = with_winding(controller, winding, initial=winding)
        shape = np.nan_to_num(first_targets(law, robot, period))
        return reach_from_axis(robot, shape, pieces)[0] - thick - (wall - press)

    loose, tight = max(own.low, LOOSEST), own.high
    if gap(tight) > 0.0:
        pressed = f"press a thinner pole by {1e3 * press:g} mm" if press > 0.0 else "touch a thinner pole"
        least = rounded_up(wall + gap(tight))
        raise InvalidValue("world.radius", wall, f"at least {least} m: within its limits the helix cannot {pressed}")
    if gap(loose) < 0.0:
        most = f"{floor(1e4 * (wall + gap(loose))) / 1e4:g}"
        raise InvalidValue("world.radius", wall, f"at most {most} m: within its limits the helix cannot open wider")
    return float(brentq(gap, loose, tight, xtol=1e-3))


def wound(controller: ShapeCompliance, robot: Robot, wall: float, press: float, period: float) -> ShapeCompliance:
    """A helix whose set point is so much [m] tighter than one that touches, and that begins there."""
    nominal = fitted_winding(controller, robot, wall, press, period)
    return with_winding(controller, nominal, initial=nominal)


def touching(controller: ShapeCompliance, robot: Robot, wall: float, period: float) -> Initial:
    """Joint angles of the helix, all but touching a pole: the drives close it."""
    shape = first_targets(wound(controller, robot, wall, -CLEAR, period), robot, period)
    return Initial(joint_position=tuple(np.nan_to_num(shape).tolist()))

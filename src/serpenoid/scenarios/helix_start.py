"""Shape laws on a pole: the winding at which a robot touches it, and a start in that shape."""

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

CLEAR = 0.0005  # initial gap to the pole [m]; with a larger gap the law mistakes closing for a push
LOOSEST = 0.7  # winding at which a helix is wider than all poles [rad/m]


def has_winding(controller: Any) -> TypeGuard[ShapeCompliance]:
    """Return whether a controller is a shape law with a winding."""
    return isinstance(controller, ShapeCompliance) and any(p.name == "winding" for p in controller.parameters)


def winding_of(controller: ShapeCompliance) -> Parameter:
    """Return the compliance parameter of a helix's winding."""
    require(has_winding(controller), "controller", controller.gait, "a helix with a compliant winding")
    return next(p for p in controller.parameters if p.name == "winding")


def with_winding(controller: ShapeCompliance, nominal: float, **yielding: Any) -> ShapeCompliance:
    """Return the same helix with another winding [rad/m] and changed compliance fields."""
    gait: Any = controller.gait
    parameters = tuple(replace(p, **yielding) if p.name == "winding" else p for p in controller.parameters)
    return replace(controller, gait=replace(gait, winding=nominal), parameters=parameters)


def fitted_winding(controller: ShapeCompliance, robot: Robot, wall: float, press: float, period: float) -> float:
    """Return the winding [rad/m] of a helix that is `press` [m] tighter than one touching a pole of radius `wall`
    [m]."""
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
        raise InvalidValue("world.radius", wall, f"at least {least} m: the limits of the helix do not let it {pressed}")
    if gap(loose) < 0.0:
        most = f"{floor(1e4 * (wall + gap(loose))) / 1e4:g}"
        raise InvalidValue("world.radius", wall, f"at most {most} m: the limits of the helix do not let it open wider")
    return float(brentq(gap, loose, tight, xtol=1e-3))


def fit_to_pole(controller: ShapeCompliance, robot: Robot, wall: float, press: float, period: float) -> ShapeCompliance:
    """Return a helix whose set point and initial winding are `press` [m] tighter than one that touches."""
    nominal = fitted_winding(controller, robot, wall, press, period)
    return with_winding(controller, nominal, initial=nominal)


def touching_start(controller: ShapeCompliance, robot: Robot, wall: float, period: float) -> Initial:
    """Return the joint angles of a helix that almost touches the pole; the drives close it."""
    shape = first_targets(fit_to_pole(controller, robot, wall, -CLEAR, period), robot, period)
    return Initial(joint_position=tuple(np.nan_to_num(shape).tolist()))

"""Contact metrics of a run: slip, contact load, direction of travel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import bodies_of, part_of
from serpenoid.analysis.locomotion import displacement, head_first
from serpenoid.analysis.window import samples
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots.base import Robot
from serpenoid.trajectory import Trajectory

GRAZING = 0.1  # fraction of a link's mean weight below which a contact is ignored, for robots of any size


def contact_slip(
    run: Trajectory, start: float | None = None, end: float | None = None, robot: Robot | None = None
) -> float:
    """Return the mean tangential speed at contacts, weighted by their force [m/s]; 0 without any.

    Contacts below a tenth of a link's mean weight do not count. `robot` is needed only if the run does not contain
    the one that made it.
    """
    chosen, robot = samples(run, start, end), part_of(run, "robot") if robot is None else robot
    return mean_slip(robot, np.linalg.norm(run["touch_force"][chosen], axis=-1), run["touch_slip"][chosen])


def mean_slip(robot: Robot, force: NDArray, slip: NDArray) -> float:
    """Return the mean [m/s] of a robot's slip (samples, contacts), weighted by the force; 0 without loaded contacts."""
    least = GRAZING * STANDARD_GRAVITY * float(bodies_of(robot).mass.mean())
    held = force > least  # false for NaN, which means no contact
    total = float(force[held].sum())
    return float((force[held] * slip[held]).sum()) / total if total > 0.0 else 0.0


def contact_load(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the sum of contact force magnitudes, averaged over time [N]."""
    force = np.linalg.norm(run["touch_force"][samples(run, start, end)], axis=-1)
    return float(np.nansum(force, axis=1).mean())


def course(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the direction of the horizontal displacement relative to the body, head first [rad].

    0 is straight ahead, positive to the left, pi tail first.
    """
    way, ahead = displacement(run, start, end), head_first(run, start, end)
    return float(np.arctan2(ahead[0] * way[1] - ahead[1] * way[0], ahead[0] * way[0] + ahead[1] * way[1]))


def path_radius(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the radius of the circle closest to the horizontal path of the centre of mass [m]; very large if
    straight.
    """
    x, y = run["center_of_mass"][samples(run, start, end), :2].T
    x, y = x - x.mean(), y - y.mean()
    a, b, c = np.linalg.lstsq(np.column_stack([2.0 * x, 2.0 * y, np.ones_like(x)]), x * x + y * y, rcond=None)[0]
    return float(np.sqrt(max(c + a * a + b * b, 0.0)))

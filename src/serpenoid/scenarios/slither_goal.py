"""A snake that slithers among pegs towards a goal and steers by bending its wave to one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, usual
from serpenoid.control.kernel_law import first_targets
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.scenarios.along_route import distances, steer_along
from serpenoid.scenarios.base import Parts, Quantity
from serpenoid.scenarios.slither_pegs import SlitherPegs, moving_average
from serpenoid.worlds.geometry import Point


@dataclass(frozen=True)
class SlitherGoal(SlitherPegs):
    """A snake slithers among pegs straight towards a goal; the run ends when its front half leaves the board."""

    robot: SeaSnake = SeaSnake()
    """snake"""
    controller: ShapeCompliance = ShapeCompliance.presets()["slithering_steered"]()
    """controller of the joints; its parameters define the steering"""
    goal: Annotated[Point, usual(-1.5, 1.5)] = (1.2, 1.2)
    """x y of the goal [m]; the route is a straight line from the initial body centre"""
    near: Annotated[float, above(0.0, usual=(0.1, 0.5))] = 0.25
    """distance at which the head has reached the goal [m]"""
    lookahead: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """distance of the target point ahead on the line [m]"""
    gain: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 2.0
    """steering per radian of heading error [1/rad]; 0: no steering"""

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, steer_along(self.law(), self.route(), self.lookahead, self.gain))

    def route(self) -> tuple[Point, ...]:
        """Return the line from the initial body centre to the goal."""
        shape = np.nan_to_num(first_targets(self.law(), self.robot, self.control_period))
        pieces = self.robot.planar_chain()
        bends = shape[pieces.joints]
        x, y, turn = self.world.clear_start(pieces.chain.length, pieces.radius, bends)
        heading = np.cumsum(np.append(turn, bends))
        steps = pieces.chain.length[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
        middle = np.array([x, y]) + (np.cumsum(steps, axis=0) - 0.5 * steps).mean(axis=0)
        return ((float(middle[0]), float(middle[1])), self.goal)

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Compute the quantities of slithering among pegs, the deviation from the line and the distance to the goal."""
        cycle = self.cycle_samples()
        places = variables["link_pose"][:, :, :2]
        route = np.array(self.route())
        nearest = np.linalg.norm(places[:, 0] - route[-1], axis=1).min()
        away = distances(route, moving_average(places.mean(axis=1), cycle))
        return super().measures(times, variables) | {
            "reached": Quantity(bool(nearest <= self.near)),
            "nearest_to_goal": Quantity(float(nearest), "m"),
            "line_distance": Quantity(float(away.mean()), "m"),
            "greatest_line_distance": Quantity(float(away.max()), "m"),
        }

"""Travelling surface of water with regular waves: one rigid mesh that moves at the phase speed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.run_geometry import RunGeometry
from serpenoid.worlds.geometry import Mesh
from serpenoid.worlds.water import WaterSurface
from serpenoid.worlds.waves import Waves

ROWS = 16  # per wavelength
MOST_WAVES = 100  # wavelengths across a scene; shorter waves are not drawn


class Drift(NamedTuple):
    """Travel of a periodic surface: at a constant velocity, and back by one wavelength whenever it has moved so far."""

    direction: NDArray  # (2,) unit vector
    speed: float  # [m/s]
    length: float  # [m]
    start: float  # time of the run at the start of the scene [s]

    def places(self, times: NDArray) -> NDArray:
        """Return the displacements (times, 3) at times of the scene [m]."""
        travelled = np.mod(self.speed * (times + self.start), self.length)
        return np.column_stack([np.outer(travelled, self.direction), np.zeros(times.size)])

    def towards(self, offset: NDArray) -> NDArray:
        """Return an offset (2,) in the plane, rounded along the travel to whole wavelengths [m]."""
        along = float(offset @ self.direction)
        return offset + (self.length * round(along / self.length) - along) * self.direction


def drawn_waves(around: RunGeometry, reach: float) -> tuple[Waves, float] | None:
    """Return the waves of a run's world and their speed [m/s]; None for still water or waves far below the scene's
    size `reach` [m]."""
    world = around.world
    if not isinstance(world, WaterSurface) or world.waves.height == 0.0:
        return None
    waves = world.waves
    if 2.0 * reach > MOST_WAVES * waves.length:
        return None
    return waves, waves.rate(world.gravity) / waves.number


def wave_mesh(waves: Waves, center: NDArray, reach: float) -> Mesh:
    """Return the surface at time zero around a point (2,), within `reach` [m] even after travelling a wavelength."""
    along = np.array([np.cos(waves.direction), np.sin(waves.direction)])
    middle = float(center @ along)
    count = int(np.ceil((2.0 * reach + waves.length) / waves.length * ROWS)) + 1
    s = np.linspace(middle - reach - waves.length, middle + reach, count)
    height = 0.5 * waves.height * np.cos(waves.number * s + waves.phase)
    across = np.array([-along[1], along[0]])
    places = np.outer(s - middle, along) + center
    rows = [np.column_stack([places + sign * reach * across, height]) for sign in (-1.0, 1.0)]
    i = np.arange(count - 1)
    faces = np.concatenate([np.column_stack([i, i + 1, i + 1 + count]), np.column_stack([i, i + 1 + count, i + count])])
    return Mesh(np.concatenate(rows), faces, smooth=True)

"""Waves in pictures: the drawn surface is the one that the physics uses, at any time and in any frame."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.analysis.run_geometry import RunGeometry
from serpenoid.scenarios.slither import Slither
from serpenoid.studio import scene as scene_module
from serpenoid.studio.html import page_of
from serpenoid.studio.scene import scene_of
from serpenoid.studio.world_objects import waves_of
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.waves import Waves

WAVES = Waves(height=0.04, length=1.5, direction=0.7, phase=0.4)
CENTER, REACH = np.array([0.3, -0.8]), 4.0


def around(waves: Waves) -> RunGeometry:
    """Geometry of water with waves."""
    world = WaterSurface(waves=waves)
    return RunGeometry(world.geometry(), (), (), np.zeros((0, 2)), "", world)


def elevation(waves: Waves, places: np.ndarray, time: float, gravity: float) -> np.ndarray:
    """The formula in the docstring of Waves."""
    along = places @ (np.cos(waves.direction), np.sin(waves.direction))
    return 0.5 * waves.height * np.cos(waves.number * along - waves.rate(gravity) * time + waves.phase)


@pytest.mark.parametrize("begin", [0.0, 3.7])
def test_the_drawn_surface_has_the_elevation_of_the_waves(begin):
    frames = begin + np.linspace(0.0, 2.0, 21)
    (thing,) = waves_of(around(WAVES), frames, CENTER, REACH)
    mesh, gravity = np.asarray(thing.mesh.vertices), WaterSurface().gravity
    for time in (0.0, 0.03, 0.7, 12.3):
        for aside in (np.zeros(2), np.array([3.1, -7.7])):
            places = mesh + thing.pose_at(frames - begin, time)[:3] + [*thing.drift.towards(aside), 0.0]
            assert places[:, 2] == pytest.approx(elevation(WAVES, places[:, :2], begin + time, gravity), abs=1e-9)
    assert 0.019 < np.ptp(mesh[:, 2]) / 2.0 <= 0.02
    assert thing.poses == pytest.approx(np.array([thing.pose_at(frames - begin, time) for time in frames - begin]))
    along = (mesh[:, :2] - CENTER) @ thing.drift.direction
    assert along.min() + WAVES.length <= -REACH + 1e-9 and along.max() >= REACH - 1e-9  # covered at every time


@pytest.mark.parametrize("waves", [Waves(), Waves(height=0.001, length=0.02)], ids=["still", "ripples"])
def test_still_water_and_ripples_in_a_large_scene_are_flat(waves):
    assert waves_of(around(waves), np.zeros(1), CENTER, REACH) == []


def test_scene_and_page_show_waves_and_a_trace_of_the_mean_surface(monkeypatch):
    run = Slither(duration=0.05).run()
    monkeypatch.setattr(scene_module, "run_geometry", lambda run: around(Waves()))
    flat = scene_of(run)
    monkeypatch.setattr(scene_module, "run_geometry", lambda run: around(WAVES))
    wavy = scene_of(run)
    assert [thing.name for thing in wavy.things if thing.moves] == ["waves/0"]
    assert not flat.things and 0.0 < wavy.floor.opacity < 0.5 * flat.floor.opacity
    assert "waves" in page_of(run)

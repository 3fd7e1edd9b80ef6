"""Slithering on a bare floor with isotropic friction."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.control import OpenLoop
from serpenoid.gaits import Slithering
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import PegBoard


def forward(**fields):
    """Return the head-first displacement of the centre of mass per cycle [m], over three cycles after the first."""
    controller = OpenLoop(Slithering(frequency=1.0 / 3.5))
    world = PegBoard(density=0.0, size=(50.0, 50.0), **fields)
    run = SlitherPegs(world=world, controller=controller, duration=14.0).run()
    cycles = np.searchsorted(run.times, 3.5 * np.arange(1, 5) - 1e-9)
    axis = run["body_axis"][cycles[:-1]]
    steps = np.diff(run["center_of_mass"][cycles], axis=0)
    return float((steps * axis).sum(axis=1).mean() / np.linalg.norm(axis, axis=1).mean())


def test_equal_friction_drives_the_snake_backwards_whatever_its_size():
    """Check claim S25 (no motion); Coulomb's law weighs slow parts of the body as much as fast ones."""
    ways = [forward(friction=friction) for friction in (0.1, 0.3, 0.6)]
    assert all(-0.06 < way < -0.04 for way in ways) and np.ptp(ways) < 0.005


def test_more_friction_across_drives_it_head_first():
    assert forward(friction=0.3, friction_along=0.15) == pytest.approx(0.08, abs=0.02)

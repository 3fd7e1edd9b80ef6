"""The controllers of the protocol POLE: poles by name, and who climbs them."""

from __future__ import annotations

from dataclasses import replace

from serpenoid.control import ShapeCompliance
from serpenoid.worlds import Pole
from serpenoid_papers.sea_snake.boards import changed, preset
from serpenoid_papers.sea_snake.pole_trial import PoleTrial

POLES = {
    "cone to thin": Pole(profile="cone", radius=0.09, other_radius=0.07),
    "cone to thick": Pole(profile="cone", radius=0.07, other_radius=0.09),
    "step to thin": Pole(profile="step", radius=0.08, other_radius=0.07),
    "step to thick": Pole(profile="step", radius=0.07, other_radius=0.08),
    "bulge": Pole(profile="bulge", radius=0.07, other_radius=0.085),
}
FIXED = ("fixed thin", "fixed mean", "fixed thick")  # shapes for the least, mean and greatest radius of a pole
PRESS = 0.015  # of a fixed shape, tighter than one that touches its radius [m]


def laws() -> dict[str, ShapeCompliance]:
    """C1 compliant as a whole, CW in windows, CWA with the adaptive set point, C1A the same as a whole."""
    windows, central = preset("helix"), preset("helix_central")
    return {
        "C1": central, "CW": changed(windows, "winding", adapt_rate=0.0), "CWA": windows,
        "C1A": changed(central, "winding", adapt_rate=0.1),
    }  # fmt: skip


def climbs(pole: Pole, duration: float) -> dict[str, PoleTrial]:
    """All controllers on one pole; a fixed shape feels nothing and has no bias."""
    rigid = changed(preset("helix_central"), "winding", sign=(0.0,), bias=0.0)
    ends = sorted((pole.radius, pole.other_radius))
    found = {name: PoleTrial(world=pole, controller=law, wound=True, duration=duration) for name, law in laws().items()}
    for name, radius in zip(FIXED, (ends[0], 0.5 * sum(ends), ends[1])):
        found[name] = replace(found["C1"], controller=rigid, press=pole.radius - radius + PRESS)
    return found

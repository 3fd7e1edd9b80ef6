"""Protocol POLE: poles by name, and the controllers that climb them."""

from __future__ import annotations

from dataclasses import replace

from serpenoid.control import ShapeCompliance
from serpenoid.worlds import Pole
from serpenoid_papers.sea_snake.boards import change_parameter, preset
from serpenoid_papers.sea_snake.pole_trial import PoleTrial

POLES = {
    "cone to thin": Pole(profile="cone", radius=0.09, other_radius=0.07),
    "cone to thick": Pole(profile="cone", radius=0.07, other_radius=0.09),
    "step to thin": Pole(profile="step", radius=0.08, other_radius=0.07),
    "step to thick": Pole(profile="step", radius=0.07, other_radius=0.08),
    "bulge": Pole(profile="bulge", radius=0.07, other_radius=0.085),
}
FIXED = ("fixed thin", "fixed mean", "fixed thick")  # shapes for the smallest, mean and largest radius of a pole
PRESS = 0.015  # amount by which a fixed shape is tighter than one that touches its radius [m]


def laws() -> dict[str, ShapeCompliance]:
    """Return C1 (compliant as a whole), CW (in windows), CWA (adaptive set point), and C1A (adaptive, as a whole)."""
    windows, central = preset("helix"), preset("helix_central")
    return {
        "C1": central, "CW": change_parameter(windows, "winding", adapt_rate=0.0), "CWA": windows,
        "C1A": change_parameter(central, "winding", adapt_rate=0.1),
    }  # fmt: skip


def climbs(pole: Pole, duration: float) -> dict[str, PoleTrial]:
    """Return all controllers on one pole; a fixed shape senses nothing and has no bias."""
    rigid = change_parameter(preset("helix_central"), "winding", sign=(0.0,), bias=0.0)
    ends = sorted((pole.radius, pole.other_radius))
    found = {name: PoleTrial(world=pole, controller=law, wound=True, duration=duration) for name, law in laws().items()}
    for name, radius in zip(FIXED, (ends[0], 0.5 * sum(ends), ends[1])):
        found[name] = replace(found["C1"], controller=rigid, press=pole.radius - radius + PRESS)
    return found

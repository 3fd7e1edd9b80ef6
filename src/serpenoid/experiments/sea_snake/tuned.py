"""What `serpenoid optimise` found for the slithering controllers, and the controllers with it.

Every controller had 60 trials on boards 1000 to 1019, 27 pegs per square metre, 40 s, for the greatest mean speed, over
what the thesis does not print and its laboratory's constants (form L) do not fix. docs/sea-snake.md has the commands.
"""

from __future__ import annotations

from dataclasses import replace

from serpenoid import configuration
from serpenoid.control import CentralPatternGenerator, JointAdmittance, ShapeCompliance
from serpenoid.control.kernel_law import WaveController

PRESETS = {
    "OL45": "slithering_rigid", "A": "slithering_a", "AW": "slithering_aw", "AWP": "slithering_awp",
    "AW1": "slithering_aw_central", "AWPw": "slithering_awp_windows", "AW, form P": "slithering_aw_printed",
    "AW, L-": "slithering_aw_minus",
}  # fmt: skip
FOUND: dict[str, dict[str, float]] = {
    "A": {},
}


def slithering(name: str) -> ShapeCompliance:
    """A shape law of the protocol PB with what was found for it."""
    law = ShapeCompliance.presets()[PRESETS[name]]()
    return configuration.changed(law, FOUND.get(name, {}))


def controllers() -> dict[str, WaveController]:
    """All controllers of the protocol but OLm, whose amplitude is a result; CPGm has the bias of form L besides."""
    rival = CentralPatternGenerator()
    matched = replace(rival, amplitude=replace(rival.amplitude, bias=3.0))
    found: dict[str, WaveController] = {name: slithering(name) for name in PRESETS}
    others = {"JA": JointAdmittance(), "CPG": rival, "CPGm": matched}
    return found | {name: configuration.changed(law, FOUND.get(name, {})) for name, law in others.items()}

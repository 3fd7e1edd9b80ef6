"""What `serpenoid optimise` found for the slithering controllers, and the controllers with it.

Every controller but two had 60 trials on boards 1000 to 1019, 27 pegs per square metre, 40 s, for the greatest mean
speed, over what the thesis does not print and its laboratory's constants (form L) do not fix. docs/sea-snake.md has the
command.
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
    "CPG": {
        "amplitude.damping": 0.9022, "amplitude.stiffness": 11.0, "spatial_frequency.damping": 0.1527,
        "spatial_frequency.stiffness": 0.9617, "coupling": 21.53, "phase_gain": 0.005382,
    },
    "JA": {"mass": 0.01045, "damping": 29.5},
    "A": {"parameters.amplitude.low": 0.08891, "parameters.amplitude.high": 1.023},
    "AW": {
        "parameters.amplitude.low": 0.2633, "parameters.amplitude.high": 1.061,
        "parameters.spatial_frequency.low": 5.699, "parameters.spatial_frequency.high": 13.36,
    },
    "AWP": {
        "parameters.amplitude.low": 0.6655, "parameters.amplitude.high": 1.032,
        "parameters.spatial_frequency.low": 3.026, "parameters.spatial_frequency.high": 12.05,
        "parameters.phase.mass": 4.741, "parameters.phase.damping": 0.5326, "parameters.phase.stiffness": 3.0,
    },
    "AW1": {
        "parameters.amplitude.low": 0.01464, "parameters.amplitude.high": 1.228,
        "parameters.spatial_frequency.low": 6.864, "parameters.spatial_frequency.high": 13.24,
    },
    "AWPw": {
        "parameters.amplitude.low": 0.1249, "parameters.amplitude.high": 1.009,
        "parameters.spatial_frequency.low": 3.477, "parameters.spatial_frequency.high": 14.04,
        "parameters.phase.mass": 1.998, "parameters.phase.damping": 7.362, "parameters.phase.stiffness": 5.099,
    },
    "AW, L-": {
        "parameters.amplitude.low": 0.6534, "parameters.amplitude.high": 1.104,
        "parameters.spatial_frequency.low": 8.93, "parameters.spatial_frequency.high": 13.5,
    },
}  # fmt: skip
FOUND["CPGm"], FOUND["AW, form P"] = FOUND["CPG"], FOUND["AW"]  # without trials: the bias alone is different

SIDEWINDING = {"AC-SFC": "ac_sfc", "AC": "ac", "SFC": "sfc", "OL": "rigid"}
FOUND_IN_ROWS: dict[str, dict[str, float]] = {}


def sidewinding(name: str) -> ShapeCompliance:
    """A shape law of the protocol ROW with what was found for it."""
    law = ShapeCompliance.presets()[f"sidewinding_{SIDEWINDING[name]}"]()
    return configuration.changed(law, FOUND_IN_ROWS.get(name, {}))


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

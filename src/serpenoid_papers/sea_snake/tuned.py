"""Tuned values of the thesis's controllers, and the controllers with them.

`FOUND` and `FOUND_IN_ROWS` come from a search of 60 trials for the largest mean speed. It used boards 1000 to 1039 and
rows 1000 to 1003, and left the wavelength, the signs and most gains unchanged. Results with the same fields free for
all controllers, from tools/tune_thesis.py, will replace them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from serpenoid import configuration
from serpenoid.control import CentralPatternGenerator, JointAdmittance, ShapeCompliance
from serpenoid.control.kernel_law import WaveController

PRESETS = {
    "OL45": "slithering_a", "A": "slithering_a", "AW": "slithering_aw", "AWP": "slithering_awp",
    "AW1": "slithering_aw_central", "AWPw": "slithering_awp_windows", "AW, form P": "slithering_aw_printed",
    "AW, L-": "slithering_aw_minus",
}  # fmt: skip
FOUND: dict[str, dict[str, float]] = {
    "CPG": {
        "amplitude.damping": 0.3519, "amplitude.stiffness": 13.03, "spatial_frequency.damping": 0.3386,
        "spatial_frequency.stiffness": 1.991, "coupling": 18.64, "phase_gain": 0.1824,
    },
    "JA": {"mass": 0.6878, "damping": 22.01},
    "A": {"parameters.amplitude.low": 0.1035, "parameters.amplitude.high": 1.072},
    "AW": {
        "parameters.amplitude.low": 0.6973, "parameters.amplitude.high": 1.004,
        "parameters.spatial_frequency.low": 3.507, "parameters.spatial_frequency.high": 13.79,
    },
    "AWP": {
        "parameters.amplitude.low": 0.04487, "parameters.amplitude.high": 1.005,
        "parameters.spatial_frequency.low": 3.029, "parameters.spatial_frequency.high": 12.3,
        "parameters.phase.mass": 3.484, "parameters.phase.damping": 1.432, "parameters.phase.stiffness": 7.469,
    },
    "AW1": {
        "parameters.amplitude.low": 0.01413, "parameters.amplitude.high": 1.265,
        "parameters.spatial_frequency.low": 6.736, "parameters.spatial_frequency.high": 13.67,
    },
    "AWPw": {
        "parameters.amplitude.low": 0.3108, "parameters.amplitude.high": 0.9892,
        "parameters.spatial_frequency.low": 4.124, "parameters.spatial_frequency.high": 13.31,
        "parameters.phase.mass": 2.262, "parameters.phase.damping": 2.02, "parameters.phase.stiffness": 15.37,
    },
    "AW, L-": {
        "parameters.amplitude.low": 0.5566, "parameters.amplitude.high": 1.051,
        "parameters.spatial_frequency.low": 7.542, "parameters.spatial_frequency.high": 12.44,
    },
}  # fmt: skip
FOUND["CPGm"], FOUND["AW, form P"] = FOUND["CPG"], FOUND["AW"]  # without trials, because only the bias differs

SIDEWINDING = {"AC-SFC": "ac_sfc", "AC": "ac", "SFC": "sfc", "OL": "rigid"}
FOUND_IN_ROWS: dict[str, dict[str, float]] = {
    "AC-SFC": {
        "gait.amplitude": 0.6876, "gait.dorsal_amplitude": 0.1509, "turning.taper": 0.7651,
        "dead_band": 0.2294, "parameters.amplitude.low": 0.1876, "parameters.amplitude.high": 1.002,
        "parameters.spatial_frequency.low": 7.183, "parameters.spatial_frequency.high": 14.1,
    },
    "AC": {
        "gait.amplitude": 0.7518, "gait.dorsal_amplitude": 0.1923, "turning.taper": 0.2399,
        "dead_band": 0.0584, "parameters.amplitude.low": 0.2748, "parameters.amplitude.high": 1.275,
    },
    "SFC": {
        "gait.amplitude": 0.8893, "gait.dorsal_amplitude": 0.2675, "turning.taper": 0.6284,
        "dead_band": 0.429, "parameters.spatial_frequency.low": 7.495, "parameters.spatial_frequency.high": 13.4,
    },
    "OL": {
        "gait.amplitude": 0.8487, "gait.dorsal_amplitude": 0.1572, "turning.taper": 0.2351,
    },
}  # fmt: skip


def sidewinding(name: str, values: Mapping[str, float] | None = None) -> ShapeCompliance:
    """Return a shape law of the protocol ROW, tuned or with other values."""
    law = ShapeCompliance.presets()[f"sidewinding_{SIDEWINDING[name]}"]()
    return configuration.changed(law, FOUND_IN_ROWS.get(name, {}) if values is None else values)


def slithering(name: str) -> ShapeCompliance:
    """Return a tuned shape law of the protocol PB."""
    law = ShapeCompliance.presets()[PRESETS[name]]()
    law = law.rigid() if name == "OL45" else law
    return configuration.changed(law, FOUND.get(name, {}))


def controllers() -> dict[str, WaveController]:
    """Return all controllers of the protocol except OLm, whose amplitude is a result; CPGm also has form L's bias."""
    rival = CentralPatternGenerator()
    matched = replace(rival, amplitude=replace(rival.amplitude, bias=3.0))
    found: dict[str, WaveController] = {name: slithering(name) for name in PRESETS}
    others = {"JA": JointAdmittance(), "CPG": rival, "CPGm": matched}
    return found | {name: configuration.changed(law, FOUND.get(name, {})) for name, law in others.items()}

"""Laws of the study: the shipped policy, its rivals, and the policy with parts taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid import configuration
from serpenoid.control import CentralPatternGenerator, Learned, OpenLoop, ShapeCompliance
from serpenoid.control.kernel_law import WaveController
from serpenoid_papers.sea_snake.tuned import controllers, slithering

LEARNED, SHORT_LAW = "learned", "short law"
FREE = ("CPG, free wave", "AWP, free wave", "open loop, free wave")
FREE_WAVE: dict[str, dict[str, float]] = {
    "CPG, free wave": {
        "gait.amplitude": 0.6522, "gait.spatial_frequency": 5.125, "amplitude.damping": 5.532,
        "amplitude.stiffness": 5.478, "amplitude.sign": -0.6295, "spatial_frequency.damping": 9.446,
        "spatial_frequency.stiffness": 3.1, "spatial_frequency.sign": 0.3458, "coupling": 12.28, "phase_gain": 0.3013,
    },
    "AWP, free wave": {
        "gait.spatial_frequency": 5.964, "parameters.amplitude.low": 0.006741, "parameters.amplitude.high": 0.9449,
        "parameters.phase.mass": 0.2035, "parameters.phase.damping": 0.5316, "parameters.phase.stiffness": 6.616,
    },
    "open loop, free wave": {"gait.amplitude": 0.8654, "gait.spatial_frequency": 6.067},
}  # fmt: skip
"""Values found by `tools/tune_free_waves.py`: 120 trials on 20 boards of no result, for speed along the path."""
WIDE = {"low": 3.0, "high": 16.0}  # limits of the spatial frequency, as those of the policy [rad/body]
TORQUES = ("load", "drag", "load_mean", "drag_mean", "effort", "load_slow", "drag_slow", "effort_slow")


def learned() -> Learned:
    """Return the shipped policy."""
    return Learned.presets()["slithering_learned"]()


def short_law() -> Learned:
    """Return the law of three lines that the ablation suggests."""
    return Learned.presets()["slithering_three_lines"]()


def opposed(law: CentralPatternGenerator) -> CentralPatternGenerator:
    """Return a CPG with the other sign of the amplitude feedback."""
    return replace(law, amplitude=replace(law.amplitude, sign=-law.amplitude.sign))


def free_laws() -> dict[str, WaveController]:
    """Return the laws whose wavelength and sign of the feedback are searched too, with the policy's limits."""
    shape, cpg = ShapeCompliance.presets()["slithering_awp"](), CentralPatternGenerator()
    wide = {f"parameters.spatial_frequency.{end}": value for end, value in WIDE.items()}
    oscillators = replace(cpg, spatial_frequency=replace(cpg.spatial_frequency, **WIDE))
    return dict(zip(FREE, (oscillators, configuration.changed(shape, wide), OpenLoop())))


def freely_tuned() -> dict[str, WaveController]:
    """Return these laws with the values that were found."""
    return {name: configuration.changed(law, FREE_WAVE[name]) for name, law in free_laws().items()}


def rivals() -> dict[str, WaveController]:
    """Return the tuned laws, the presets as proposed, and the laws tuned with a free wavelength."""
    tuned, presets = controllers(), ShapeCompliance.presets()
    cpg: Any = tuned["CPG"]
    return {
        "CPG": cpg, "AWP": slithering("AWP"), **freely_tuned(), "CPG, other sign": opposed(cpg),
        "AWP, all free": presets["slithering_awp_tuned"](), "AW": slithering("AW"), "AW, L-": slithering("AW, L-"),
        "CPG as proposed, other sign": opposed(CentralPatternGenerator()),
        "AW as proposed": presets["slithering_aw"](), "AWP as proposed": presets["slithering_awp"](),
        "AW, L- as proposed": presets["slithering_aw_minus"](),
    }  # fmt: skip


def weights(policy: Learned) -> np.ndarray:
    """Return the rows of a linear policy: a weight per input, then the bias."""
    return np.array(policy.network.weights).reshape(len(policy.outputs), len(policy.inputs) + 1)


def with_weights(policy: Learned, rows: np.ndarray) -> Learned:
    """Return a linear policy with other weights."""
    return replace(policy, network=replace(policy.network, weights=tuple(rows.ravel().tolist())))


def without(policy: Learned, inputs: tuple[str, ...] = (), outputs: tuple[str, ...] = ()) -> Learned:
    """Return a linear policy that ignores some inputs, and whose named outputs keep only their bias."""
    rows = weights(policy)
    rows[:, [k for k, name in enumerate(policy.inputs) if name in inputs]] = 0.0
    rows[[k for k, name in enumerate(policy.outputs) if name in outputs], :-1] = 0.0
    return with_weights(policy, rows)


def taken_apart() -> dict[str, WaveController]:
    """Return the policy without some inputs or outputs, and older laws at its wave."""
    policy = learned()
    found: dict[str, WaveController] = {"no feedback": without(policy, inputs=policy.inputs)}
    found |= {f"without {name}": without(policy, inputs=(name,)) for name in policy.inputs}
    found |= {f"constant {name}": without(policy, outputs=(name,)) for name in policy.outputs}
    wave = {"amplitude": policy.gait.amplitude, "spatial_frequency": policy.gait.spatial_frequency}
    bias = dict(zip(policy.outputs, weights(policy)[:, -1]))
    wave["amplitude"] += bias.get("amplitude", 0.0)
    wave["spatial_frequency"] += bias.get("wave", 0.0)
    cpg: Any = controllers()["CPG"]
    low = replace(cpg.spatial_frequency, low=min(cpg.spatial_frequency.low, 0.9 * wave["spatial_frequency"]))
    return found | {"CPG at its wave": replace(cpg, gait=replace(cpg.gait, **wave), spatial_frequency=low)}

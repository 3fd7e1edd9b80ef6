"""Search for the values of every controller of the SEA-snake thesis: python tools/tune_thesis.py FOLDER [NAME ...].

All controllers have the same fields free, as far as they have them. Each has 120 trials on boards that no result uses.
The objective is the reported measure: pooled cycles per metre, divided by the share of runs that leave the board. In
rows it is the mean time until a run passes or fails, divided by the share that passes. A search resumes after an
interruption. Copy the values that it finds to serpenoid_papers/sea_snake/tuned.py.
"""

import sys
from pathlib import Path

from serpenoid.configuration import changed
from serpenoid.control import ShapeCompliance
from serpenoid.scenarios.sidewind_pegs import SidewindPegs
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.sweeps import Threads, optimise, optimum
from serpenoid_papers.sea_snake.readings import proposed

TRIALS = 120
BOARDS = {"world.density": "24,27,30", "world.seed": "1000:1003"}  # not used for any result
ROWS = {"world.seed": "1000:1003"}
COST, ROW_COST = "cycles/distance/out:min", "time_used/passed:min"
WAVELENGTH = {"spatial_frequency": "6.3:12.5"}
ADMITTANCE = {"mass": "log:0.05:10", "damping": "log:0.1:30", "stiffness": "log:0.2:20"}
SIGN, BIAS = "-1:1", {"bias": "0:10"}
AMPLITUDE_LIMITS, WAVE_LIMITS = {"low": "0:0.75", "high": "0.8:1.55"}, {"low": "3:6.28", "high": "12.57:16"}


def named(owner: str, *parts: dict[str, str]) -> dict[str, str]:
    """Return ranges as fields of a part of the controller."""
    return {f"controller.{owner}.{field}": ends for part in parts for field, ends in part.items()}


def of(parameter: str, *parts: dict[str, str]) -> dict[str, str]:
    """Return ranges as fields of one shape parameter."""
    return named(f"parameters.{parameter}", *parts)


SIGNS = {"sign.0": SIGN}
AMPLITUDE = named("gait", WAVELENGTH) | of("amplitude", ADMITTANCE, SIGNS, BIAS, AMPLITUDE_LIMITS)
WAVE = of("spatial_frequency", ADMITTANCE, SIGNS, WAVE_LIMITS)
PHASE = of("phase", ADMITTANCE, SIGNS)
OSCILLATORS = {
    **named("gait", WAVELENGTH), **named("amplitude", ADMITTANCE, {"sign": SIGN}, BIAS, AMPLITUDE_LIMITS),
    **named("spatial_frequency", ADMITTANCE, {"sign": SIGN}, WAVE_LIMITS),
    "controller.coupling": "log:1:30", "controller.phase_gain": "-0.5:0.5",
}  # fmt: skip
WAVE_ONLY = WAVELENGTH | {"amplitude": "0.4:1.53"}  # no bias that could raise the amplitude
JOINTS = named("shape.gait", WAVE_ONLY) | {f"controller.{k}": v for k, v in (ADMITTANCE | {"sign": SIGN}).items()}
GAIT = {
    "controller.gait.amplitude": "0.4:0.89", "controller.gait.dorsal_amplitude": "0.15:0.4",
    "controller.turning.taper": "0:0.8",
}  # fmt: skip
DEAD = {"controller.dead_band": "0:3"}
REACTING = of("amplitude", {"low": "0.1:0.4", "high": "0.9:1.5"})
SQUEEZING = of("spatial_frequency", {"low": "5:9.4", "high": "9.5:14.1"})

AMONG_PEGS = {
    "CPG": OSCILLATORS, "AWP": AMPLITUDE | WAVE | PHASE, "AW": AMPLITUDE | WAVE, "A": AMPLITUDE,
    "OL": named("gait", WAVE_ONLY), "JA": JOINTS, "AW1": AMPLITUDE | WAVE, "AWPw": AMPLITUDE | WAVE | PHASE,
}  # fmt: skip
THROUGH_ROWS = {
    "sidewinding_ac_sfc": GAIT | DEAD | REACTING | SQUEEZING, "sidewinding_ac": GAIT | DEAD | REACTING,
    "sidewinding_sfc": GAIT | DEAD | SQUEEZING, "sidewinding_rigid": GAIT,
}  # fmt: skip


def scenario_of(name: str) -> tuple[SlitherPegs | SidewindPegs, dict[str, str], dict[str, str], str]:
    """Return a controller's scenario, the ranges of its search, the axes averaged in a trial, and the objective."""
    if name in THROUGH_ROWS:
        row = SidewindPegs(controller=ShapeCompliance.presets()[name](), step=0.002)
        return row, THROUGH_ROWS[name], ROWS, ROW_COST
    return changed(SlitherPegs(step=0.002), {"controller": proposed()[name]}), AMONG_PEGS[name], BOARDS, COST


def main(folder: Path, names: list[str]) -> None:
    """Search for every controller, or for some, and print the results."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or (*AMONG_PEGS, *THROUGH_ROWS):
        scenario, over, average, best = scenario_of(name)
        store = folder / f"{name}.zarr"
        optimise(scenario, over, best, store, average, TRIALS, Threads(1) if names else None)
        found = optimum(store).trial
        short = {field.removeprefix("controller."): float(f"{value:.4g}") for field, value in found.fields.items()}
        print(f"{name!r}: {short},  # {best} {found.value:.4g} +- {found.error:.2g}, trial {found.number}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"{__doc__}")
    main(Path(sys.argv[1]), sys.argv[2:])

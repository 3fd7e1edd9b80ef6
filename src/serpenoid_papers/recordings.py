"""Comparison with recordings of a real snake among pegs: our law on its torques, and our runs by the same measures.

The recordings are those of the public repository gsartoretti/Deep-SEA-Snake ("Compliance, Forward"). They have 16
modules, of which the even ones move; amplitude and spatial frequency yield in half waves. The tables have the format of
estimation/tables.py.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.statistics import bootstrap, mcnemar, pooled_ratio
from serpenoid.control.kernel_law import NO_IMU, KernelLaw
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Windows
from serpenoid.errors import FileProblem
from serpenoid.estimation import read_csv
from serpenoid.estimation.readings import Readings
from serpenoid.kernels.laws.tick import Sensed, law_tick
from serpenoid.robots import SeaSnake
from serpenoid.scenarios.slither_pegs import SlitherPegs, net_cycles
from serpenoid.sweeps import Executor
from serpenoid.worlds import PegBoard
from serpenoid_papers.complete_sweep import complete_sweep

ROBOT = SeaSnake(modules=16)
RATE, START = 1.8, 0.5 * pi  # omega_T [rad/s], Omega of their first tick [rad]
FEELS = {"tau_D + J^T T": -1.0, "tau_D - J^T T": 1.0, "no torque": 0.0}  # factor from their torque to our sensor's
ANCHORS = {"both at zero curvature": 0.0, "spatial frequency at greatest curvature": 0.5 * pi}
DENSITIES = (24.0, 27.0, 30.0)  # [1/m^2]
SIGNS = {"yields": "slithering_aw", "pushes back": "slithering_aw_minus"}


class RecordingMeasures(NamedTuple):
    """Measures of one recording."""

    cycles_per_metre: float  # inverse of the mean net displacement over one cycle [1/m]
    torque_rms: float  # over the joints that move [N m]
    torque_most: float  # [N m]
    cut: float  # share of the moving angles at their limit


def recordings(folder: Path | str) -> dict[str, Readings]:
    """Return every table of a folder, by its name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileProblem(folder, "must be a folder with recordings run_*.csv (see docs/papers/reports/recordings.md)")
    found = {path.stem: read_csv(path) for path in sorted(folder.glob("run_*.csv"))}
    if not found:
        raise FileProblem(folder, "must contain recordings run_*.csv (see docs/papers/reports/recordings.md)")
    for name, readings in found.items():
        shapes = [part.shape[1] if part is not None else 0 for part in (readings.position, readings.torque)]
        if shapes != [ROBOT.joints] * 2 or readings.path is None:
            raise FileProblem(
                folder / f"{name}.csv", f"must contain {ROBOT.joints} angles and torques, x_m, y_m and z_m"
            )
    return found


def measure_recording(readings: Readings) -> RecordingMeasures:
    """Return cycles per metre and torques of a recording."""
    angles, torques = (part[:, list(ROBOT.yaw_joints)] for part in readings.needed("position", "torque"))
    cycle = round(2.0 * pi / (RATE * readings.period))
    return RecordingMeasures(
        net_cycles(np.asarray(readings.path), cycle),
        float(np.sqrt(np.nanmean(torques**2))), float(np.nanmax(np.abs(torques))),
        float(np.mean(np.abs(angles) > np.abs(angles).max() - 1e-3)),
    )  # fmt: skip


def replayed_law(anchor: float) -> ShapeCompliance:
    """Return our law with their constants and initial state; angles are limited, amplitudes are not.

    They count s from one module ahead of the first joint, we from the first joint. At the start the difference is a
    phase of one sixteenth of 3 pi.
    """
    given = ShapeCompliance.presets()["slithering_aw"]()
    waves = "half_wave" if anchor == 0.0 else "crests"
    changes: dict[str, dict[str, Any]] = {
        "amplitude": {"initial": 0.5 * pi, "low": -1e6, "high": 1e6},
        "spatial_frequency": {"windows": waves, "low": 0.01, "high": 8.0 * pi},
        "phase": {},
    }  # fmt: skip
    gait: Any = given.gait
    gait = replace(gait, phase=START - 3.0 * pi / ROBOT.joints)
    windows = [Windows("half_wave", fresh="neighbour")]
    if anchor:
        windows.insert(0, Windows("crests", anchor=anchor, fresh="neighbour"))
    yielding = tuple(replace(p, **changes[p.name]) for p in given.parameters)
    return replace(given, gait=gait, windows=tuple(windows), parameters=yielding, angle_limit=0.5 * pi)


def replay_law(readings: Readings, factor: float, anchor: float) -> NDArray:
    """Return the angles (ticks, lateral joints) that our law commands with the recorded torques [rad]."""
    (torques,) = readings.needed("torque")
    law = KernelLaw(replayed_law(anchor), ROBOT, readings.period)
    still, angles = np.zeros(ROBOT.joints), np.empty((len(torques), len(ROBOT.yaw_joints)))
    for tick, torque in enumerate(torques):
        felt = np.nan_to_num(factor * torque)
        law_tick(law.record, law.memory, Sensed(tick * readings.period, still, still, felt, NO_IMU, NO_IMU), law.target)
        angles[tick] = law.target[list(ROBOT.yaw_joints)]
    return angles


def differences(readings: Readings) -> dict[str, dict[str, float]]:
    """Return the rms of our angles minus those sent [rad], by torque input and by window anchors."""
    sent = readings.needed("position")[0][:, list(ROBOT.yaw_joints)]
    return {
        feels: {
            anchor: float(np.sqrt(np.mean((replay_law(readings, factor, phase) - sent) ** 2)))
            for anchor, phase in ANCHORS.items()
        }
        for feels, factor in FEELS.items()
    }


def simulate_runs(store: Path, boards: int, executor: Executor | None, progress: Any = None) -> Any:
    """Run 16 modules at three densities, yielding and pushing back, on `boards` boards each."""
    scenario = SlitherPegs(robot=ROBOT, world=PegBoard())
    over = {
        "world.density": list(DENSITIES),
        "controller": list(SIGNS.values()),
        "world.seed": f"0:{boards - 1}:{boards}",
    }
    return complete_sweep(scenario, over, store, executor=executor, chunk=8, progress=progress)


def sign_question(store: Path, boards: int, executor: Executor | None, progress: Any = None) -> dict[str, Any]:
    """Compare both signs of the law for 18 modules among pegs: out, stuck, cycles per metre over many boards.

    An interrupted sweep gives the boards done so far.
    """
    over = {"world.seed": f"0:{boards - 1}:{boards}", "controller": list(SIGNS.values())}
    found = complete_sweep(SlitherPegs(), over, store, executor=executor, chunk=16, progress=progress)
    whole = np.isfinite(found["out"].values).all(axis=1)  # boards that both laws completed, if it was stopped
    out, stuck, cycles, metres = (found[name].values[whole] for name in ("out", "stuck", "cycles", "distance"))
    pairs = (cycles[:, 0], metres[:, 0], cycles[:, 1], metres[:, 1])
    return {
        "boards": int(whole.sum()), "out": dict(zip(SIGNS, out.mean(axis=0).tolist())),
        "stuck": dict(zip(SIGNS, stuck.mean(axis=0).tolist())),
        "pooled_cycles_per_metre": dict(zip(SIGNS, (cycles.sum(axis=0) / metres.sum(axis=0)).tolist())),
        "out_p": mcnemar(out[:, 0] > 0.5, out[:, 1] > 0.5),
        "cycles_ratio": list(bootstrap(pooled_ratio(*pairs), np.arange(int(whole.sum())))),
    }  # fmt: skip


def by_density(found: Any) -> dict[str, dict[str, dict[str, float]]]:
    """Return medians and shares of our runs, by density and by sign of the law."""
    return {
        f"{density:g}": {
            law: {
                "net_cycles_per_metre": float(np.nanmedian(cells["net_cycles_per_metre"])),
                "torque_rms": float(cells["torque_rms"].median()),
                "out": float(cells["out"].mean()),
                "stuck": float(cells["stuck"].mean()),
            }
            for law, name in SIGNS.items()
            for cells in [found.sel({"world.density": density, "controller": name})]
        }
        for density in DENSITIES
    }

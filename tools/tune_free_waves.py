"""Search of 120 trials for each rival with a free wavelength: python tools/tune_free_waves.py FOLDER.

A search resumes after an interruption. Copy the values that it finds to serpenoid_papers/learning/laws.py.
"""

import sys
from pathlib import Path

from serpenoid.configuration import changed
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.sweeps import optimise, optimum
from serpenoid.worlds import PegBoard
from serpenoid_papers.learning.laws import free_laws

TRIALS = 120
BOARDS = {"world.seed": "1000:1019"}  # not used for any result
WAVE = {"gait.amplitude": "0.3:1.4", "gait.spatial_frequency": "5:14"}
SHAPE = {
    "parameters.amplitude.low": "0:0.7", "parameters.amplitude.high": "0.9:1.55", "parameters.phase.mass": "log:0.2:5",
    "parameters.phase.damping": "log:0.5:10", "parameters.phase.stiffness": "log:1:20",
}  # fmt: skip
OSCILLATORS = {
    "amplitude.damping": "log:0.3:10", "amplitude.stiffness": "log:1:20", "amplitude.sign": "-1:1",
    "spatial_frequency.damping": "log:0.1:10", "spatial_frequency.stiffness": "log:0.2:10",
    "spatial_frequency.sign": "-1:1", "coupling": "log:1:30", "phase_gain": "0:0.5",
}  # fmt: skip
LENGTH = {"gait.spatial_frequency": WAVE["gait.spatial_frequency"]}  # the amplitude of AWP ends at its limits
SEARCHED = {"CPG, free wave": WAVE | OSCILLATORS, "AWP, free wave": LENGTH | SHAPE, "open loop, free wave": WAVE}


def main(folder: Path) -> None:
    """Search for every law and print its result."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, law in free_laws().items():
        board = changed(SlitherPegs(world=PegBoard(density=27.0), duration=40.0, step=0.002), {"controller": law})
        over = {f"controller.{field}": ends for field, ends in SEARCHED[name].items()}
        store = folder / f"{name.replace(', ', '_').replace(' ', '_')}.zarr"
        optimise(board, over, "path_speed", store, BOARDS, TRIALS)
        found = optimum(store).trial
        fields = ", ".join(f'"{field.removeprefix("controller.")}": {v:.4g}' for field, v in found.fields.items())
        print(f"{name}: {found.value:.4g} with {fields}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{__doc__}")
    main(Path(sys.argv[1]))

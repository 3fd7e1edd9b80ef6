"""Search of 60 trials for every controller of the SEA-snake thesis: python tools/tune_thesis.py FOLDER.

A search resumes after an interruption. Copy the values that it finds to serpenoid_papers/sea_snake/tuned.py. A search
among pegs takes some minutes on two cores, a search through rows about five.
"""

import sys
from pathlib import Path

from serpenoid.configuration import changed
from serpenoid.control import CentralPatternGenerator, JointAdmittance, ShapeCompliance
from serpenoid.scenarios.sidewind_pegs import SidewindPegs
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.sweeps import optimise, optimum
from serpenoid.worlds import PegBoard

TRIALS = 60
BOARDS, ROWS = {"world.seed": "1000:1039"}, {"world.seed": "1000:1003"}  # not used for any result
PARAMETERS = "controller.parameters"


def of(parameter: str, **ranges: str) -> dict[str, str]:
    """Return the ranges of fields of one shape parameter."""
    return {f"{PARAMETERS}.{parameter}.{field}": ends for field, ends in ranges.items()}


AMPLITUDE = of("amplitude", low="0:0.7", high="0.9:1.55")
WAVE = of("spatial_frequency", low="3:9", high="9.8:14.1")
PHASE = of("phase", mass="log:0.2:5", damping="log:0.5:10", stiffness="log:1:20")
OSCILLATORS = {
    "controller.amplitude.damping": "log:0.3:10", "controller.amplitude.stiffness": "log:1:20",
    "controller.spatial_frequency.damping": "log:0.1:10", "controller.spatial_frequency.stiffness": "log:0.2:10",
    "controller.coupling": "log:1:30", "controller.phase_gain": "0:0.5",
}  # fmt: skip
JOINTS = {"controller.mass": "log:0.01:1", "controller.damping": "log:0.3:30"}
GAIT = {
    "controller.gait.amplitude": "0.4:0.89", "controller.gait.dorsal_amplitude": "0.15:0.4",
    "controller.turning.taper": "0:0.8",
}  # fmt: skip
DEAD = {"controller.dead_band": "0:3"}
REACTING = of("amplitude", low="0.1:0.4", high="0.9:1.5")
SQUEEZING = of("spatial_frequency", low="5:9.4", high="9.5:14.1")

AMONG_PEGS = {
    "slithering_a": AMPLITUDE, "slithering_aw": AMPLITUDE | WAVE, "slithering_awp": AMPLITUDE | WAVE | PHASE,
    "slithering_aw_central": AMPLITUDE | WAVE, "slithering_awp_windows": AMPLITUDE | WAVE | PHASE,
    "slithering_aw_minus": AMPLITUDE | WAVE, "cpg": OSCILLATORS, "joint_admittance": JOINTS,
}  # fmt: skip
THROUGH_ROWS = {
    "sidewinding_ac_sfc": GAIT | DEAD | REACTING | SQUEEZING, "sidewinding_ac": GAIT | DEAD | REACTING,
    "sidewinding_sfc": GAIT | DEAD | SQUEEZING, "sidewinding_rigid": GAIT,
}  # fmt: skip


def scenario_of(name: str) -> tuple[SlitherPegs | SidewindPegs, dict[str, str], dict[str, str], str]:
    """Return a controller's scenario, the ranges of its search, the axes averaged in a trial, and the objective."""
    if name in THROUGH_ROWS:
        row = SidewindPegs(controller=ShapeCompliance.presets()[name](), duration=60.0, step=0.002)
        return row, THROUGH_ROWS[name], ROWS, "speed_across"
    others = {"cpg": CentralPatternGenerator(), "joint_admittance": JointAdmittance()}
    law = others.get(name) or ShapeCompliance.presets()[name]()
    board = SlitherPegs(world=PegBoard(density=27.0), duration=40.0)
    return changed(board, {"controller": law}), AMONG_PEGS[name], BOARDS, "path_speed"


def main(folder: Path) -> None:
    """Search for every controller and print its result."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*AMONG_PEGS, *THROUGH_ROWS):
        scenario, over, average, best = scenario_of(name)
        store = folder / f"{name}.zarr"
        optimise(scenario, over, best, store, average, TRIALS)
        found = optimum(store).trial
        fields = ", ".join(f"{field.removeprefix('controller.')} {value:.4g}" for field, value in found.fields.items())
        print(f"{name}: {best} {found.value:.4g} with {fields}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{__doc__}")
    main(Path(sys.argv[1]))

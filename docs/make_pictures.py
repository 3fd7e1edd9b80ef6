"""The pictures of README and docs, made again from the code: python docs/make_pictures.py [out/natrix] [out/mpc-gaits]

Given the folder of a full reproduction of NATRIX or of the MPC gaits, its figures become those of their page.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import serpenoid as sp
from serpenoid.configuration import changed
from serpenoid.plotting.style import INK, dressed, new_figure, write
from serpenoid.plotting.sweeps import overview as sweep_overview
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.slither import Slither
from serpenoid.scenarios.undulate import Undulate
from serpenoid.studio.film import view_of
from serpenoid.studio.scene import scene_of

PICTURES = Path(__file__).parent / "pictures"
PLANNED = {
    "fig_3_pareto": "pareto", "fig_3_tracking": "tracking", "table_3_amplitudes": "amplitudes",
    "fig_4_turn_and_tunnel": "turn-tunnel", "robustness": "robustness",
}  # fmt: skip
STRIPS: dict[str, dict[str, float]] = {  # name of a scenario, and what differs from its own fields
    "linear-progression": {"duration": 8.0, "settle": 0.0}, "sidewinding": {"duration": 4.0, "settle": 0.0},
    "conical-sidewinding": {"duration": 10.0, "settle": 0.0}, "rolling": {"duration": 4.0, "settle": 0.0},
    "crawl-pipe": {"duration": 6.0, "settle": 0.0}, "swimming": {"duration": 3.0, "settle": 0.0},
    "climb-pole": {"duration": 8.0, "settle": 0.0, "world.height": 0.85}, "slither-pegs": {"duration": 24.0},
}  # fmt: skip


def overview() -> Path:
    """Draw the planar snake in three media, and NATRIX over one period of its wave."""
    figure = new_figure(12.0, 5.6)
    panels = figure.subplots(2, 2).ravel()
    for axes, medium in zip(panels, ("dry", "viscous", "fluid")):
        scenario = changed(Slither(), {"world.medium": medium})
        run = scenario.run()
        sp.plotting.snapshots(run, dressed(axes), count=6)
        speed, power = (scenario.summary(run)[name].value for name in ("speed", "power"))
        axes.set_title(f"five links, {medium}: {speed:.2f} m/s at {power:.1f} W", loc="left", fontsize=10, color=INK)
    gait = sp.gaits.Undulation(amplitude=0.45, frequency=1.0)
    run = changed(Undulate(), {"gait": gait, "duration": 0.8}).run()
    sp.plotting.snapshots(run, dressed(panels[3]), count=5)
    panels[3].set_title("NATRIX undulates in free space, seen from above", loc="left", fontsize=10, color=INK)
    return write(figure, PICTURES / "overview.png")


def sweep() -> Path:
    """Draw the speed of the planar snake over frequency, spatial frequency and medium, as `serpenoid sweep` draws it."""
    over = {
        "gait.spatial_frequency": "0:8pi:41", "gait.frequency": "log:0.5:10:27", "world.medium": "dry,viscous,fluid",
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "map.zarr"
        sp.sweep(Slither(step=0.002), over, store)
        return sweep_overview(store, PICTURES / "sweep.png")


def strip(name: str, moments: int = 4) -> Path:
    """Draw a scenario at evenly spaced moments side by side, from one camera: gait-NAME.png."""
    run = changed(find_scenario(name)(), STRIPS[name]).run()
    scene = scene_of(run, 25.0)
    view = view_of(scene, (420, 300))
    frames = np.linspace(0, scene.times.size - 1, moments).round().astype(int)
    whole = Image.fromarray(np.concatenate([view(int(i), scene.camera) for i in frames], axis=1))
    target = PICTURES / f"gait-{name}.png"
    whole.quantize(128).save(target, optimize=True)
    return target


def reproduced(folder: Path) -> list[Path]:
    """Replace the pictures of a paper: natrix_map.png becomes natrix-map.png, fig_3_pareto.png mpc-gaits-pareto.png."""
    names = {path: path.name.replace("_", "-") for path in folder.glob("natrix_*.png")}
    names |= {path: f"mpc-gaits-{PLANNED[path.stem]}.png" for path in folder.glob("*.png") if path.stem in PLANNED}
    shown = {path: name for path, name in names.items() if (PICTURES / name).exists()}
    return [Path(shutil.copyfile(path, PICTURES / name)) for path, name in shown.items()]


if __name__ == "__main__":
    print(overview())
    print(sweep())
    print(*(strip(name) for name in STRIPS), sep="\n")
    for folder in sys.argv[1:]:
        print(*reproduced(Path(folder)), sep="\n")

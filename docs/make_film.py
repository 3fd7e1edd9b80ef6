"""The moving picture of the README: four snakes in contact and in water. Run: python docs/make_film.py [--frame PNG]"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from serpenoid.configuration import changed
from serpenoid.scenarios import find_scenario
from serpenoid.studio.film import camera_at, view_of
from serpenoid.studio.scene import Camera, SceneData, scene_of

FOLDER = Path(__file__).parent / "pictures"
SIZE, RATE = (440, 275), 8.0  # of each scene [pixels], [frames/s]
OVERSAMPLING = 2  # rendered this many times larger, for smooth edges and thin grid lines
SCENES = (  # scenario, changed fields, title, first moment [s], distance of the camera over the default
    ("sidewinding", {"duration": 6.0}, "sidewinding on a floor", 2.0, 0.85),
    ("slither-pegs", {"duration": 8.0}, "slithering among pegs", 4.0, 0.85),
    ("climb-pole", {"duration": 8.0}, "climbing a pole", 4.0, 1.0),
    ("swimming", {"duration": 6.0}, "swimming under water", 2.0, 0.85),
)
SECONDS = 4.0
COLOURS = 40
WATER = 0.4  # opacity and grid of a water surface over the default
INK, PAPER = (29, 39, 51), (240, 242, 244)


def near(scene: SceneData, frame: int, share: float) -> Camera:
    """Return the following camera of a frame, at a share of its default distance."""
    camera = camera_at(scene, frame, True)
    return Camera(camera.target + share * (camera.position - camera.target), camera.target)


def clear(scene: SceneData) -> SceneData:
    """Return a scene whose water is clearer, with a finer grid: its surface is nearer to the camera than the robot."""
    floor = scene.floor
    if floor.opacity == 1.0:
        return scene
    return scene._replace(floor=floor._replace(opacity=WATER * floor.opacity, cell=WATER * floor.cell))


def frames(name: str, changes: dict, title: str, first: float, share: float) -> list[Image.Image]:
    """Return the titled frames of one scene."""
    scene = clear(scene_of(changed(find_scenario(name)(), changes).run(), RATE))
    large = (OVERSAMPLING * SIZE[0], OVERSAMPLING * SIZE[1])
    view, start = view_of(scene, large, 4), round(first * RATE)
    chosen = range(start, min(start + round(SECONDS * RATE), scene.times.size))
    shown = [Image.fromarray(view(i, near(scene, i, share))).resize(SIZE, Image.Resampling.BOX) for i in chosen]
    for frame in shown:
        draw = ImageDraw.Draw(frame)
        draw.text((9, 6), title, INK, ImageFont.load_default(16), stroke_width=2, stroke_fill=PAPER)
    return shown


def page(moment: tuple[Image.Image, ...]) -> Image.Image:
    """Return four frames in two rows, separated by a white line."""
    width, height = SIZE
    whole = Image.new("RGB", (2 * width + 4, 2 * height + 4), "white")
    for i, frame in enumerate(moment):
        whole.paste(frame, ((i % 2) * (width + 4), (i // 2) * (height + 4)))
    return whole


def main() -> None:
    """Write the GIF, or with --frame PNG one frame of it."""
    pages = [page(moment) for moment in zip(*(frames(*scene) for scene in SCENES))]
    samples = Image.fromarray(np.concatenate([np.asarray(pages[i]) for i in (0, len(pages) // 2)]))
    palette = samples.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1)  # one for all: colours do not flicker
    pages = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pages]
    if sys.argv[1:2] == ["--frame"]:
        pages[len(pages) // 2].save(sys.argv[2])
    path = FOLDER / "snakes.gif"
    pages[0].save(path, save_all=True, append_images=pages[1:], duration=round(1000 / RATE), loop=0, optimize=True)
    print(f"{path}: {len(pages)} frames, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()

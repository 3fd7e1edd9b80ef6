"""Film of the README: snakes in contact and in water, side by side. Run `python docs/make_film.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from serpenoid.configuration import changed
from serpenoid.scenarios import find_scenario
from serpenoid.studio.film import camera_at, view_of
from serpenoid.studio.scene import scene_of

FOLDER = Path(__file__).parent / "pictures"
SIZE, RATE = (320, 200), 12.5  # size of each scene [pixels], frame rate [frames/s]
SCENES = (  # scenario, changed fields, title, time of the first frame [s]
    ("sidewinding", {"duration": 6.0}, "sidewinding over a floor", 2.0),
    ("slither-pegs", {"duration": 8.0}, "slithering between pegs", 4.0),
    ("climb-pole", {"duration": 8.0}, "climbing a pole", 4.0),
    ("swimming", {"duration": 6.0}, "swimming under water", 2.0),
)
SECONDS = 4.0
COLOURS = 96


def frames(name: str, changes: dict, title: str, first: float) -> list[Image.Image]:
    """Return the frames of a scene, with its title."""
    scene = scene_of(changed(find_scenario(name)(), changes).run(), RATE)
    view, start = view_of(scene, SIZE, "auto"), round(first * RATE)
    chosen = range(start, min(start + round(SECONDS * RATE), scene.times.size))
    shown = [Image.fromarray(view(i, camera_at(scene, i, True))) for i in chosen]
    for frame in shown:
        ImageDraw.Draw(frame).text((8, 6), title, fill=(29, 39, 51), font=ImageFont.load_default(13))
    return shown


def main() -> None:
    """Write two rows of two scenes as one GIF."""
    scenes = [frames(*scene) for scene in SCENES]
    pages = []
    for moment in zip(*scenes):
        a, b, c, d = (np.asarray(frame) for frame in moment)
        pages.append(Image.fromarray(np.vstack([np.hstack([a, b]), np.hstack([c, d])])))
    # one palette for all frames; otherwise colours flicker
    palette = pages[0].quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
    pages = [page.quantize(palette=palette, dither=Image.Dither.NONE) for page in pages]
    place = FOLDER / "snakes.gif"
    pages[0].save(place, save_all=True, append_images=pages[1:], duration=round(1000 / RATE), loop=0, optimize=True)
    print(f"{place}: {len(pages)} frames, {place.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()

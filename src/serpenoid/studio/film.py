"""Films and images of a run without a browser, by MuJoCo's renderer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, Unsupported, require, whole_number
from serpenoid.studio.mujoco_view import mujoco_view
from serpenoid.studio.scene import Camera, SceneData, scene_of
from serpenoid.trajectory import Trajectory

FILMS, PICTURES = (".gif", ".mp4"), (".png",)
COLOURS = 20  # of a GIF
TEXT, INK, PAPER = 0.035, (29, 39, 51), (240, 242, 244)  # height of the caption over that of the image; its colours
LONGEST_FRAME = 655.35  # of a GIF, which counts hundredths of a second in 16 bits [s]
SLOWEST_GIF = 0.00153  # [1/s]
GIF_RATES = f"at least {SLOWEST_GIF:g} (a GIF frame lasts at most {LONGEST_FRAME:g} s)"
Size = tuple[int, int]  # width, height [pixels]


class Usual(NamedTuple):
    """Default size, frame rate and antialiasing of a file type."""

    size: Size
    rate: float  # [1/s]
    samples: int  # per pixel


OF_FILM, OF_GIF = Usual((960, 540), 25.0, 4), Usual((576, 324), 10.0, 2)  # small GIFs load quickly in pages
View = Callable[[int, Camera], NDArray]  # a frame of a scene from a camera, (height, width, 3) bytes


def render(
    run: Trajectory,
    path: str | os.PathLike[str],
    size: Size | None = None,
    frames_per_second: float | None = None,
    follow: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a .gif or .mp4 of a run in real time, or a .png of its last sample; return its path.

    None for `size` [pixels] or `frames_per_second` is the default of the file type; GIFs are smaller and slower. With
    `follow`, the camera moves with the robot.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in FILMS + PICTURES:
        raise FileProblem(target, f"must end in {', '.join(FILMS + PICTURES)}")
    if kind == ".mp4" and find_spec("imageio_ffmpeg") is None:
        raise FileProblem(target, "needs an encoder; pip install 'serpenoid[film]', or choose .gif")
    usual = OF_GIF if kind == ".gif" else OF_FILM
    size, frames_per_second = size or usual.size, usual.rate if frames_per_second is None else frames_per_second
    for number in size:
        whole_number("size", number, 32, 4096)
    if kind == ".gif":
        require(frames_per_second >= SLOWEST_GIF, "frames_per_second", frames_per_second, GIF_RATES)
    scene = scene_of(run, frames_per_second)
    view, title = view_of(scene, size, usual.samples), scene.title.removeprefix("serpenoid: ")
    shown = range(scene.times.size) if kind in FILMS else [scene.times.size - 1]
    drawn = (add_caption(view(i, camera_at(scene, i, follow)), title, scene.times[i]) for i in shown)
    pictures = with_progress(drawn, len(shown), progress)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        (write_film if kind in FILMS else write_picture)(target, pictures, frames_per_second)
    except OSError as error:
        raise FileProblem(target, f"cannot be written ({error.strerror or error})") from None
    return target


def view_of(scene: SceneData, size: Size, samples: int = 4) -> View:
    """Return a function that draws a scene; several samples per pixel smooth edges."""
    try:
        return mujoco_view(scene, size, samples)
    except Exception as error:  # depends on the driver
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unsupported(f"rendering needs EGL, which fails here ({reason}); --html writes a page instead") from None


def camera_at(scene: SceneData, frame: int, follow: bool) -> Camera:
    """Return the camera of a frame: of the whole run, or close to the robot and following it."""
    if not follow:
        return scene.camera
    middle = 0.5 * (scene.positions.min(axis=1) + scene.positions.max(axis=1))  # (frames, 3)
    reach = float(np.linalg.norm(np.ptp(scene.positions, axis=1), axis=1).max())
    smooth = smooth_path(middle)[frame]
    away = scene.camera.position - scene.camera.target
    distance = min(float(np.linalg.norm(away)), 1.6 * reach + 0.2)
    return Camera(smooth + distance * away / np.linalg.norm(away), smooth)


def smooth_path(places: NDArray, share: float = 0.1) -> NDArray:
    """Smooth positions (frames, 3) by a mean over a fraction of the film, to remove the gait's oscillation."""
    width = max(1, int(share * len(places))) | 1
    padded = np.concatenate([np.repeat(places[:1], width // 2, 0), places, np.repeat(places[-1:], width // 2, 0)])
    sums = np.cumsum(np.concatenate([np.zeros((1, 3)), padded]), axis=0)
    return (sums[width:] - sums[:-width]) / width


def with_progress(
    pictures: Iterator[NDArray], count: int, progress: Callable[[float], None] | None
) -> Iterator[NDArray]:
    """Yield the same images and report progress."""
    for i, picture in enumerate(pictures):
        yield picture
        if progress:
            progress((i + 1) / count)


def write_picture(target: Path, pictures: Iterator[NDArray], frames_per_second: float) -> None:
    """Write the only image."""
    from PIL import Image

    Image.fromarray(next(pictures)).save(target)


def write_film(target: Path, pictures: Iterator[NDArray], frames_per_second: float) -> None:
    """Write all images in sequence; a GIF has few colours, taken from three of them."""
    if target.suffix.lower() == ".mp4":
        import imageio_ffmpeg

        first = next(pictures)
        height, width = first.shape[:2]
        writer: Any = imageio_ffmpeg.write_frames(
            str(target), (width, height), fps=frames_per_second, quality=8, macro_block_size=2, ffmpeg_log_level="error"
        )
        writer.send(None)
        for picture in (first, *pictures):
            writer.send(np.ascontiguousarray(picture))
        writer.close()
        return
    from PIL import Image

    frames = [Image.fromarray(picture) for picture in pictures]
    palette = palette_of(frames)
    reduced = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    wait = max(20, 10 * round(100.0 / frames_per_second))  # a GIF counts hundredths of a second
    try:
        reduced[0].save(target, save_all=True, append_images=reduced[1:], duration=wait, loop=0, optimize=False)
    except OverflowError:  # identical frames are merged
        raise FileProblem(target, f"nothing moves for over {LONGEST_FRAME:g} s, too long for a GIF; use .mp4") from None


def palette_of(frames: list[Any]) -> Any:
    """Return an image with the palette of a GIF: distinct colours, so that a small head stays red, then averaged.

    Without averaging the nearest colours, a floor has a different tint and loses its lines.
    """
    from PIL import Image

    chosen = [np.asarray(frames[i]) for i in {0, len(frames) // 2, len(frames) - 1}]
    return Image.fromarray(np.concatenate(chosen)).quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1)


def add_caption(picture: NDArray, title: str, time: float) -> NDArray:
    """Return an image with a title at the top left and the time of the run at the top right."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    draw, size = ImageDraw.Draw(image), max(9, round(TEXT * image.height))
    font, edge = ImageFont.load_default(size), size // 2
    room = image.width - 3 * edge - draw.textlength("0000.0 s", font)
    while title and draw.textlength(title, font) > room:
        title = title[:-2].rstrip(" ,.") + "." if len(title) > 2 else ""
    for place, words, anchor in ((edge, title, "la"), (image.width - edge, f"{time:.1f} s", "ra")):
        draw.text((place, edge), words, INK, font, anchor, stroke_width=2, stroke_fill=PAPER)
    return np.asarray(image)

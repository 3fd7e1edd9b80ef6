"""F5: animations of the three movements that open in a browser from disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid.configuration import changed
from serpenoid.plotting.style import dressed, gradient, labelled, new_figure, write
from serpenoid.scenarios import find_scenario
from serpenoid.studio import export_html, scene_of
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

MOVEMENTS = ("accordion", "cobra", "spiral")
# Scripts, styles and pictures from elsewhere would need a network or a server.
FETCHES = re.compile(r"""<(?:script|img|link)[^>]+(?:src|href)=["'](?!data:|#)[^"']+["']""")


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    bodies: int = 20
    """moving modules"""
    frames_per_second: float = 30.0
    """frame rate of the animation"""

    @classmethod
    def tiny(cls) -> Config:
        """Use short chains and few frames."""
        return cls(bodies=4, frames_per_second=5.0)


class Page(NamedTuple):
    """One animation."""

    run: Trajectory
    frames: int
    moves: float  # travel of the head [m]
    html: str


Result = dict[str, Page]


def run(config: Config, progress: Progress) -> Result:
    """Run each movement's scenario and make its page."""
    import tempfile

    pages = {}
    for name in MOVEMENTS:
        trajectory = changed(find_scenario(name)(), {"robot.bodies": config.bodies}).run()
        scene = scene_of(trajectory, config.frames_per_second)
        head = scene.positions[:, -1]
        way = float(np.linalg.norm(np.diff(head, axis=0), axis=1).sum())
        with tempfile.TemporaryDirectory() as folder:
            html = export_html(trajectory, Path(folder) / "page.html", config.frames_per_second).read_text()
        pages[name] = Page(trajectory, scene.times.size, way, html)
    return pages


def claims(result: Result) -> list[Finding]:
    """Report the finding on F5."""
    measured = {
        name: {"frames": page.frames, "moves_m": page.moves, "needs_a_server": bool(FETCHES.search(page.html))}
        for name, page in result.items()
    }
    return [
        Finding(
            "F5",
            measured,
            "one HTML file each, written by the studio from the run's trajectory; measured is the travel of the head",
        )
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Write the pages, and a strip of each movement's shapes."""
    paths = []
    for name, page in result.items():
        path = folder / f"{name}.html"
        path.write_text(page.html, encoding="utf-8")
        paths.append(path)
    return [strip(result, folder / "movements.png"), *paths]


def strip(result: Result, path: Path) -> Path:
    """Draw each movement at five times, from above and from the side."""
    picture = new_figure(11.0, 4.6)
    rows = picture.subplots(2, 3)
    for i, (name, page) in enumerate(result.items()):
        poses = page.run["link_pose"][:, :, :3]
        poses = poses[np.linspace(0, poses.shape[0] // 2, 5).astype(int)]
        for axis, (across, view) in zip(rows[:, i], ((1, "from above"), (2, "from the side"))):
            for pose, colour in zip(poses, gradient(len(poses))):
                dressed(axis).plot(pose[:, 0], pose[:, across], ".-", color=colour)
            labelled(axis, "x [m]", f"{'xyz'[across]} [m]", f"{name} {view}")
            axis.set(xlim=(-0.1, 2.2), ylim=(-0.45, 0.75), aspect="equal")
    return write(picture, path)

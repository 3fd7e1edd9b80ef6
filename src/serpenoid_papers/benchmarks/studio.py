"""Server side of the studio: processor time per frame, all threads together, with one client connected."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from time import process_time, sleep

import numpy as np

from serpenoid.gaits import Serpenoid
from serpenoid.robots import PlanarSnake, Prescribed
from serpenoid.simulation import simulate
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Plane
from serpenoid_papers.benchmarks.base import Row

# A client that receives everything the studio sends, like a browser, in a separate process.
CLIENT = """
import sys, viser
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as client:
    for message in client:
        pass
"""
LINKS, PEGS, FRAMES, TURNS = 60, 300, 90, 5


def rows() -> Iterator[Row]:
    """Yield the time per frame of a long snake among pegs during playback to one client; only moved parts are sent."""
    yield Row(f"studio, a frame of {LINKS} links and {PEGS} pegs", 1e6 * frame_time(), target="10 ms of processor time")


def long_run() -> Trajectory:
    """Return a run of a snake of many links that slithers between many pegs without contact."""
    rng = np.random.default_rng(1)
    pegs = tuple(Disc((float(x), float(y)), 0.02) for x, y in rng.uniform(-3.0, 3.0, (PEGS, 2)))
    robot = PlanarSnake(links=LINKS, link_length=0.05, link_mass=0.05, drive=Prescribed())
    return simulate(robot, Plane(obstacles=pegs), Serpenoid(0.2, 1.0, 0.1 * np.pi * robot.joints), 3.0)


def frame_time() -> float:
    """Return the processor time of the whole process per frame during playback [s], best of some blocks."""
    from serpenoid.studio.page import Studio
    from serpenoid.studio.server import free_port

    run = long_run()
    with TemporaryDirectory() as folder:
        studio = Studio(folder, port=free_port())
        client = subprocess.Popen([sys.executable, "-c", CLIENT, studio.address.replace("http", "ws")])
        try:
            studio.post(studio.show_run, run, "bench")
            sleep(4.0)
            return min(stretch(studio) for _ in range(TURNS))
        finally:
            client.kill()
            studio.close()


def stretch(studio: object) -> float:
    """Return the processor time per frame over some frames [s]."""
    first, start = studio.frame, process_time()  # type: ignore[attr-defined]
    while studio.frame < first + FRAMES:  # type: ignore[attr-defined]
        sleep(0.05)
    return (process_time() - start) / (studio.frame - first)  # type: ignore[attr-defined]

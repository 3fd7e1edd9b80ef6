"""Emulated motors in a separate process, as real ones are separate computers: they do not slow the loop.

That process receives a bench and then requests from the program that started it, as pickles on its standard input. It
writes its clock to a file, and ends with that program.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import mkstemp
from typing import Any, NamedTuple

import numpy as np

from motor_bench.bench import Bench
from motor_bench.server import Server
from serpenoid.engines.base import Engine, Initial
from serpenoid.errors import Unsupported
from serpenoid.hardware import realtime_priority
from serpenoid.hardware.faults import Fault
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.support.processes import APART

UNKNOWN = (pickle.PicklingError, AttributeError, ImportError, TypeError)  # for classes that exist on one side only
START = "import sys; sys.path[:] = {!r}; from motor_bench import server_process as s; s.main()"
NUMBER = struct.Struct("d")


class CannotBeSent(Exception):
    """The classes of a bench cannot be imported in another process, such as those of a notebook."""


class Recipe(NamedTuple):
    """Parts of a bench before anything moved, and its server."""

    kinds: tuple[type[Bench], type[Server]]
    engine: type[Engine]
    parts: tuple[Any, Any, float]  # robot, world, integration step [s]
    times: tuple[float, float, bool, int | None]  # of commands and samples [s], no clock, number of samples kept
    modules: tuple[Any, ...]
    faults: tuple[Fault, ...]
    seed: int

    @classmethod
    def of(cls, bench: Any, server: type[Server]) -> Recipe:
        plant, engine = bench.plant, bench.plant.engine
        times = (plant.period, plant.steps_per_sample * engine.step, False, plant.keep)
        parts = (engine.robot, engine.world, engine.step)
        return cls((type(bench), server), type(engine), parts, times, bench.modules, bench.faults, bench.seed)

    def bench(self) -> Bench:
        """Create the bench."""
        plant = SimulatedPlant(self.engine(*self.parts), *self.times)
        return self.kinds[0](plant, self.modules, self.faults, self.seed)


class ServerProcess:
    """A server in another process, with the interface of a local one."""

    def __init__(self, bench: Bench, server: type[Server]) -> None:
        try:
            data = pickle.dumps(Recipe.of(bench, server))
        except UNKNOWN as error:
            raise CannotBeSent(str(error)) from None
        handle, path = mkstemp()
        os.write(handle, NUMBER.pack(0.0))
        self.path, self.shown = Path(path), mmap(handle, NUMBER.size, access=ACCESS_READ)
        os.close(handle)
        command = [sys.executable, "-c", START.format(sys.path), path]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **APART)
        try:
            self.address: Any = self.ordered("serve", data)
        except BaseException:
            self.close()
            raise

    def ordered(self, *order: Any) -> Any:
        """Execute a request in the other process and return its result."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            pickle.dump(order, self.process.stdin)
            self.process.stdin.flush()
            answer = pickle.load(self.process.stdout)
        except (OSError, EOFError):
            raise Unsupported("the process of the emulated motors has ended") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def run_time(self) -> float:
        """Return the time of the bench since the robot was placed at its start [s]."""
        return float(NUMBER.unpack_from(self.shown)[0])

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose."""
        self.ordered("place", initial, rng)

    def close(self) -> None:
        """Switch the motors off."""
        with suppress(OSError):
            self.process.communicate()
        self.shown.close()
        self.path.unlink(missing_ok=True)


class Host:
    """The process that runs the motors."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self.shown = mmap(file.fileno(), NUMBER.size)
        self.server: Server | None = None

    def serve(self, data: bytes) -> Any:
        """Start a bench; return the address of its motors."""
        try:
            recipe: Recipe = pickle.loads(data)
        except UNKNOWN as error:
            raise CannotBeSent(str(error)) from None
        self.server = recipe.kinds[1](recipe.bench(), self.show)
        realtime_priority.hurry()
        return self.server.address

    def show(self, run_time: float) -> None:
        """Report the time of the bench to the other side [s]."""
        NUMBER.pack_into(self.shown, 0, run_time)

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose."""
        assert self.server is not None
        self.server.place(initial, rng)


def main() -> None:
    """Execute requests until the other side ends; output of this process is not mistaken for an answer."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    host = Host(sys.argv[1])
    with suppress(EOFError, pickle.UnpicklingError):  # the other side has ended, perhaps within a request
        while True:
            name, *words = pickle.load(sys.stdin.buffer)
            try:
                answer = getattr(host, name)(*words)
            except Exception as error:
                answer = error
            try:
                pickle.dump(answer, answers)
                answers.flush()
            except BrokenPipeError:
                os._exit(1)  # no receiver is left; Python would complain at exit

"""The twin's modules in a process of their own, as real ones are another computer: they take no turn from the loop.

That process takes a bench and then orders from the program that started it, as pickles on its standard input, shows its
clock in a file, and ends with that program.
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

from hebi_twin.simulated_modules import Module, ModuleBench
from hebi_twin.udp import Server
from serpenoid.engines.base import Engine, Initial
from serpenoid.errors import Unsupported
from serpenoid.hardware import realtime_priority
from serpenoid.hardware.faults import Fault
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.support.processes import APART

UNKNOWN = (pickle.PicklingError, AttributeError, ImportError, TypeError)  # of classes that only one side knows
START = "import sys; sys.path[:] = {!r}; from hebi_twin import server_process as s; s.main()"
NUMBER = struct.Struct("d")


class CannotBeSent(Exception):
    """Another process does not know the classes of a bench, such as those of a notebook."""


class Recipe(NamedTuple):
    """What a bench is made of, before anything moved."""

    engine: type[Engine]
    parts: tuple[Any, Any, float]  # robot, world, integration step [s]
    times: tuple[float, float, bool, int | None]  # of commands and samples [s], no clock, how many samples are held
    modules: tuple[Module, ...]
    faults: tuple[Fault, ...]
    seed: int

    @classmethod
    def of(cls, bench: ModuleBench) -> Recipe:
        plant, engine = bench.plant, bench.plant.engine
        times = (plant.period, plant.steps_per_sample * engine.step, False, plant.keep)
        parts = (engine.robot, engine.world, engine.step)
        return cls(type(engine), parts, times, bench.modules, bench.faults, bench.seed)

    def bench(self) -> ModuleBench:
        """Made anew."""
        plant = SimulatedPlant(self.engine(*self.parts), *self.times)
        return ModuleBench(plant, self.modules, self.faults, self.seed)


class ServerProcess:
    """A server elsewhere, with the face of one that is here."""

    def __init__(self, bench: ModuleBench) -> None:
        try:
            data = pickle.dumps(Recipe.of(bench))
        except UNKNOWN as error:
            raise CannotBeSent(str(error)) from None
        handle, path = mkstemp()
        os.write(handle, NUMBER.pack(0.0))
        self.path, self.shown = Path(path), mmap(handle, NUMBER.size, access=ACCESS_READ)
        os.close(handle)
        command = [sys.executable, "-c", START.format(sys.path), path]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **APART)
        try:
            self.address: tuple[str, int] = self.ordered("serve", data)
        except BaseException:
            self.close()
            raise

    def ordered(self, *order: Any) -> Any:
        """Have something done there; what came of it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            pickle.dump(order, self.process.stdin)
            self.process.stdin.flush()
            answer = pickle.load(self.process.stdout)
        except (OSError, EOFError):
            raise Unsupported("the process of the twin's modules has ended") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def run_time(self) -> float:
        """Of the bench, since the robot was put where it started [s]."""
        return float(NUMBER.unpack_from(self.shown)[0])

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Put the robot somewhere."""
        self.ordered("place", initial, rng)

    def close(self) -> None:
        """Switch the modules off."""
        with suppress(OSError):
            self.process.communicate()
        self.shown.close()
        self.path.unlink(missing_ok=True)


class Host:
    """The process that has the modules."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self.shown = mmap(file.fileno(), NUMBER.size)
        self.server: Server | None = None

    def serve(self, data: bytes) -> Any:
        """Switch a bench on; where its modules listen."""
        try:
            recipe: Recipe = pickle.loads(data)
        except UNKNOWN as error:
            raise CannotBeSent(str(error)) from None
        self.server = Server(recipe.bench(), self.show)
        realtime_priority.hurry()
        return self.server.address

    def show(self, run_time: float) -> None:
        """Tell the other side how far the bench is [s]."""
        NUMBER.pack_into(self.shown, 0, run_time)

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Put the robot somewhere."""
        assert self.server is not None
        self.server.place(initial, rng)


def main() -> None:
    """Do as told until the other side is gone; what this process prints is not taken for an answer."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    host = Host(sys.argv[1])
    with suppress(EOFError, pickle.UnpicklingError):  # gone, perhaps in the middle of an order
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
                os._exit(1)  # nobody is there to answer; Python would complain at its end

"""Samples of a simulated run: single ones, and blocks of them as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.base import Engine, Log


class Block(NamedTuple):
    """A simulated run at several samples under one engine and one set of pushes."""

    times: NDArray  # (samples,) [s]
    states: NDArray  # (samples, numbers) flat states of the engine
    commands: Command  # arrays (samples, joints), each valid from its sample
    wrenches: NDArray | None  # (links, 6) external
    engine: Engine  # engine that simulates from then on

    def rows(self, start: int, stop: int) -> Block:
        """Return some of its samples."""
        commands = Command(*(part[start:stop] for part in self.commands))
        return self._replace(times=self.times[start:stop], states=self.states[start:stop], commands=commands)

    def sample(self, row: int) -> Sample:
        """Return one of its samples."""
        command = Command(*(part[row] for part in self.commands))
        return Sample(float(self.times[row]), self.states[row], command, self.wrenches, self.engine)


class Sample(NamedTuple):
    """A simulated run at one instant."""

    time: float  # [s]
    state: NDArray  # the engine's flat state
    command: Command  # command valid from then on
    wrenches: NDArray | None  # (links, 6) external
    engine: Engine  # engine that simulates from then on

    def block(self) -> Block:
        """Return it as a block of one."""
        commands = Command(*(np.asarray(part, dtype=float)[None] for part in self.command))
        return Block(np.array([self.time]), self.state[None], commands, self.wrenches, self.engine)


def join_blocks(blocks: list[Block]) -> Log:
    """Join blocks of samples of one engine as the input of its variables."""
    times, states = (np.concatenate([block[i] for block in blocks]) for i in range(2))
    commands = Command(*(np.concatenate([block.commands[i] for block in blocks]) for i in range(len(Command._fields))))
    if all(block.wrenches is None for block in blocks):
        return Log(times, states, commands)
    nothing = np.zeros((len(blocks[0].engine.robot.link_names), 6))
    each = [np.tile(nothing if b.wrenches is None else b.wrenches, (len(b.times), 1, 1)) for b in blocks]
    return Log(times, states, commands, np.concatenate(each))


def log_of(samples: list[Sample]) -> Log:
    """Join single samples of one engine likewise."""
    return join_blocks([sample.block() for sample in samples])

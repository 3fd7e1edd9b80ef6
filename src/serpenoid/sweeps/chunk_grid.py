"""Partition of the cells of a sweep into chunks: a regular grid of blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ChunkGrid:
    """Number of cells along each dimension, and of cells per chunk."""

    shape: tuple[int, ...]
    block: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Total number of cells."""
        return math.prod(self.shape)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Number of chunks along each dimension."""
        return tuple(-(-size // block) for size, block in zip(self.shape, self.block))

    @property
    def chunks(self) -> int:
        """Total number of chunks."""
        return math.prod(self.blocks)

    def with_dimension(self, size: int) -> ChunkGrid:
        """Add a dimension that is not divided into chunks."""
        return ChunkGrid((*self.shape, size), (*self.block, size))

    def position(self, chunk: int) -> tuple[int, ...]:
        """Return the index of a chunk along each dimension."""
        return tuple(int(i) for i in np.unravel_index(chunk, self.blocks))

    def region(self, chunk: int) -> tuple[slice, ...]:
        """Return the cells of a chunk along each dimension."""
        starts = [i * block for i, block in zip(self.position(chunk), self.block)]
        return tuple(slice(a, min(a + b, size)) for a, b, size in zip(starts, self.block, self.shape))

    def extent(self, chunk: int) -> tuple[int, ...]:
        """Return the number of cells of a chunk along each dimension."""
        return tuple(part.stop - part.start for part in self.region(chunk))

    def size(self, chunk: int) -> int:
        """Return the number of cells of a chunk."""
        return math.prod(self.extent(chunk))


def block_of(shape: tuple[int, ...], kept: list[bool], target: int, most: int) -> tuple[int, ...]:
    """Return the cells per chunk along each dimension, about `target` in total.

    Kept axes (up to `most` cells) are not divided; the remaining size goes to the last axes. If a periodic axis lies
    completely in a chunk, its repeated cells are found there and computed once.
    """
    block = [1] * len(shape)
    for i in sorted(range(len(shape)), key=lambda i: (not kept[i], -i)):
        room = target / math.prod(block)
        pieces = max(1, round(shape[i] / room)) if room >= 1.0 else shape[i]
        block[i] = -(-shape[i] // (1 if kept[i] and shape[i] <= most else pieces))
    return tuple(block)

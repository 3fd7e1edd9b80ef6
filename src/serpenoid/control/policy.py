"""Learned policies in general: a network with its normalisation, and its interface to training."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields, read_toml, usual
from serpenoid.control.base import Signal
from serpenoid.control.files import read_controller
from serpenoid.control.kernel_law import WaveController
from serpenoid.errors import require
from serpenoid.kernels.laws import network as networks

POLICIES = Path(__file__).parent / "policies"
MOMENTS = "policy_moments"


@dataclass(frozen=True)
class Network:
    """A linear map, or one hidden layer of tanh, of normalised inputs (x - mean) / scale."""

    hidden: Annotated[int, between(0, 256, usual=(0, 32))] = 0
    """number of hidden values; 0: a linear map"""
    weights: Annotated[tuple[float, ...], usual(-10.0, 10.0)] = ()
    """rows of the layers in order, each followed by its bias if there are biases; none: all 0"""
    mean: Annotated[tuple[float, ...], usual(-10.0, 10.0)] = ()
    """mean of each input; none: 0"""
    scale: Annotated[tuple[float, ...], above(0.0, usual=(0.01, 100.0))] = ()
    """scale of each input; none: 1"""

    def __post_init__(self) -> None:
        check_fields(self)

    def size(self, inputs: int, outputs: int, biased: bool = True) -> int:
        """Return the number of weights."""
        wide = (self.hidden or inputs) + biased
        return self.hidden * (inputs + biased) + outputs * wide

    def record(self, inputs: int, outputs: int, biased: bool = True) -> networks.Network:
        """Return the record of compiled code; raise if the numbers do not fit the inputs and outputs."""
        sizes = {"weights": self.size(inputs, outputs, biased), "mean": inputs, "scale": inputs}
        for name, size in sizes.items():
            given = getattr(self, name)
            require(len(given) in (0, size), f"network.{name}", f"{len(given)} numbers", f"{size} numbers, or none")
        weights = np.array(self.weights or np.zeros(sizes["weights"]))
        cut = self.hidden * (inputs + biased)
        first, first_bias = split_biases(weights[:cut].reshape(self.hidden, inputs + biased), biased)
        last, last_bias = split_biases(weights[cut:].reshape(outputs, -1), biased)
        mean = np.array(self.mean) if self.mean and biased else np.zeros(inputs)  # a mean is a bias too
        scale = np.array(self.scale) if self.scale else np.ones(inputs)
        return networks.Network(mean, scale, first, first_bias, last, last_bias)


def split_biases(rows: NDArray, biased: bool) -> tuple[NDArray, NDArray]:
    """Return weights and biases of the rows of a layer; biases are 0 without any."""
    return (rows[:, :-1].copy(), rows[:, -1].copy()) if biased else (rows.copy(), np.zeros(len(rows)))


@dataclass(frozen=True)
class Policy(WaveController):
    """A compiled law with a network that can be trained."""

    network: Network = Network()
    """weights and normalisation"""
    record_inputs: bool = False
    """whether the recording contains the sums of the inputs, for their normalisation"""

    @classmethod
    def presets(cls) -> dict[str, Callable[[], Self]]:
        """Return the policies of the package of this class by name; each is a TOML file."""
        return {name: partial(read_controller, path, cls) for name, path in policy_files(cls.__name__).items()}

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of inputs and outputs of the network."""

    @property
    @abstractmethod
    def units(self) -> tuple[float, ...]:
        """Typical size of each output."""

    @property
    def biased(self) -> bool:
        """True if the layers have biases and the inputs a mean."""
        return True

    def moment_signals(self, memory: NDArray) -> dict[str, Signal]:
        """Return the moments of the inputs, at the end of the memory (..., numbers), if they are recorded."""
        size = 1 + 2 * self.shape[0]
        words = "number, sums and sums of squares of the inputs so far"
        return {MOMENTS: Signal(memory[..., -size:], "", words, ("moment",))} if self.record_inputs else {}


@cache
def policy_files(name: str) -> dict[str, Path]:
    """Return the files of the package that contain a policy of a class."""
    found = {path.stem: path for path in sorted(POLICIES.glob("*.toml"))}
    return {stem: path for stem, path in found.items() if str(read_toml(path).get("type")).endswith(f":{name}")}

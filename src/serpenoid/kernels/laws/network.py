"""Function approximators of learned policies: a linear map, or one hidden layer of tanh, in flat memory."""

from __future__ import annotations

from math import tanh
from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.compile import inner


class Network(NamedTuple):
    """y = B h + c with h = x' or h = tanh(A x' + a), and x' = (x - mean) / scale."""

    mean: NDArray  # (inputs,)
    scale: NDArray  # (inputs,)
    first: NDArray  # (hidden, inputs) A, without rows if linear
    first_bias: NDArray  # (hidden,) a
    last: NDArray  # (outputs, hidden or inputs) B
    last_bias: NDArray  # (outputs,) c


@inner
def network_output(network, memory, inputs, output):
    """Return one output for normalised inputs, or hidden values, at memory[inputs]."""
    total = network.last_bias[output]
    for k in range(network.last.shape[1]):
        total += network.last[output, k] * memory[inputs + k]
    return total


@inner
def normalise(network, memory, inputs):
    """Normalise the inputs at memory[inputs] in place."""
    for k in range(network.mean.size):
        memory[inputs + k] = (memory[inputs + k] - network.mean[k]) / network.scale[k]


@inner
def hidden_layer(network, memory, inputs, hidden):
    """Write tanh(A x + a) to memory[hidden]; return the place of the last layer's inputs."""
    if network.first.shape[0] == 0:
        return inputs
    for row in range(network.first.shape[0]):
        total = network.first_bias[row]
        for k in range(network.mean.size):
            total += network.first[row, k] * memory[inputs + k]
        memory[hidden + row] = tanh(total)
    return hidden

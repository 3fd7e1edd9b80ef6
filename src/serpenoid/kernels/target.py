"""Processor target of compiled kernels: the host's, or that of a wheel with compiled kernels.

numba's cache key contains the processor's name and features. Code compiled on one machine is therefore found on another
only if both compile for the same named target. A wheel with compiled kernels contains the mark file below.
NUMBA_CPU_NAME takes precedence if it is set.
"""

from __future__ import annotations

from pathlib import Path

from llvmlite import binding
from numba import config

FIXED = "x86-64-v3"
# Processor features required by this level, by their LLVM names.
NEEDED = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
MARK = Path(__file__).with_name("compiled_for.txt")


def choose(mark: Path = MARK) -> None:
    """Select the target of the wheel's compiled kernels, if this processor supports it."""
    if config.CPU_NAME is None and mark.exists() and carries(binding.get_host_cpu_features()):
        config.CPU_NAME, config.CPU_FEATURES = FIXED, ""


def carries(features: dict[str, bool]) -> bool:
    """Return whether a processor with these features runs code compiled for the fixed target."""
    return all(features.get(name, False) for name in NEEDED)


def named_target() -> str | None:
    """Return the name of the processor that code is compiled for; None if it is the host's own."""
    return config.CPU_NAME

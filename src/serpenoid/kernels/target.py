"""The processor that kernels are compiled for: this machine's own, or the one of a wheel that carries its kernels.

numba's key of compiled code holds the processor's name and features, so code made on one machine is found on another
only where both compile for one named target. A wheel with compiled kernels holds the mark below; NUMBA_CPU_NAME, where
it is set, has its way.
"""

from __future__ import annotations

from pathlib import Path

from llvmlite import binding
from numba import config

FIXED = "x86-64-v3"
# What the level asks of a processor, in LLVM's words.
NEEDED = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
MARK = Path(__file__).with_name("compiled_for.txt")


def choose(mark: Path = MARK) -> None:
    """Compile for the target that the wheel's kernels were made for, where this processor carries it."""
    if config.CPU_NAME is None and mark.exists() and carries(binding.get_host_cpu_features()):
        config.CPU_NAME, config.CPU_FEATURES = FIXED, ""


def carries(features: dict[str, bool]) -> bool:
    """Whether a processor with these features runs code made for the fixed target."""
    return all(features.get(name, False) for name in NEEDED)


def named_target() -> str | None:
    """The processor that code is compiled for by name; None where it is this machine's own."""
    return config.CPU_NAME

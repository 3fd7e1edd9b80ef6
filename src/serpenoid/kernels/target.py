"""Processor target of compiled kernels: a fixed level, so that all processors of that level compute the same bits.

numba's cache key contains the processor's name and features. With a named target, code compiled on one machine is also
found on another. NUMBA_CPU_NAME takes precedence if it is set; `host` selects this machine's own processor.
"""

from __future__ import annotations

from llvmlite import binding
from numba import config

FIXED = "x86-64-v3"
HOST = "host"
# Processor features required by this level, by their LLVM names.
NEEDED = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")


def choose() -> None:
    """Select the fixed target if this processor supports it and no other one is named."""
    if config.CPU_NAME is None and supports_fixed(binding.get_host_cpu_features()):
        config.CPU_NAME, config.CPU_FEATURES = FIXED, ""
    elif config.CPU_NAME == HOST:
        config.CPU_NAME = binding.get_host_cpu_name()


def supports_fixed(features: dict[str, bool]) -> bool:
    """Return whether a processor with these features runs code compiled for the fixed target."""
    return all(features.get(name, False) for name in NEEDED)


def named_target() -> str | None:
    """Return the name of the processor that kernels are compiled for; None if it is the host's own, without a name."""
    choose()
    return config.CPU_NAME

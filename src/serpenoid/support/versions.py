"""Versions of this package and of what its numbers rest on: the one place that asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

RESTS_ON = ("serpenoid", "numpy", "numba", "llvmlite", "mujoco")
PEERS = ("pin", "crocoddyl", "casadi")  # what `bench` and the papers are compared with, where it is installed


def versions(also: Iterable[str] = ()) -> dict[str, str]:
    """Versions by package; `also` names optional ones, which are left out where they are not installed.

    Where kernels are compiled for a named processor and not for this machine's own, it is named too: last digits
    depend on it.
    """
    from serpenoid.kernels.target import named_target

    found = {name: version_of(name) or "unknown" for name in RESTS_ON}
    if (target := named_target()) is not None:
        found["target"] = target
    return found | {name: version for name in also if (version := version_of(name)) is not None}


@cache
def version_of(name: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

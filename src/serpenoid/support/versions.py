"""Versions of this package and of the libraries that affect its results."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

RESTS_ON = ("serpenoid", "numpy", "numba", "llvmlite", "mujoco")
PEERS = ("pin", "crocoddyl", "casadi")  # libraries that `bench` and the papers compare with, if installed


def versions(also: Iterable[str] = ()) -> dict[str, str]:
    """Return versions by package; `also` names optional ones, which are left out if not installed.

    If kernels are compiled for a named processor instead of this machine's own, it is included, because last digits
    depend on it.
    """
    from serpenoid.kernels.target import named_target

    found = {name: version_of(name) or "unknown" for name in RESTS_ON}
    if (target := named_target()) is not None:
        found["target"] = target
    return found | {name: version for name in also if (version := version_of(name)) is not None}


@cache
def version_of(name: str) -> str | None:
    """Return the version of an installed package, None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

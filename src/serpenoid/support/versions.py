"""Versions of this package and of the libraries that affect its results."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

RESTS_ON = ("serpenoid", "numpy", "numba", "llvmlite", "mujoco")
DISTRIBUTIONS = {"mujoco": "mujoco-core"}  # where the name differs from that of the package
PEERS = ("pin", "crocoddyl", "casadi")  # libraries that `bench` and the papers compare with, if installed


def versions(also: Iterable[str] = ()) -> dict[str, str]:
    """Return versions by package; `also` names optional ones, which are omitted if not installed.

    The processor target of compiled kernels is included if it has a name, because last digits depend on it.
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
        return metadata.version(DISTRIBUTIONS.get(name, name))
    except metadata.PackageNotFoundError:
        return None

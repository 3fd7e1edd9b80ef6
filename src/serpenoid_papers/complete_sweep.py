"""Sweep whose result an experiment needs as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serpenoid.sweeps import sweep
from serpenoid.sweeps.store import OPEN, STATES

if TYPE_CHECKING:
    import xarray


def complete_sweep(*args: Any, **options: Any) -> xarray.Dataset:
    """Run sweep(), but let Ctrl-C end the experiment, because partial data would bias it. The store keeps finished
    runs.
    """
    found = sweep(*args, **options)
    if found.attrs["chunks"][STATES[OPEN]]:
        raise KeyboardInterrupt
    return found

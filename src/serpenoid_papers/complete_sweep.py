"""A sweep that an experiment reads as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serpenoid.sweeps import sweep
from serpenoid.sweeps.store import OPEN, STATES

if TYPE_CHECKING:
    import xarray


def whole_sweep(*args: Any, **options: Any) -> xarray.Dataset:
    """As sweep(), but Ctrl-C ends the experiment: its numbers would be of a part. The store keeps what was run."""
    found = sweep(*args, **options)
    if found.attrs["chunks"][STATES[OPEN]]:
        raise KeyboardInterrupt
    return found

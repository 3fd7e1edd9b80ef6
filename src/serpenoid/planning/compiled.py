"""Which compiled solver serves a problem: one for all built-in costs, and one for every set of a user's own."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr import solve_task
from serpenoid.planning.costs import Cost


@cache
def solver_kernel(costs: tuple[type[Cost], ...]) -> Any:
    """The compiled solver; with a user's costs it is cached under their sources as well, if they have any."""
    if not costs:
        return solve_task
    return kernel_of_sources(solve_task.py_func, tuple(source(cost) for cost in costs))


def source(cost: type[Cost]) -> str | None:
    """The module and the source text of a cost's class; None where it cannot be found again after a restart."""
    if "<locals>" in cost.__qualname__:
        return None
    try:
        return f"{cost.__module__}\n{inspect.getsource(inspect.getmodule(cost) or cost)}"
    except (OSError, TypeError):
        return None

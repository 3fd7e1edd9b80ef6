"""Which compiled solver serves a problem: one for all built-in costs, and one for every set of a user's own."""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import Any

from numba.core import event

from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr.solve import solve_task
from serpenoid.planning.costs import Cost


class Announced(event.Listener):
    """A compiled solver that says so when its first call has to compile, and not when the cache has it."""

    def __init__(self, kernel: Any, costs: tuple[type[Cost], ...]):
        self.kernel, self.names, self.announced = kernel, ", ".join(cost.__name__ for cost in costs), False

    def __call__(self, *arguments: Any) -> Any:
        if self.kernel.signatures:
            return self.kernel(*arguments)
        with event.install_listener("numba:compile", self):
            return self.kernel(*arguments)

    def on_start(self, event: Any) -> None:
        if not self.announced:
            self.announced = True
            text = f"first use of {self.names} only: compiling the planner with it, a minute or two ..."
            print(text, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None: ...


@cache
def solver_kernel(costs: tuple[type[Cost], ...]) -> Any:
    """The compiled solver; with a user's costs it is cached under their sources as well, if they have any."""
    if not costs:
        return solve_task
    return Announced(kernel_of_sources(solve_task.py_func, tuple(source(cost) for cost in costs)), costs)


def source(cost: type[Cost]) -> str | None:
    """The module and the source text of a cost's class; None where it cannot be found again after a restart."""
    if "<locals>" in cost.__qualname__:
        return None
    try:
        return f"{cost.__module__}\n{inspect.getsource(inspect.getmodule(cost) or cost)}"
    except (OSError, TypeError):
        return None

"""Compiled solvers: one for all built-in costs, and one for every set of user-defined costs."""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import Any

from numba.core import event
from numba.core.errors import NumbaError

from serpenoid.control.own_shapes import in_a_line
from serpenoid.errors import InvalidValue
from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr.solve import solve_task
from serpenoid.planning.costs import Cost
from serpenoid.support.compiling import COMPILING, suppress_line


class UserSolver(event.Listener):
    """A solver that contains a user's costs; prints a line while its first call compiles."""

    def __init__(self, costs: tuple[type[Cost], ...]):
        self.names = ", ".join(cost.__name__ for cost in costs)
        self.kernel = kernel_of_sources(solve_task.py_func, tuple(source(cost) for cost in costs))
        self.announced = False

    def __call__(self, *arguments: Any) -> Any:
        if self.announced:
            return self.kernel(*arguments)
        try:
            with suppress_line(), event.install_listener(COMPILING, self):
                return self.kernel(*arguments)
        except NumbaError as error:
            allowed = f"costs whose residuals numba can compile ({in_a_line(error)})"
            raise InvalidValue("cost", self.names, allowed) from None
        finally:
            self.announced = True

    def on_start(self, event: Any) -> None:
        if not self.announced:
            self.announced = True
            text = f"first use of {self.names}: compiling the planner takes a minute or two ..."
            print(text, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None: ...


@cache
def solver_kernel(costs: tuple[type[Cost], ...]) -> Any:
    """Return the compiled solver; with a user's costs it is cached under their sources, if they have any."""
    return UserSolver(costs) if costs else solve_task


def source(cost: type[Cost]) -> str | None:
    """Return the module name and source text of a cost's class; None if it cannot be found again after a restart."""
    if "<locals>" in cost.__qualname__:
        return None
    try:
        return f"{cost.__module__}\n{inspect.getsource(inspect.getmodule(cost) or cost)}"
    except (OSError, TypeError):
        return None

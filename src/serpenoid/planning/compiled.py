"""Which compiled solver serves a problem: one for all built-in costs, and one for every set of a user's own."""

from __future__ import annotations

import inspect
import sys
from contextlib import nullcontext
from functools import cache
from typing import Any

from numba import typeof
from numba.core import event
from numba.core.errors import NumbaError

from serpenoid.control.own_shapes import in_a_line
from serpenoid.errors import InvalidValue
from serpenoid.kernels.compile import kernel_of_sources
from serpenoid.kernels.ilqr.backward import law_at
from serpenoid.kernels.ilqr.cost_terms import Terms, terms_expand, terms_value
from serpenoid.kernels.ilqr.curvature import bend, way_out
from serpenoid.kernels.ilqr.forward import linearise_plan, roll_out
from serpenoid.kernels.ilqr.solve import solve_task
from serpenoid.planning.costs import Cost
from serpenoid.support.compiling import COMPILING, reported


class Solver(event.Listener):
    """A compiled solver; where its first call has to compile, it begins with what no other process begins with.

    Of a user's costs it says so: they are compiled with the planner.
    """

    def __init__(self, kernel: Any, costs: tuple[type[Cost], ...]):
        self.kernel, self.names = kernel, ", ".join(cost.__name__ for cost in costs)
        self.arguments: tuple[Any, ...] = ()  # of the call that compiles

    def __call__(self, *arguments: Any) -> Any:
        if self.kernel.signatures:
            return self.kernel(*arguments)
        self.arguments = arguments
        try:
            with reported() if self.names else nullcontext(), event.install_listener(COMPILING, self):
                return self.kernel(*arguments)
        except NumbaError as error:
            if not self.names:
                raise
            allowed = f"costs whose residuals numba can compile ({in_a_line(error)})"
            raise InvalidValue("cost", self.names, allowed) from None
        finally:
            self.arguments = ()

    def on_start(self, event: Any) -> None:
        arguments, self.arguments = self.arguments, ()
        if not arguments:
            return
        if self.names:
            text = f"first use of {self.names} only: compiling the planner with it, a minute or two ..."
            print(text, file=sys.stderr, flush=True)
        compile_beginning(*arguments)

    def on_end(self, event: Any) -> None: ...


@cache
def solver_kernel(costs: tuple[type[Cost], ...]) -> Solver:
    """The compiled solver; with a user's costs it is cached under their sources as well, if they have any."""
    if not costs:
        return Solver(solve_task, ())
    return Solver(kernel_of_sources(solve_task.py_func, tuple(source(cost) for cost in costs)), costs)


def compile_beginning(dynamics: Any, costs: Any, task: Any, work: Any) -> None:
    """What the process that solves compiles first: the law of a knot, the costs, and trial plans."""
    space = work.riccati
    compile_part(law_at, task, work, 0, 0.0)
    if isinstance(costs, Terms):
        compile_part(terms_expand, costs, work.knot, space.gradient, space.hessian)
        compile_part(terms_value, costs, work.knot)
    compile_part(way_out, work, 0, space.control_curve, space.gradient, space.lower, space.upper)
    compile_part(roll_out, dynamics, task, work, 1.0)


def compile_rest(dynamics: Any, work: Any) -> None:
    """What a process beside it compiles meanwhile: derivatives of the dynamics and their curvature."""
    compile_part(linearise_plan, dynamics, work)
    compile_part(bend, dynamics, work, 0, work.riccati.gradient)


def compile_part(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel as compiled callers take it, for arguments like these."""
    kernel.part.compile(tuple(typeof(argument) for argument in arguments))


def source(cost: type[Cost]) -> str | None:
    """The module and the source text of a cost's class; None where it cannot be found again after a restart."""
    if "<locals>" in cost.__qualname__:
        return None
    try:
        return f"{cost.__module__}\n{inspect.getsource(inspect.getmodule(cost) or cost)}"
    except (OSError, TypeError):
        return None

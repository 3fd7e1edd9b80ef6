"""Iterative LQR over a horizon in one compiled call: box-constrained controls, line search, regularisation, deadline.

An iteration has four stages. The plan is linearised. A backward pass computes a law and predicts a descent. A line
search tries to achieve it, and its result determines the next iteration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.kernels.clock import now
from serpenoid.kernels.compile import bare_kernel, glue, inner
from serpenoid.kernels.ilqr import cost_terms  # noqa: F401  compiled into solves, so part of this file's stamp
from serpenoid.kernels.ilqr.backward import Promise, backward_pass
from serpenoid.kernels.ilqr.curvature import FULL, POSITIVE, STRAIGHT
from serpenoid.kernels.ilqr.forward import copy, line_search, linearise_plan
from serpenoid.kernels.ilqr.work import Outcome

# Reason for the end of a solve.
CONVERGED, ITERATIONS, DEADLINE, NO_DESCENT, NOT_FINITE = range(5)
# Available data about the current plan: none, its derivatives, or also their curvature at all knots.
NEW, LINEARISED, BENT = range(3)
# With this model at this plan: all options open, regularisation lowered without a predicted descent, that failed.
OPEN, WEAKENED, STUCK = range(3)

STRONGEST, WEAKEST = 1e10, 1e-6  # regularisation
GROWTH = 1.6


class Progress(NamedTuple):
    """State of a solve."""

    cost: float  # of the current plan, which is the best one found
    status: int  # ITERATIONS while the solve continues
    done: int  # completed iterations; -1 before the guess is rolled out
    model: int  # part of the dynamics' curvature in use: STRAIGHT, POSITIVE, FULL
    due: int  # the model of the next iteration
    known: int  # NEW, LINEARISED, BENT
    trial: int  # OPEN, WEAKENED, STUCK


@bare_kernel
def solve_task(dynamics, costs, task, work):
    """Improve the plan in `work` (states, controls, gains) from work.start on; return an Outcome.

    The solve starts with plain iLQR. It uses the positive part of the dynamics' curvature from task.curved_from on, or
    when iLQR predicts no descent. When that predicts no descent either, it uses the full curvature, also to leave
    saddles. The plan in `work` is always the best one found and consistent with the dynamics, whenever the solve ends.
    The first pass of the loop only rolls out the guess: a second line search would double the compile time.
    """
    start, longest = now(work.clock), 0.0
    clip_controls(task, work.controls)
    progress = Progress(np.inf, ITERATIONS, -1, STRAIGHT, STRAIGHT, NEW, OPEN)
    while progress.status == ITERATIONS and progress.done < task.iterations:
        begin = now(work.clock)
        if progress.done >= 0 and begin - start + longest > task.deadline:
            progress = end_solve(progress, DEADLINE)
            break
        idle, promise = False, Promise(True, 0.0, 0.0)
        if progress.done >= 0:
            progress = update_linearisation(dynamics, task, work, progress)
            promise = backward_pass(
                task, dynamics, costs, work, work.memory[0], progress.model, progress.known != BENT
            )  # fmt: skip
            progress = record_pass(progress, promise)
            idle = promises_nothing(task, progress, promise)
            if idle and progress.done == 0 and stationary_start(task, work):
                idle, promise, progress = False, Promise(True, 0.0, 0.0), apply_nudge(task, work, progress)
        if idle:
            progress = weaken(task, work, progress)
        else:
            found = progress.cost
            if promise.possible or leaves_saddle(task, progress, promise):
                found = line_search(dynamics, costs, task, work, found, promise.slope, promise.curve)
            progress = decide(task, work, progress, promise, found)
        longest = max(longest, now(work.clock) - begin)
    return Outcome(progress.status, progress.done, progress.cost, now(work.clock) - start)


@glue
def end_solve(before, status):
    """Return the progress with another status."""
    return Progress(before.cost, status, before.done, before.model, before.due, before.known, before.trial)


@glue
def update_linearisation(dynamics, task, work, before):
    """Compute derivatives of a changed plan, and select the next model, which starts at the smallest regularisation."""
    if before.known == NEW:
        linearise_plan(dynamics, work)
    due = max(before.due, POSITIVE) if before.done >= task.curved_from else before.due
    if due == before.model:
        return before
    work.memory[0], work.memory[1], work.memory[2] = task.floor, 1.0, 1.0
    return Progress(before.cost, before.status, before.done, due, due, min(before.known, LINEARISED), OPEN)


@glue
def record_pass(before, promise):
    """Return the progress after a backward pass, which sets the curvature of the knots that it reaches."""
    known = BENT if promise.possible else LINEARISED
    return Progress(before.cost, before.status, before.done, before.model, before.due, known, before.trial)


@glue
def promises_nothing(task, progress, promise):
    """Return whether the law of a complete backward pass would not lower the cost."""
    return promise.possible and -(promise.slope + promise.curve) <= task.tolerance * abs(progress.cost)


@glue
def leaves_saddle(task, progress, promise):
    """Return whether an aborted backward pass found a direction out of a saddle."""
    promised = -(promise.slope + promise.curve) > task.tolerance * abs(progress.cost)
    return progress.model == FULL and not promise.possible and promised


@glue
def apply_nudge(task, work, before):
    """Use the nudge as the guess, to be rolled out without feedback and accepted at any cost."""
    copy(task.nudge, work.controls)
    for knot in range(work.gains.shape[0]):
        for a in range(work.gains.shape[1]):
            for x in range(work.gains.shape[2]):
                work.gains[knot, a, x] = 0.0
    return Progress(np.inf, before.status, before.done, before.model, before.due, before.known, before.trial)


@glue
def weaken(task, work, before):
    """Handle zero predicted descent: lower the regularisation (possibly the cause), select a finer model, or stop."""
    due, trial, status = before.due, before.trial, before.status
    if work.memory[0] > task.floor and trial != STUCK:
        regularise(work.memory, False, task.floor)
        trial = WEAKENED
    elif before.model < select_finest(task):
        due = before.model + 1
    else:
        status = NO_DESCENT if trial == STUCK else CONVERGED
    return Progress(before.cost, status, before.done + 1, before.model, due, before.known, trial)


@glue
def select_finest(task):
    """Return the finest model that a solve may use."""
    return FULL if task.curved_from < task.iterations else STRAIGHT


@glue
def decide(task, work, before, promise, found):
    """Update regularisation, model and status after a line search, which may have failed or been skipped."""
    if before.done < 0:
        status = ITERATIONS if np.isfinite(found) else NOT_FINITE
        return Progress(found, status, 0, before.model, before.due, NEW, OPEN)
    better, leaving = found < before.cost, leaves_saddle(task, before, promise)
    model, due, status = before.model, before.due, before.status
    known = NEW if better else before.known
    in_vain = before.trial != OPEN or (model == FULL and not promise.possible)
    trial = STUCK if in_vain and not better else OPEN
    if leaving and better:
        model, due = POSITIVE, POSITIVE
    elif not regularise(work.memory, not better, task.floor):
        due = min(model + 1, select_finest(task))
        status = ITERATIONS if due > model else NO_DESCENT
    done = before.done + 1 if promise.possible or leaving else before.done
    return Progress(found, status, done, model, due, known, trial)


@inner
def regularise(memory, stronger, floor):
    """Raise or lower the regularisation, faster each time in a row (Tassa et al. 2012, II-F).

    Return False at its limit.
    """
    if stronger:
        memory[1] = max(GROWTH, memory[1] * GROWTH)
        memory[0] = max(WEAKEST, memory[0] * memory[1])
        return memory[0] <= STRONGEST
    memory[1] = min(1.0 / GROWTH, memory[1] / GROWTH)
    memory[0] = max(memory[0] * memory[1] if memory[0] * memory[1] > WEAKEST else 0.0, floor)
    return True


@glue
def stationary_start(task, work):
    """Return whether the plan has zero torque although there is a nudge to try."""
    largest, offered = 0.0, 0.0
    for knot in range(work.controls.shape[0]):
        for a in range(work.controls.shape[1]):
            largest = max(largest, abs(work.controls[knot, a]))
            offered = max(offered, abs(task.nudge[knot, a]))
    return largest < 1e-3 * offered


@glue
def clip_controls(task, controls):
    """Clip a warm start to the box; non-finite values become zero."""
    for knot in range(controls.shape[0]):
        for a in range(controls.shape[1]):
            value = controls[knot, a] if np.isfinite(controls[knot, a]) else 0.0
            controls[knot, a] = min(max(value, task.lower[a]), task.upper[a])

"""Pushing: single contact problems against a QP solver, and the map of 21,952 shapes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.push.constraints import operators
from serpenoid.kernels.push.survey import region_torques, survey
from serpenoid.mechanics.slippage import input_ball, prepare_push, unit_mass
from serpenoid.robots import PlanarSnake
from serpenoid.worlds.pushing import PushedObject, Wheels
from serpenoid_papers.benchmarks.base import Row, time_interleaved

SHAPES, TORQUES = 20, 400  # cases of one timed call: 8,000 problems
Problem = tuple[NDArray, NDArray, NDArray]  # gram, offset, limits
WHEELS = {1: Wheels("none"), 2: Wheels("friction", friction=0.1), 3: Wheels("ideal")}


def rows() -> Iterator[Row]:
    """Yield our time per problem against proxsuite's, then that of the whole map."""
    snake, thing = PlanarSnake(4, 0.15, 1.0, 0.002), PushedObject(100.0)
    push, _ = prepare_push(snake, thing, WHEELS[2], None)
    shapes = np.random.default_rng(0).uniform(-2.3, 2.3, (SHAPES, 3))
    ball = input_ball(3, TORQUES // 5, 5)
    ours = partial(survey, push, shapes, unit_mass(snake), ball)
    name = "pushing, one contact problem with bounded wheels"
    try:
        from proxsuite import proxqp
    except ImportError:
        yield Row(name, time_interleaved({"ours": ours})["ours"] / (SHAPES * TORQUES))
    else:
        problems = quadratic_programmes(push, shapes, unit_mass(snake), ball)
        peer = partial(solve_all, proxqp, problems[:: len(problems) // 200])
        best = time_interleaved({"ours": ours, "peer": peer}, seconds=2.0)
        yield Row(name, best["ours"] / (SHAPES * TORQUES), "proxsuite", best["peer"] / 200, "50 x")
    yield whole_map(snake, thing, ball)


def quadratic_programmes(push: Any, shapes: NDArray, mass: float, ball: NDArray) -> list[Problem]:
    """Return the same problems as (gram, offset, limits)."""
    torques = region_torques(push, shapes, mass, ball)
    problems = []
    for shape, given in zip(shapes, torques):
        ops = operators(push, 0.0, shape, np.zeros(2))
        problems += [(ops.gram, -ops.drive @ torque, push.limits) for torque in given]
    return problems


def solve_all(proxqp: Any, problems: list[Problem]) -> float:
    """Minimise force^T gram force / 2 + offset^T force within the limits for every problem, in one workspace."""
    rows = problems[0][1].size
    qp = proxqp.dense.QP(rows, 0, rows)
    qp.settings.eps_abs = 1e-9
    qp.settings.compute_timings = False
    unit, total = np.eye(rows), 0.0
    for i, (gram, offset, limits) in enumerate(problems[:200]):
        lower, upper = np.clip(limits.T, -1e20, 1e20)
        if i == 0:
            qp.init(gram, offset, None, None, unit, lower, upper)
        else:
            qp.update(H=gram, g=offset, C=unit, l=lower, u=upper)
        qp.solve()
        total += float(qp.results.x[0])
    return total


def whole_map(snake: PlanarSnake, thing: PushedObject, ball: NDArray) -> Row:
    """Time 21,952 shapes x 3 scenarios x 400 torques, on one core and by the processor clock."""
    angles = np.radians(np.arange(-135.0, 136.0, 10.0))
    shapes = np.stack(np.meshgrid(*[angles] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    pushes = [prepare_push(snake, thing, wheels, None)[0] for wheels in WHEELS.values()]
    start, wall = process_time(), perf_counter()
    for push in pushes:
        survey(push, shapes, unit_mass(snake), ball)
    spent = process_time() - start
    name = f"pushing, map of {len(shapes)} shapes x 3 scenarios x {len(ball)} torques"
    return Row(f"{name} (processor time; {perf_counter() - wall:.1f} s wall)", 1e6 * spent, target="30 s")

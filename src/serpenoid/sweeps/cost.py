"""What runs cost, roughly: by their steps, and by how finely friction or drag make the engine cut them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine
from serpenoid.errors import SerpenoidError
from serpenoid.gaits.base import Gait
from serpenoid.planning import RecedingHorizon
from serpenoid.robots.base import Robot
from serpenoid.scenarios.base import Scenario, goes_in_lanes, what_lanes_share
from serpenoid.simulation import suited
from serpenoid.support.kernel_inputs import chain_of, motion_of
from serpenoid.sweeps.axes import Axis, ends_of
from serpenoid.sweeps.chunks import distinct_rows, scenarios_of

if TYPE_CHECKING:
    from serpenoid.sweeps.plan import Plan

# Seconds of one core of 2024 for an integration step: of a run by itself, and of 64 in lock-step.
ALONE = {"planar": 1.5e-5, "pushing": 1.3e-4, "contact": 7e-5, "pegs": 1.2e-5, "tree": 1.2e-4}
IN_LANES = {"planar": 6e-5, "tree": 1.3e-3}
PLANNED = 3.4e-3  # for a plan, whatever it is of [s]
# Joints at which a step, or a plan, costs twice as much as a small robot's; from there by their third power.
DOUBLED = {"planar": 25.0, "pushing": 25.0, "contact": 58.0, "pegs": 40.0, "tree": 200.0, "plan": 10.0}
LANES = 64
MOST_CORNERS = 32  # cells at the ends of the axes that are looked at
LOOKED_AT, LEAST_LOOKED_AT = 1500, 3  # cells, and chunks, by which ways to cut a sweep are compared
MOST_ORDERED = 1000  # chunks that are put in order
ALIKE = 2.0  # runs whose costs differ by a smaller factor need no order


class Price(NamedTuple):
    """What a run costs on one core."""

    seconds: float  # of the run, or of the 64 that go in lock-step with it
    lanes: Any  # runs of the same key go together; None for one by itself


def price(scenario: Scenario, engines: dict[Any, Engine], alone: bool = False) -> Price | None:
    """Estimate what a run costs; None where that is unknown. Engines made so far serve those that they fit.

    A run that can go in lock-step with others costs as much as all 64, unless it is `alone`.
    """
    if type(scenario).batch.__func__ is not Scenario.batch.__func__:  # type: ignore[attr-defined]
        return None  # a way of its own
    try:
        robot: Robot
        robot, given, leader = scenario.parts()
        world = suited(robot, given, leader)
        kind = find_engine(robot, world, getattr(scenario, "engine", None))
        fine = world.substeps(chain_of(robot), scenario.step) if kind.name == "planar" else 1
        key = lanes_of(scenario, engines, robot, world, leader) if kind.name in IN_LANES and not alone else None
    except (SerpenoidError, ArithmeticError, NotImplementedError, TypeError, ValueError):  # its cells will say why
        return None
    step = ALONE[kind.name] if key is None else IN_LANES[kind.name]
    plans = scenario.duration / scenario.control_period if isinstance(leader, RecedingHorizon) else 0.0
    step *= larger(kind.name, robot.joints)
    plan = PLANNED * larger("plan", robot.joints)
    return Price(fine * step * scenario.duration / scenario.step + plan * plans, key)


def larger(kind: str, joints: int) -> float:
    """How many times as much a step or a plan of this many joints costs, compared with a small robot's."""
    return 1.0 + (joints / DOUBLED[kind]) ** 3


def lanes_of(scenario: Scenario, engines: dict[Any, Engine], robot: Robot, world: Any, leader: Any) -> Any:
    """What runs that go in lock-step with a scenario's share; None for one that goes by itself."""
    if not scenario.kept or not isinstance(leader, Gait):
        return None
    same = (id(robot), id(world), scenario.step)  # engines keep both alive
    if same not in engines:
        engines[same] = find_engine(robot, world, getattr(scenario, "engine", None))(robot, world, scenario.step)
    shared = engines[same].lanes_key(motion_of(leader, robot))
    return None if shared is None else (shared, what_lanes_share(type(scenario))(scenario))


def corners(scenario: Scenario, axes: Sequence[Axis]) -> list[float]:
    """Seconds of the runs at the ends of the axes; none where they are unknown."""
    rows = list(islice(product(*map(ends_of, axes)), MOST_CORNERS))
    engines: dict[Any, Engine] = {}
    cells = [cell for cell in scenarios_of(scenario, [axis.field for axis in axes], rows) if isinstance(cell, Scenario)]
    return [found.seconds for cell in cells if (found := price(cell, engines)) is not None]


def chunk_seconds(plan: Plan, chunk: int, engines: dict[Any, Engine]) -> float:
    """What a chunk costs on one core, cells of unknown cost left out."""
    columns = plan.reduced(plan.columns(chunk))
    cells = scenarios_of(plan.scenario, list(columns), distinct_rows(columns)[0])
    prices = [found for cell in cells if isinstance(cell, Scenario) and (found := price(cell, engines)) is not None]
    return sum(
        found.seconds * (count if found.lanes is None else -(-count // LANES))
        for found, count in Counter(prices).items()
    )


def total_seconds(plan: Plan) -> float:
    """What all chunks cost on one core, by some of them, one drawn from each of equal stretches."""
    engines: dict[Any, Engine] = {}
    wanted = 1 if plan.sample else max(LEAST_LOOKED_AT, LOOKED_AT // plan.grid.size(0))  # samples: all are alike
    count = min(plan.grid.chunks, wanted)
    share = np.random.default_rng(0).random(count) if count < plan.grid.chunks else 0.0
    chosen = ((np.arange(count) + share) * plan.grid.chunks / count).astype(int).tolist()
    return plan.grid.chunks * sum(chunk_seconds(plan, chunk, engines) for chunk in chosen) / len(chosen)


def guessed_seconds(plan: Plan) -> float:
    """What a sweep costs on one core, by the runs at the ends of its axes alone; 0 where that is unknown."""
    ends = corners(plan.scenario, plan.axes)
    together = LANES if goes_in_lanes(plan.scenario) else 1
    return plan.grid.cells * float(np.mean(ends)) / together if ends else 0.0


def cheap_first(plan: Plan, chunks: list[int]) -> list[int]:
    """Chunks by what their first and last cells cost, so that results come early; many, or alike, stay as they are."""
    ends = [] if len(chunks) > MOST_ORDERED or plan.sample else corners(plan.scenario, plan.axes)
    if not ends or max(ends) < ALIKE * min(ends):
        return chunks
    engines: dict[Any, Engine] = {}

    def dearer_end(chunk: int) -> float:
        columns = plan.reduced(plan.columns(chunk))
        rows = list(zip(*((values[0], values[-1]) for values in columns.values())))
        cells = scenarios_of(plan.scenario, list(columns), rows)
        prices = [price(cell, engines) for cell in cells if isinstance(cell, Scenario)]
        return max((found.seconds for found in prices if found is not None), default=0.0)

    return sorted(chunks, key=dearer_end)

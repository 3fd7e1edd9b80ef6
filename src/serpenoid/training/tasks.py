"""Known tasks by name, and the initial task of any scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from serpenoid import configuration
from serpenoid.control import Learned, LearnedJoints, Network
from serpenoid.control.files import read_controller
from serpenoid.control.policy import Policy
from serpenoid.errors import UnknownName, Unsupported
from serpenoid.scenarios import find_scenario, scenario_names
from serpenoid.scenarios.base import Scenario
from serpenoid.training.task import Search, Task, make_task

TRAINING_BOARDS = "1000000:2147483647"  # boards below 1000000 are never trained on
POLICIES: dict[str, Callable[[], Policy]] = {
    "wave": Learned,
    "linear": LearnedJoints,
    "mlp": lambda: LearnedJoints(network=Network(hidden=16)),
    "wave-mlp": lambda: Learned(network=Network(hidden=8)),
}


@dataclass(frozen=True)
class KnownTask:
    """Defaults of a task."""

    name: str
    scenario: Scenario
    goal: dict[str, float] = field(default_factory=dict)
    draw: dict[str, Any] = field(default_factory=dict)
    over: dict[str, Any] = field(default_factory=dict)
    search: Search = Search()


def pegs() -> KnownTask:
    """Return the task of leaving boards of 27 pegs per square metre quickly."""
    policy = Learned(
        inputs=("load", "drag", "effort_slow", "drag_slow", "speed"),
        outputs=("amplitude", "wave", "phase", "speed"), joints=9,
    )  # fmt: skip
    scenario = find_scenario("slither-pegs")(controller=policy, duration=60.0)  # type: ignore[call-arg]
    return KnownTask(
        "pegs", scenario, {"out": 60.0, "time": -1.0, "displacement": 10.0}, {"world.seed": TRAINING_BOARDS},
        {"controller.gait.amplitude": "0.3:1.4", "controller.gait.spatial_frequency": "5:14"},
        Search(generations=25, runs=16, width=0.25),
    )  # fmt: skip


def swimmer() -> KnownTask:
    """Return the task of Gymnasium's Swimmer-v5: a large return over 1000 control periods."""
    usual = Network(scale=(0.7, 0.7, 2.8, 2.8))  # angles [rad] and rates [rad/s] of a fast swimmer
    policy = LearnedJoints(joints=2, inputs=("position", "velocity"), output="torque", size=150.0, network=usual)
    scenario = find_scenario("swimmer")(controller=policy, scatter=0.06)  # type: ignore[call-arg]
    search = Search(generations=120, population=24, runs=4, width=0.5, check_every=10, check_runs=64)
    return KnownTask("swimmer", scenario, {"return": 1.0}, {"seed": TRAINING_BOARDS}, {}, search)


TASKS: dict[str, Callable[[], KnownTask]] = {"pegs": pegs, "swimmer": swimmer}


def known_task(name: str) -> KnownTask:
    """Return the defaults of a task, or those of a scenario, whose goal must be given."""
    if name in TASKS:
        return TASKS[name]()
    if name not in scenario_names():
        raise UnknownName("task or scenario", name, [*TASKS, *scenario_names()])
    return KnownTask(name, find_scenario(name)())


def make_known_task(name: str, **search: Any) -> Task:
    """Return a known task with some options of its search changed."""
    known = known_task(name)
    return make_task(known.scenario, known.goal, known.draw, known.over, replace(known.search, **search))


def with_policy(scenario: Scenario, policy: str | None) -> Scenario:
    """Return a scenario with a policy by name or from a TOML file as its controller."""
    if policy is None:
        return scenario
    if not hasattr(scenario, "controller"):
        raise Unsupported(f"{type(scenario).__name__} has no controller that can be trained")
    if policy in POLICIES:
        chosen: Any = POLICIES[policy]()
    elif Path(policy).suffix == ".toml":
        chosen = read_controller(policy)
    else:
        raise UnknownName("policy", policy, POLICIES)
    return configuration.changed(scenario, {"controller": chosen})

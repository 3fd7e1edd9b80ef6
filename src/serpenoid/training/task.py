"""Task of a training: a scenario with a policy as controller, its goal, and the fields that are drawn or searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.configuration import above, between, check_fields
from serpenoid.control.policy import Network, Policy
from serpenoid.errors import InvalidValue, Unsupported, instance, require
from serpenoid.scenarios.base import Scenario
from serpenoid.sweeps.axes import Spaced
from serpenoid.sweeps.proposals import range_of, share_of, values_of

GOAL = "WEIGHT quantities of the summary, such as out=60,time=-1"
RANGES = 2.0  # width of a searched range in units of the genes; a weight's typical size is 1


@dataclass(frozen=True)
class Search:
    """Strategy of a training and its sizes."""

    algorithm: Literal["cma", "ars"] = "cma"
    """cma: CMA-ES, learns from ranks; ars: augmented random search, version 2, with running normalisation"""
    generations: Annotated[int, between(1, 100_000, usual=(10, 1000))] = 40
    """number of generations"""
    population: Annotated[int, between(0, 10_000, usual=(0, 64))] = 0
    """candidates per generation; ars: directions, of which each gives two candidates; 0: as the algorithm suggests"""
    best: Annotated[int, between(0, 10_000, usual=(0, 64))] = 0
    """ars: number of best directions that are used; 0: all"""
    runs: Annotated[int, between(1, 10_000, usual=(1, 32))] = 8
    """runs per candidate; all candidates of a generation have the same draws"""
    width: Annotated[float, above(0.0, usual=(0.01, 1.0))] = 0.25
    """standard deviation of the candidates, in typical sizes of a weight; cma: of the first generation"""
    step: Annotated[float, above(0.0, usual=(0.005, 0.5))] = 0.05
    """ars: step size"""
    check_every: Annotated[int, between(1, 100_000, usual=(1, 50))] = 5
    """generations between two checks of the mean policy on separate draws; the best of these is kept"""
    check_runs: Annotated[int, between(1, 10_000, usual=(4, 100))] = 32
    """runs of a check"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of the candidates and of all draws"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Task:
    """A training: everything that determines its result."""

    scenario: Scenario
    """scenario whose controller is the initial policy"""
    goal: tuple[tuple[str, float], ...]
    """quantities of the summary with weights; their sum is maximised"""
    draw: tuple[Spaced, ...]
    """fields drawn uniformly from ranges for each run"""
    over: tuple[Spaced, ...]
    """fields searched together with the weights"""
    search: Search = Search()
    """strategy"""

    @property
    def policy(self) -> Policy:
        """Initial policy."""
        return policy_of(self.scenario)

    @property
    def start(self) -> NDArray:
        """Initial genes: weights in typical sizes, then fractions of the searched ranges."""
        policy = self.policy
        given = policy.network.weights or np.zeros(policy.network.size(*policy.shape, policy.biased))
        shares = [RANGES * share_of(axis, configuration.get(self.scenario, axis.field)) for axis in self.over]
        return np.concatenate([np.asarray(given) / weight_units(policy), shares])

    def plain(self) -> dict[str, Any]:
        """Return plain data that identify the training."""
        return {
            "scenario": configuration.to_plain(self.scenario), "goal": dict(self.goal),
            "draw": {axis.field: axis.plain() for axis in self.draw},
            "over": {axis.field: axis.plain() for axis in self.over}, "search": configuration.to_plain(self.search),
        }  # fmt: skip

    def with_genes(self, genes: NDArray, moments: NDArray, record: bool = True) -> Scenario:
        """Return the scenario with the policy of some genes, normalised by the moments of the inputs so far.

        record: whether a policy with running normalisation records the moments of its inputs.
        """
        count = genes.size - len(self.over)
        shares = np.clip(genes[count:] / RANGES, 0.0, 1.0)
        fields = {axis.field: axis.between(shares[i : i + 1])[0] for i, axis in enumerate(self.over)}
        scenario = configuration.changed(self.scenario, fields) if fields else self.scenario
        policy = policy_of(scenario)
        changes: dict[str, Any] = {"weights": tuple((genes[:count] * weight_units(policy)).tolist())}
        if self.search.algorithm == "ars":
            mean, scale = normalisation(moments)
            changes |= {"mean": tuple(mean.tolist()), "scale": tuple(scale.tolist())}
        record = record and self.search.algorithm == "ars"
        network: Network = replace(policy.network, **changes)
        return replace(scenario, controller=replace(policy, network=network, record_inputs=record))  # type: ignore[call-arg]

    def drawn(self, kind: int, number: int, runs: int) -> list[dict[str, Any]]:
        """Return the drawn fields of runs of a generation (kind 0) or of the checks (kind 1)."""
        shares = np.random.default_rng((self.search.seed, 2 + kind, number)).random((runs, len(self.draw)))
        columns = {axis.field: axis.between(shares[:, i]) for i, axis in enumerate(self.draw)}
        return [{field: values[run] for field, values in columns.items()} for run in range(runs)]


def make_task(
    scenario: Scenario,
    goal: Mapping[str, float] | str,
    draw: Mapping[str, Any],
    over: Mapping[str, Any] | None = None,
    search: Search | None = None,
) -> Task:
    """Build a task; refuse a scenario without a policy, and ranges that a field does not accept."""
    policy_of(scenario)
    goal = parse_goal(goal) if isinstance(goal, str) else goal
    require(bool(goal), "goal", dict(goal), GOAL)
    searched = tuple(range_of(scenario, field, values) for field, values in (over or {}).items())
    drawn = tuple(drawn_axis(scenario, *item) for item in draw.items())
    return Task(scenario, tuple(goal.items()), drawn, searched, search or Search())


def policy_of(scenario: Any) -> Policy:
    """Return the policy of a scenario; raise if it has no controller that can be trained."""
    if not hasattr(scenario, "controller"):
        raise Unsupported(f"{type(scenario).__name__} has no controller: learn needs a scenario with --controller")
    policy = scenario.controller
    instance("controller", policy, Policy, "a policy: learned, or a TOML file of one")
    return policy


def drawn_axis(scenario: Scenario, field: str, values: Any) -> Spaced:
    """Return a continuous range A:B from which a field is drawn; integers include both ends."""
    axis = values_of(scenario, field, values) if isinstance(values, str) else values
    if not isinstance(axis, Spaced):
        raise InvalidValue(field, values, "A:B, a range from which it is drawn")
    return replace(axis, count=0)


def parse_goal(text: str) -> dict[str, float]:
    """Parse NAME=WEIGHT,...; a name alone has weight 1, and NAME:min weight -1."""
    found: dict[str, float] = {}
    for word in filter(None, text.split(",")):
        name, equals, weight = word.partition("=")
        smallest = name.endswith(":min")
        value = configuration.number("goal", weight) if equals else 1.0
        found[name.removesuffix(":min").removesuffix(":max")] = -value if smallest else value
    return found


def weight_units(policy: Policy) -> NDArray:
    """Return the typical size of each weight: 1 in a hidden layer, the unit of its output in the last one."""
    inputs, _ = policy.shape
    hidden = policy.network.hidden
    units, bias = np.asarray(policy.units), int(policy.biased)
    return np.concatenate([np.ones(hidden * (inputs + bias)), np.repeat(units, (hidden or inputs) + bias)])


def normalisation(moments: NDArray) -> tuple[NDArray, NDArray]:
    """Return mean and standard deviation of each input from count, sums and squares; 0 and 1 before any run."""
    size = (moments.size - 1) // 2
    if moments[0] < 2.0:
        return np.zeros(size), np.ones(size)
    mean = moments[1 : size + 1] / moments[0]
    spread = np.sqrt(np.maximum(moments[size + 1 :] / moments[0] - mean**2, 0.0))
    return mean, np.where(spread > 1e-8, spread, 1.0)

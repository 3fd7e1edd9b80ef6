"""Tasks: a scenario with actions, observations, a reward and the ends of an episode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from serpenoid.configuration import above, changed, check_fields
from serpenoid.configuration import get as field_value
from serpenoid.errors import InvalidValue, finite, instance, require, whole_number
from serpenoid.scenarios.base import Scenario

Bounds = tuple[float, float]
MOST_VARIANTS = 4096
WAVE = ("amplitude", "frequency", "spatial_frequency", "offset")  # fields in the order of the kernels
WAVE_DEFAULTS = (0.5, 1.0, 2.0 * np.pi, 0.0)
WAVE_UNITS = ("rad", "Hz", "rad", "rad")


def check_ends(ranges: Mapping[str, Bounds]) -> None:
    """Raise for ends of an action's range that are not finite."""
    for name, ends in ranges.items():
        for end in ends:
            finite(f"actions.ranges.{name}", end)


@dataclass(frozen=True)
class JointTargets:
    """Actions of -1 to 1, one per driven joint: targets of the drives, reach x action [rad]."""

    reach: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 1.0
    """greatest target [rad]"""
    around_start: bool = False
    """whether targets are relative to the first shape of the gait, or to the start without a gait"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class JointTorques:
    """Actions of -1 to 1, one per driven joint: torques, most x action [N m]."""

    most: Annotated[float, above(0.0, usual=(0.1, 200.0))] = 1.0
    """greatest torque [N m]"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class WaveFields:
    """Actions of -1 to 1, one per field of a wave along the body, from `low` to `high` of its range.

    The joint targets are offset + amplitude sin(phase - spatial_frequency s), with s from 0 at the head to 1 at the
    tail. The phase advances with `frequency`. Fields without a range keep the value in `fixed`, or a default.
    """

    ranges: Mapping[str, Bounds]
    fixed: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_ends(self.ranges)
        for name, value in self.fixed.items():
            finite(f"actions.fixed.{name}", value)


@dataclass(frozen=True)
class SetPoints:
    """Actions of -1 to 1: set points of shape parameters of the scenario's controller, a `ShapeCompliance`.

    The controller yields to torques around these set points. A parameter that acts in windows has one action for each
    of `regions` equal parts of the body, from the head on. A window uses the action of the part at its middle.
    """

    ranges: Mapping[str, Bounds]
    """parameters with the ends of their ranges"""
    regions: int = 3

    def __post_init__(self) -> None:
        check_ends(self.ranges)


Actions = JointTargets | JointTorques | WaveFields | SetPoints


@dataclass(frozen=True)
class LearningTask:
    """Actions, observations, reward and episodes in a scenario.

    A quantity is the name of a reading, `joint_position`, or one of its components, `joint_position[0]`.
    """

    scenario: Scenario
    actions: Actions
    observations: tuple[str, ...]
    """readings that make up the observation, in order"""
    reward: Mapping[str, float]
    """weights of quantities, of their mean rates `rate(quantity)`, and of `action_squared`, the sum of squares"""
    ends: Mapping[str, Bounds] = field(default_factory=dict)
    """ranges of quantities; an episode ends when a quantity leaves its range"""
    time_limit: float = 0.0
    """longest episode [s]; 0: none"""
    noise: float = 0.0
    """half width of the uniform noise on initial positions and velocities"""
    ranges: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """domain randomisation: ranges of fields of the scenario, drawn for each variant"""
    variants: int = 1
    """scenarios with drawn fields; an episode uses one of them. 0: every episode draws its own"""
    seed: int = 0
    """seed of the variants, which all environments share; without variants, each environment draws by its own seed"""
    discount: float = 0.99
    """recommended discount factor per step"""
    wide: bool = False
    """whether observations are float64 instead of float32"""

    def __post_init__(self) -> None:
        instance("scenario", self.scenario, Scenario, "a Scenario")
        allowed = "JointTargets, JointTorques, WaveFields or SetPoints"
        require(isinstance(self.actions, Actions), "actions", self.actions, allowed)
        require(len(self.observations) > 0, "observations", self.observations, "at least one name of a reading")
        require(len(self.reward) > 0, "reward", dict(self.reward), "at least one quantity with a weight")
        for name, weight in self.reward.items():
            finite(f"reward.{name}", weight)
        for name, (low, high) in self.ends.items():
            require(low < high, f"ends.{name}", (low, high), "a range, low below high")
        require(finite("time_limit", self.time_limit) >= 0.0, "time_limit", self.time_limit, "at least 0 s")
        require(finite("noise", self.noise) >= 0.0, "noise", self.noise, "at least 0")
        require(0.0 < self.discount <= 1.0, "discount", self.discount, "above 0 and at most 1")
        whole_number("variants", self.variants, 0, MOST_VARIANTS)
        whole_number("seed", self.seed, 0, 2**31 - 1)
        changed(self.scenario, {name: low for name, (low, _) in self.ranges.items()})  # raises for unknown fields

    def variant(self, *number: int) -> Scenario:
        """Return the scenario of a variant, or of an environment's seed and episode, with the drawn fields."""
        if not self.ranges:
            return self.scenario
        rng = np.random.default_rng((self.seed, *number))
        return changed(self.scenario, {name: self.drawn(name, rng) for name in self.ranges})

    def drawn(self, name: str, rng: np.random.Generator) -> Any:
        """Return a number between the ends of a range; a whole one for whole fields."""
        low, high = self.ranges[name]
        require(low <= high, f"ranges.{name}", (low, high), "a range, low at most high")
        whole = isinstance(field_value(self.scenario, name), int)
        return int(rng.integers(low, high + 1)) if whole else float(rng.uniform(low, high))


def parse_quantity(field_name: str, text: str) -> tuple[str, int | None]:
    """Return name and component of a quantity such as base_position[0]; the component is None for a whole reading."""
    if "[" not in text:
        return text, None
    found = re.fullmatch(r"([^\[]*)\[([0-9]{1,9})\]", text)
    if found is None:
        raise InvalidValue(field_name, text, "a reading, or one component such as center_of_mass[0]")
    return found[1], int(found[2])

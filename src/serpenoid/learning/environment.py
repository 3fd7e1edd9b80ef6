"""Gymnasium environments of a task: one, or many that are stepped by one compiled call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, UnknownName, require
from serpenoid.kernels.learning.records import DISABLED, DIVERGED, ENDED, NEXT_STEP, SAME_STEP, TIMED_OUT
from serpenoid.learning.rendering import Picture
from serpenoid.learning.spec import JointTargets, LearningTask
from serpenoid.learning.stepper import Stepper
from serpenoid.scenarios import scenario_from

AUTORESETS = {
    AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP, AutoresetMode.DISABLED: DISABLED,
}  # fmt: skip
REASONS = {ENDED: "ended", TIMED_OUT: "time limit", DIVERGED: "diverged"}
RENDER_MODES = (None, "rgb_array")
LARGEST_SEED = 2**31


def task_from(scenario: Any, fields: Mapping[str, Any]) -> LearningTask:
    """Return a task, or one of a scenario with default actions, observations and reward."""
    if isinstance(scenario, LearningTask):
        require(not fields, "scenario", scenario, f"a scenario, to set {', '.join(fields)}")
        return scenario
    given: dict[str, Any] = {"actions": JointTargets(), "observations": ("joint_position", "joint_velocity")} | dict(
        fields
    )
    require("reward" in given, "reward", None, "a mapping from quantities to weights")
    for name in given:
        if name not in LearningTask.__dataclass_fields__:
            raise UnknownName("keyword of Environment()", name, LearningTask.__dataclass_fields__)
    return LearningTask(scenario=scenario_from(scenario), **given)


def spaces_of(stepper: Stepper) -> tuple[Box, Box]:
    """Return the spaces of observations and actions of one environment."""
    kind: Any = np.float64 if stepper.task.wide else np.float32
    observations, actions = stepper.rows.observation.shape[1], stepper.rows.action.shape[1]
    return Box(-np.inf, np.inf, (observations,), kind), Box(-1.0, 1.0, (actions,), np.float32)


def checked_mode(mode: str | None) -> str | None:
    """Return a render mode; raise if it is unknown."""
    if mode not in RENDER_MODES:
        raise InvalidValue("render_mode", mode, "rgb_array or None")
    return mode


def checked_seed(seed: Any) -> int:
    """Return a seed; raise if it is not a whole number from 0."""
    good = isinstance(seed, int | np.integer) and 0 <= seed < LARGEST_SEED
    require(bool(good), "seed", seed, f"a whole number from 0 to {LARGEST_SEED - 1}")
    return int(seed)


class Environment(gymnasium.Env[NDArray, NDArray]):
    """One environment of a scenario: row 0 of a stepper with one row."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}

    def __init__(self, scenario: Any, *, render_mode: str | None = None, **fields: Any):
        self.task = task_from(scenario, fields)
        self.stepper = Stepper(self.task, 1, 1)
        self.observation_space, self.action_space = spaces_of(self.stepper)
        self.render_mode = checked_mode(render_mode)
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.task.scenario.control_period)}
        self.picture: Picture | None = None
        self.running = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray, dict]:
        """Begin an episode; the same seed begins the same series of episodes."""
        super().reset(seed=None if seed is None else checked_seed(seed))
        row = np.zeros(1, dtype=np.int64)
        if seed is not None or not self.stepper.rows.random[0]:
            start = self.np_random.integers(LARGEST_SEED) if seed is None else seed
            self.stepper.seed(row, int(start))
        self.stepper.reset(row)
        self.running = True
        return self.observation(), self.information()

    def step(self, action: NDArray) -> tuple[NDArray, float, bool, bool, dict]:
        """Make one control period; raise for an action outside the space or NaN."""
        require(self.running, "step()", "an episode that has ended or not begun", "called after reset()")
        self.stepper.step(np.asarray(action)[None])
        seen, reward, ended, late, ends = self.stepper.results(self.observation_space.dtype)
        self.running = ends == 0
        return seen[0], float(reward[0]), bool(ended[0]), bool(late[0]), self.information()

    def observation(self) -> NDArray:
        """Return the observation."""
        return self.stepper.rows.observation[0].astype(self.observation_space.dtype)

    def information(self) -> dict[str, Any]:
        """Return the variant of the episode, and the reason for its end."""
        rows = self.stepper.rows
        found: dict[str, Any] = {"variant": int(rows.variant[0])}
        return found | ({"reason": REASONS[int(rows.reason[0])]} if rows.reason[0] else {})

    def readings(self) -> dict[str, NDArray]:
        """Return all readings of the engine by name."""
        known, values = self.stepper.readings, self.stepper.rows.readings[0]
        return {name: values[first : first + known.known[name][0]].copy() for name, first in known.first.items()}

    def render(self) -> NDArray | None:  # type: ignore[override]
        """Return an image of the robot in its world, (height, width, 3) bytes; None without a render mode."""
        if self.render_mode is None:
            return None
        self.picture = self.picture or Picture()
        return self.picture.draw(self.stepper, 0)

    def close(self) -> None:
        """End the threads."""
        self.stepper.close()


class VectorEnvironment(VectorEnv[NDArray, NDArray, NDArray]):
    """Many environments of a scenario, stepped by one compiled call in threads."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self, scenario: Any, num_envs: int = 1, *, threads: int | None = None, render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **fields: Any,
    ):  # fmt: skip
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise InvalidValue("autoreset_mode", autoreset_mode, f"one of {modes}") from None
        self.task = task_from(scenario, fields)
        self.stepper = Stepper(self.task, num_envs, threads, AUTORESETS[mode])
        self.num_envs = self.stepper.count
        self.single_observation_space, self.single_action_space = spaces_of(self.stepper)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        rate = round(1.0 / self.task.scenario.control_period)
        self.metadata = {**self.metadata, "autoreset_mode": mode, "render_fps": rate}
        self.mode, self.render_mode = mode, checked_mode(render_mode)
        self.begun = False
        self.picture: Picture | None = None

    def reset(
        self, *, seed: int | None | list[int | None] = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray, dict[str, Any]]:
        """Begin episodes in all environments or those of options["reset_mask"]; environment k has seed + k."""
        every = np.arange(self.num_envs)
        mask = None if options is None else options.get("reset_mask")
        rows = every if mask is None else every[self.checked_mask(mask)]
        if seed is None and not self.begun:
            seed = int(np.random.SeedSequence().generate_state(1)[0]) % (LARGEST_SEED - self.num_envs)
        if isinstance(seed, list | tuple | np.ndarray):
            require(len(seed) == self.num_envs, "seed", seed, f"one number or {self.num_envs}, one per environment")
            for row, own in enumerate(seed):
                if own is not None:
                    self.stepper.seed(np.array([row]), checked_seed(own) - row)
        elif seed is not None:
            self.stepper.seed(every, checked_seed(seed))
        self.begun = True
        self.stepper.reset(rows)
        return self.observations(), {"variant": self.stepper.rows.variant.copy()}

    def checked_mask(self, mask: Any) -> NDArray:
        """Return a mask of environments."""
        given = np.asarray(mask)
        good = given.shape == (self.num_envs,) and given.dtype == bool and given.any()
        require(bool(good), "reset_mask", mask, f"{self.num_envs} booleans, at least one of them true")
        return given

    def step(self, actions: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, dict[str, Any]]:
        """Make one control period of all environments."""
        require(self.begun, "step()", "environments that have not begun", "called after reset()")
        if self.mode is AutoresetMode.DISABLED and self.stepper.rows.reason.any():
            raise InvalidValue("step()", "environments whose episode has ended", "called after reset() of them")
        self.stepper.step(actions)
        seen, reward, ended, late, ends = self.stepper.results(self.single_observation_space.dtype)
        return seen, reward, ended, late, self.episodes(ended | late) if ends else {}

    def episodes(self, over: NDArray) -> dict[str, Any]:
        """Return return, length and reason of the episodes that ended, and their last observations."""
        rows = self.stepper.rows
        found: dict[str, Any] = {
            "episode": {"r": rows.last_total.copy(), "l": rows.last_ticks.copy(), "_r": over, "_l": over},
            "_episode": over, "reason": rows.reason.copy(), "_reason": over,
        }  # fmt: skip
        if self.mode is AutoresetMode.SAME_STEP:
            last = np.full(self.num_envs, None, dtype=object)
            for row in np.flatnonzero(over):
                last[row] = rows.final[row].astype(self.single_observation_space.dtype)
            found |= {"final_obs": last, "_final_obs": over, "final_info": {}, "_final_info": over}
        return found

    def observations(self) -> NDArray:
        """Return the observations (environments, numbers)."""
        return self.stepper.rows.observation.astype(self.single_observation_space.dtype)

    def render(self) -> tuple[NDArray, ...] | None:
        """Return an image of each environment; None without a render mode."""
        if self.render_mode is None:
            return None
        self.picture = self.picture or Picture()
        return tuple(self.picture.draw(self.stepper, row) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.stepper.close()

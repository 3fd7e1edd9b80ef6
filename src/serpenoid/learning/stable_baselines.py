"""Adapter to Stable-Baselines3, which has its own interface of vectors of environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from serpenoid.errors import Unsupported
from serpenoid.learning.environment import VectorEnvironment

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv
except ImportError:
    raise Unsupported("the adapter needs Stable-Baselines3: pip install stable-baselines3") from None


class StableBaselinesVector(VecEnv):
    """Environments of ours as Stable-Baselines3 steps them; they must reset in the step that ends an episode."""

    def __init__(self, environments: VectorEnvironment):
        if environments.mode is not AutoresetMode.SAME_STEP:
            raise Unsupported("Stable-Baselines3 needs environments with autoreset_mode='SameStep'")
        self.environments = environments
        self.actions: Any = None
        self.wanted_seed: int | None = None
        space = environments.single_action_space
        super().__init__(environments.num_envs, environments.single_observation_space, space)

    def reset(self) -> NDArray:
        observations, _ = self.environments.reset(seed=self.wanted_seed)
        self.wanted_seed = None
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset; environment k has seed + k."""
        self.wanted_seed = seed
        return [None if seed is None else seed + row for row in range(self.num_envs)]

    def step_async(self, actions: NDArray) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[NDArray, NDArray, NDArray, list[dict[str, Any]]]:
        """Make one step; return observations, rewards, ends and a dictionary for each environment."""
        observations, rewards, ended, late, found = self.environments.step(self.actions)
        over, infos = ended | late, [dict[str, Any]() for _ in range(self.num_envs)]
        for row in np.flatnonzero(over):
            infos[row] = {
                "terminal_observation": found["final_obs"][row], "TimeLimit.truncated": bool(late[row]),
                "episode": {"r": float(found["episode"]["r"][row]), "l": int(found["episode"]["l"][row]), "t": 0.0},
            }  # fmt: skip
        return observations, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        self.environments.close()

    def rows_of(self, indices: Any) -> list[int]:
        """Return environments by index, all for None."""
        return list(self._get_indices(indices))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.environments, attr_name) for _ in self.rows_of(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise Unsupported("environments that are stepped together cannot be changed one by one")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise Unsupported("environments that are stepped together do not have separate methods")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self.rows_of(indices)]

"""Serpenoid/Swimmer against Gymnasium's Swimmer-v5: spaces, observations and rewards."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import serpenoid.learning  # noqa: E402, F401


def test_spaces_observations_and_rewards_agree():
    ours, theirs = gymnasium.make_vec("Serpenoid/Swimmer-v0", num_envs=3, threads=1), gymnasium.make("Swimmer-v5")
    assert ours.single_observation_space == theirs.observation_space
    assert ours.single_action_space == theirs.action_space
    ours.reset(seed=0)
    theirs.reset(seed=0)
    rng, worst, row = np.random.default_rng(1), 0.0, 1
    state = ours.unwrapped.stepper.rows.state[row]
    theirs.unwrapped.set_state(np.array([*state[:2], state[2] - np.pi, *state[3:5]]), state[5:10].copy())
    for tick in range(300):  # the last hundred drive both joints into their stops
        action = rng.uniform(-1.0, 1.0, (3, 2)) if tick < 200 else np.tile((1.0, -1.0), (3, 1))
        seen, reward, ended, late, _ = ours.step(action.astype(np.float32))
        wanted, their_reward, *_ = theirs.step(action[row].astype(np.float32))
        worst = max(worst, np.abs(seen[row] - wanted).max(), abs(reward[row] - their_reward))
        assert not (ended.any() or late.any())
    assert worst < 1e-8


def test_an_episode_has_a_thousand_steps():
    ours = gymnasium.make("Serpenoid/Swimmer-v0")
    ours.reset(seed=0)
    ends = [ours.step(np.zeros(2, dtype=np.float32))[2:4] for _ in range(1000)]
    assert ends[-1] == (False, True) and not any(any(end) for end in ends[:-1])

"""PPO of Stable-Baselines3 on the swimmer: python stable_baselines.py [steps]."""

import sys

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

import serpenoid.learning  # noqa: F401  (registers the environments)
from serpenoid.learning.stable_baselines import StableBaselinesVector


def main(steps: int = 2_000_000, environments: int = 64) -> float:
    """Train a policy; return its mean return over 10 episodes of Gymnasium's own Swimmer-v5."""
    ours = gymnasium.make_vec("Serpenoid/Swimmer-v0", num_envs=environments, autoreset_mode="SameStep")
    model = PPO("MlpPolicy", StableBaselinesVector(ours), gamma=0.9999, n_steps=256, batch_size=2048, seed=0)
    model.learn(steps)
    mean, deviation = evaluate_policy(model, gymnasium.make("Swimmer-v5"), n_eval_episodes=10, warn=False)
    print(f"return in Swimmer-v5: {mean:.1f} +- {deviation:.1f}")
    return float(mean)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))

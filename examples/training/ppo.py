"""PPO in one file, with a vector of environments stepped by one compiled call: python ppo.py [ID] [steps]."""

import sys
from dataclasses import dataclass

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

import serpenoid.learning  # noqa: F401  (registers the environments)


@dataclass
class Config:
    environment: str = "Serpenoid/Swimmer-v0"
    steps: int = 2_000_000  # of all environments together
    environments: int = 64
    horizon: int = 256  # steps between two updates
    epochs: int = 10
    batches: int = 8
    rate: float = 3e-4
    discount: float = 0.9999
    trace: float = 0.98  # lambda of the advantages
    clip: float = 0.2
    seed: int = 0


class Agent(nn.Module):
    """Gaussian policy and value, two layers of 64 each, over normalised observations."""

    def __init__(self, observations: int, actions: int):
        super().__init__()
        self.policy = nn.Sequential(
            nn.Linear(observations, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions)
        )
        self.value = nn.Sequential(
            nn.Linear(observations, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)
        )
        self.spread = nn.Parameter(torch.full((actions,), -0.5))

    def distribution(self, seen):
        return Normal(self.policy(seen), self.spread.exp())


class Normaliser:
    """Running mean and variance of observations."""

    def __init__(self, size: int):
        self.mean, self.square, self.count = np.zeros(size), np.ones(size), 1e-4

    def __call__(self, seen):
        batch = len(seen)
        total = self.count + batch
        change = seen.mean(0) - self.mean
        self.square = (self.square * self.count + seen.var(0) * batch + change**2 * self.count * batch / total) / total
        self.mean, self.count = self.mean + change * batch / total, total
        return torch.as_tensor((seen - self.mean) / np.sqrt(self.square + 1e-8), dtype=torch.float32)


def advantages(rewards, values, ends, last, config):
    """Return generalised advantages (steps, environments)."""
    out, running = torch.zeros_like(rewards), torch.zeros_like(last)
    for i in reversed(range(len(rewards))):
        going = 1.0 - ends[i]
        after = last if i == len(rewards) - 1 else values[i + 1]
        running = (
            rewards[i] + config.discount * after * going - values[i] + config.discount * config.trace * going * running
        )
        out[i] = running
    return out


def update(agent, optimiser, config, seen, acted, likely, gains, returns):
    """Make the epochs of one update."""
    size = len(seen)
    for _ in range(config.epochs):
        for part in torch.randperm(size).split(size // config.batches):
            distribution = agent.distribution(seen[part])
            ratio = (distribution.log_prob(acted[part]).sum(1) - likely[part]).exp()
            gain = (gains[part] - gains[part].mean()) / (gains[part].std() + 1e-8)
            bounded = ratio.clamp(1.0 - config.clip, 1.0 + config.clip)
            loss = -torch.min(ratio * gain, bounded * gain).mean()
            loss = loss + 0.5 * (agent.value(seen[part])[:, 0] - returns[part]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()


def main(config: Config) -> float:
    """Train; return the mean return of the episodes in the last update with any."""
    torch.manual_seed(config.seed)
    environments = gymnasium.make_vec(config.environment, num_envs=config.environments, autoreset_mode="SameStep")
    sizes = (environments.single_observation_space.shape[0], environments.single_action_space.shape[0])
    agent, normalise = Agent(*sizes), Normaliser(sizes[0])
    optimiser, mean = torch.optim.Adam(agent.parameters(), config.rate), float("nan")
    seen = normalise(environments.reset(seed=config.seed)[0])
    for number in range(max(1, config.steps // (config.environments * config.horizon))):
        rows, finished = [], []
        for _ in range(config.horizon):
            with torch.no_grad():
                distribution = agent.distribution(seen)
                acted = distribution.sample()
                row = [seen, acted, distribution.log_prob(acted).sum(1), agent.value(seen)[:, 0]]
            after, reward, ended, late, info = environments.step(acted.clamp(-1.0, 1.0).numpy())
            reward = torch.as_tensor(reward, dtype=torch.float32)
            over = ended | late
            if late.any():  # after a time limit, add the value of what would have followed
                last = normalise(np.stack([info["final_obs"][k] for k in np.flatnonzero(late)]))
                with torch.no_grad():
                    reward[late] += config.discount * agent.value(last)[:, 0]
            if over.any():
                finished += info["episode"]["r"][over].tolist()
            rows.append([*row, reward, torch.as_tensor(over, dtype=torch.float32)])
            seen = normalise(after)
        states, actions, likely, values, rewards, ends = (torch.stack(part) for part in zip(*rows))
        with torch.no_grad():
            gains = advantages(rewards, values, ends, agent.value(seen)[:, 0], config)
        flat = [part.flatten(0, 1) for part in (states, actions, likely, gains, gains + values)]
        update(agent, optimiser, config, *flat)
        if finished:
            mean = float(np.mean(finished))
            done = (number + 1) * config.environments * config.horizon
            print(f"{done:9d} steps: mean return {mean:.1f}", flush=True)
    return mean


if __name__ == "__main__":
    words = sys.argv[1:]
    main(Config(**({"environment": words[0]} if words else {}), **({"steps": int(words[1])} if words[1:] else {})))

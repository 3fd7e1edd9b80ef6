"""The shipped swimmer policy in Gymnasium's own Swimmer-v5, and the same episodes on our kernels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import LearnedJoints, Observation
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.engines.base import Initial
from serpenoid.errors import Unsupported
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.swimmer import RAIL_POINT, TORQUE, Swim, gymnasium_return
from serpenoid.simulation import simulate
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

PUBLISHED = {"TRPO": 366.0, "TD3": 359.0, "ARS": 355.0, "PPO": 282.0}  # RL Baselines3 Zoo, Swimmer-v3
ENOUGH = 100  # episodes needed for a verdict


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration: 100 episodes of 1000 steps."""

    episodes: int = 100
    """number of episodes"""
    first: int = 90_000
    """seed of the first episode; the shipped policy was chosen before any episode of these seeds was run"""
    steps: int = 1000
    """control periods of an episode"""

    @classmethod
    def quick(cls) -> Self:
        return cls(episodes=10)

    @classmethod
    def tiny(cls) -> Self:
        return cls(episodes=2, steps=20)


class Result(NamedTuple):
    """Returns of the same episodes."""

    gymnasium: NDArray  # (episodes,) in Gymnasium's environment; empty if it is not installed
    ours: NDArray  # (episodes,) from the same starts on our kernels
    steps: int


def shipped() -> LearnedJoints:
    """Return the shipped policy."""
    return LearnedJoints.presets()["swimmer_learned"]()


def run(config: Config, progress: Progress) -> Result:
    """Run all episodes."""
    try:
        import gymnasium
    except ImportError:
        raise Unsupported("the experiment swimmer needs Gymnasium: pip install 'gymnasium[mujoco]'") from None
    environment = gymnasium.make("Swimmer-v5", max_episode_steps=config.steps)
    theirs, ours = [], []
    for episode in range(config.episodes):
        environment.reset(seed=config.first + episode)
        data: Any = environment.unwrapped
        start = data.data.qpos.copy(), data.data.qvel.copy()
        theirs.append(in_gymnasium(environment, config.steps))
        ours.append(on_our_kernels(*start, config.steps))
        if episode % 10 == 9:
            progress(f"  {episode + 1} episodes: mean return {np.mean(theirs):.1f}")
    return Result(np.array(theirs), np.array(ours), config.steps)


def in_gymnasium(environment: Any, steps: int) -> float:
    """Return the sum of the rewards of an episode that has been reset; the policy reads the joints."""
    world, total = environment.unwrapped, 0.0
    law = KernelLaw(shipped(), Swim().robot, 0.04)
    torque = np.zeros(2)
    for tick in range(steps):
        known = {"joint_position": world.data.qpos[3:], "joint_velocity": world.data.qvel[3:], "joint_torque": torque}
        torque = law(Observation(0.04 * tick, known)).torque
        total += float(environment.step(torque / TORQUE)[1])
    return total


def on_our_kernels(position: NDArray, velocity: NDArray, steps: int) -> float:
    """Return the sum of the rewards of an episode that starts in a state of MuJoCo's model."""
    swim = Swim(duration=0.04 * steps)
    return gymnasium_return(simulate(
        swim.robot, swim.world, shipped(), swim.duration, initial=start_of(position, velocity), step=swim.step,
        control_period=swim.control_period, sample_period=swim.sample_period,
    ))  # fmt: skip


def start_of(position: NDArray, velocity: NDArray) -> Initial:
    """Convert positions and velocities of MuJoCo's model (5,): origin x y, angle, joints."""
    x, y, angle = position[:3]
    # x points from head to tail here: the head's frame is RAIL_POINT ahead of the model's origin.
    ahead, left = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    head = np.array([x, y]) + RAIL_POINT * ahead
    drift = velocity[:2] + RAIL_POINT * velocity[2] * left
    half = 0.5 * (angle + np.pi)
    twist = (-float(drift @ ahead), -float(drift @ left), 0.0, 0.0, 0.0, float(velocity[2]))
    return Initial(
        joint_position=tuple(position[3:].tolist()), joint_velocity=tuple(velocity[3:].tolist()),
        base_pose=(float(head[0]), float(head[1]), 0.0, float(np.cos(half)), 0.0, 0.0, float(np.sin(half))),
        base_twist=twist,
    )  # fmt: skip


def claims(result: Result) -> list[Finding]:
    """Report the findings on L8 and L9."""
    few = "" if result.gymnasium.size >= ENOUGH and result.steps == Config.steps else "too few episodes"
    mean, error = float(result.gymnasium.mean()), float(result.gymnasium.std() / np.sqrt(result.gymnasium.size))
    apart = float(np.abs(result.gymnasium - result.ours).max())
    published = ", ".join(f"{name} {value:.0f}" for name, value in PUBLISHED.items())
    return [
        Finding("L8", {"return": mean}, f"mean {mean:.1f}, standard error {error:.2f}; published: {published}", few),
        Finding("L9", {"return_apart": apart}, "the same starts in both", few),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the returns of all episodes in both simulators, and the published ones."""
    sheet = new_figure(7.0, 3.6)
    axes = dressed(sheet.add_subplot())
    axes.plot(np.sort(result.gymnasium), color=COLOURS[0], label="Gymnasium's Swimmer-v5")
    axes.plot(np.sort(result.ours), "--", color=COLOURS[1], label="our kernels")
    if result.steps == Config.steps:
        for name, value in PUBLISHED.items():
            axes.axhline(value, color="0.6", linewidth=0.8)
            axes.text(0.0, value, name, fontsize=7, va="bottom")
    axes.legend(fontsize=7)
    labelled(axes, "episode, by return", "return", "Swimmer, not retrained in MuJoCo")
    return [write(sheet, folder / "swimmer.png")]

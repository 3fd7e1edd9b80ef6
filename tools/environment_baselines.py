"""Baselines of the learning environments: python tools/environment_baselines.py FOLDER [ID ...].

Baselines are still and random actions, and the best gait found by CMA-ES, a ceiling for open loop. Linear policies are
learned by augmented random search with three seeds. Each ID has a file in FOLDER; a finished one is kept. The IDs
that have a file are written to docs/benchmarks/environments.json and docs/pictures/environments.png. All of them take
about 20 minutes of processor time.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.learning import find_task, ids
from serpenoid.learning.stepper import Stepper
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.sweeps.search import seeded_cma
from serpenoid.training.strategies import RandomSearch
from serpenoid.training.task import normalisation

DOCS = Path(__file__).parent.parent / "docs"
TABLE, PICTURE = DOCS / "benchmarks" / "environments.json", DOCS / "pictures" / "environments.png"
SEEDS = (0, 1, 2)
FIRST_TEST = 1_000_000  # seed of the first episode of a test
POPULATION = 12  # of CMA-ES

Act = Callable[[int, NDArray], NDArray]  # actions (rows, actions) from tick and observations (rows, observations)


class Effort(NamedTuple):
    """Sizes of the searches of an environment."""

    generations: int = 40  # of CMA-ES
    directions: int = 16  # of random search
    iterations: int = 150
    starts: int = 4  # episodes of a candidate
    tested: int = 32  # episodes of a test
    checks: int = 20  # points of a learning curve
    step: float = 0.05
    width: float = 0.1


EFFORTS = {
    "Pegs": Effort(12, 6, 20, 2, 24, 5), "Sidewind": Effort(8, 4, 8, 1, 8, 4), "Climb": Effort(8, 4, 8, 1, 8, 4),
    "Natrix": Effort(10, 6, 20, 2, 16, 5), "Push": Effort(20, 8, 40, 1, 16, 10),
    "Swimmer": Effort(step=0.2, width=0.3),
}  # fmt: skip


class Rollouts:
    """Episodes of many policies at once, all from the same starts."""

    def __init__(self, keywords: dict[str, str], policies: int, starts: int):
        task = find_task(**{"name" if key == "task" else key: value for key, value in keywords.items()})
        self.stepper = Stepper(task, policies * starts)
        self.policies, self.starts, self.limit = policies, starts, self.stepper.record.limit
        self.period, self.made = task.scenario.control_period, 0
        self.size = self.stepper.rows.observation.shape[1]
        self.actions = self.stepper.record.scale.size
        self.moments = np.zeros(1 + 2 * self.size)

    def returns(self, act: Act, seed: int) -> NDArray:
        """Return the sums of rewards (policies, starts) of one episode each, and add to the moments of observations."""
        stepper, rows, count = self.stepper, self.stepper.rows, self.policies * self.starts
        for row in range(count):
            stepper.seed(np.array([row]), seed + row % self.starts - row)
        stepper.reset(np.arange(count))
        total, running = np.zeros(count), np.ones(count, dtype=bool)
        for tick in range(self.limit):
            seen = rows.observation
            self.moments += np.concatenate([[count], seen.sum(axis=0), (seen**2).sum(axis=0)])
            stepper.step(np.clip(act(tick, seen), -1.0, 1.0))
            total += np.where(running, rows.reward, 0.0)
            self.made += int(running.sum())
            running &= rows.reason == 0
            if not running.any():
                break
        return total.reshape(self.policies, self.starts)


def gait_of(genes: NDArray, period: float, actions: int, starts: int) -> Act:
    """Return waves along the body; even and odd joints have their own offset, amplitude and phase."""
    rows = np.repeat(genes, starts, axis=0)
    group, place = np.arange(actions) % 2, np.arange(actions) / max(actions - 1, 1)
    offset, amplitude, phase = (rows[:, 2 + 2 * k : 4 + 2 * k][:, group] for k in range(3))
    rate, wave = 2.0 * np.pi * np.exp(rows[:, :1]), 3.0 * rows[:, 1:2]
    return lambda tick, seen: offset + amplitude * np.sin(rate * period * tick - wave * place + phase)


def linear_of(genes: NDArray, moments: NDArray, actions: int, starts: int) -> Act:
    """Return linear maps of the normalised observations with a bias."""
    rows = np.repeat(genes.reshape(len(genes), actions, -1), starts, axis=0)
    mean, scale = normalisation(moments)
    return lambda tick, seen: np.einsum("raj,rj->ra", rows[:, :, :-1], (seen - mean) / scale) + rows[:, :, -1]


def best_gait(keywords: dict[str, str], effort: Effort) -> NDArray:
    """Return the genes of the best gait."""
    start = np.array([np.log(0.6), 2.0, 0.0, 0.0, 0.4, 0.4, 0.0, 0.0])
    search = seeded_cma(start, 0.4, np.random.default_rng(0), popsize=POPULATION)
    rollouts = Rollouts(keywords, POPULATION, effort.starts)
    for generation in range(effort.generations):
        asked = search.ask()
        act = gait_of(np.array(asked), rollouts.period, rollouts.actions, effort.starts)
        search.tell(asked, list(-rollouts.returns(act, 1000 * generation).mean(axis=1)))
    return np.array(search.mean)


def learned(keywords: dict[str, str], effort: Effort, seed: int, test: Rollouts) -> dict[str, Any]:
    """Return the learning curve of a linear policy, and the returns of the last one."""
    rollouts = Rollouts(keywords, 2 * effort.directions, 1)
    start = np.zeros(rollouts.actions * (rollouts.size + 1))
    search = RandomSearch(start, seed, effort.directions, effort.directions // 2, effort.width, effort.step)
    curve, returns = [], np.zeros(0)
    for iteration in range(effort.iterations + 1):
        moments = rollouts.moments.copy()
        if iteration % max(1, effort.iterations // effort.checks) == 0 or iteration == effort.iterations:
            own = linear_of(search.center[None], moments, rollouts.actions, effort.tested)
            returns = test.returns(own, FIRST_TEST)[0]
            curve.append([rollouts.made, float(returns.mean())])
        if iteration < effort.iterations:
            act = linear_of(search.ask(), moments, rollouts.actions, 1)
            search.tell(rollouts.returns(act, 10_000 * (seed + 1) + iteration).mean(axis=1))
    return {"seed": seed, "curve": curve, "returns": returns.tolist()}


def measure(name: str, keywords: dict[str, str]) -> dict[str, Any]:
    """Return all baselines of an environment."""
    effort = EFFORTS.get(name, Effort())
    test = Rollouts(keywords, 1, effort.tested)
    rng = np.random.default_rng(0)
    shape = (effort.tested, test.actions)
    still = test.returns(lambda tick, seen: np.zeros(shape), FIRST_TEST)[0]
    random = test.returns(lambda tick, seen: rng.uniform(-1.0, 1.0, shape), FIRST_TEST)[0]
    genes = best_gait(keywords, effort)
    gait = test.returns(gait_of(genes[None], test.period, test.actions, effort.tested), FIRST_TEST)[0]
    return {
        "still": still.tolist(), "random": random.tolist(), "gait": gait.tolist(),
        "learned": [learned(keywords, effort, seed, test) for seed in SEEDS],
    }  # fmt: skip


def draw(found: dict[str, Any]) -> None:
    """Plot the learning curves of all environments with their baselines."""
    rows = -(-len(found) // 3)
    sheet = new_figure(10.0, 2.7 * rows)
    for number, (name, baselines) in enumerate(found.items()):
        axes = dressed(sheet.add_subplot(rows, 3, number + 1))
        for run in baselines["learned"]:
            steps, values = np.array(run["curve"]).T
            axes.plot(
                steps / 1e6,
                values,
                color=COLOURS[0],
                linewidth=1.0,
                label="linear policy" if run["seed"] == 0 else None,
            )
        for kind, style in (("gait", "-"), ("random", "--"), ("still", ":")):
            axes.axhline(np.mean(baselines[kind]), color="0.4", linestyle=style, linewidth=0.9, label=kind)
        bottom = number + 3 >= len(found)
        labelled(axes, "steps [million]" if bottom else "", "return" if number % 3 == 0 else "", name)
        if number == 0:
            axes.legend(fontsize=7)
    sheet.tight_layout()
    write(sheet, PICTURE)


def main(folder: Path, only: list[str]) -> None:
    """Measure environments, and write table and figure of those that are known."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {word.removeprefix("Serpenoid/").removesuffix("-v0"): keywords for word, keywords in ids().items()}
    for name in only or names:
        file = folder / f"{name}.json"
        if not file.exists():
            file.write_text(json.dumps(measure(name, names[name])))
        print(name, flush=True)
    files = {name: folder / f"{name}.json" for name in names}
    found = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    TABLE.write_text(json.dumps(found) + "\n")
    draw(found)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"{__doc__}")
    main(Path(sys.argv[1]), sys.argv[2:])

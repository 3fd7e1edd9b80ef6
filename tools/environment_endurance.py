"""Random steps in every learning environment: python tools/environment_endurance.py STEPS [ID ...].

STEPS are shared among the environments so that each takes about the same time. It stops at the first number that is
not finite. It also stops at an episode that ends by neither its time limit nor a stated end.
"""

import sys
from time import perf_counter

import numpy as np

from serpenoid.kernels.learning.records import ENDED, SAME_STEP, TIMED_OUT
from serpenoid.learning import find_task, ids
from serpenoid.learning.stepper import Stepper

ROWS, TRIED, CHANGED = 256, 4, 25  # rows, steps that measure the speed, steps between new targets of half of the rows


def run(name: str, stepper: Stepper, steps: int) -> str:
    """Make random steps; half of the rows keep their actions for a while. Return how many episodes ended."""
    rng, rows = np.random.default_rng(len(name)), stepper.rows
    shape, ends = rows.action.shape, {ENDED: 0, TIMED_OUT: 0}
    actions = rng.uniform(-1.0, 1.0, shape)
    for tick in range(-(-steps // stepper.count)):
        fresh = rng.uniform(-1.0, 1.0, shape)
        actions[::2] = fresh[::2]
        if tick % CHANGED == 0:
            actions[1::2] = fresh[1::2]
        stepper.step(actions)
        if not (np.isfinite(rows.observation).all() and np.isfinite(rows.reward).all()):
            raise SystemExit(f"{name}: a number that is not finite at tick {tick}")
        for reason in rows.reason[rows.reason > 0].tolist():
            if reason not in ends or (reason == ENDED and not stepper.task.ends):
                raise SystemExit(f"{name}: an episode ended by reason {reason} at tick {tick}")
            ends[reason] += 1
    return f"{stepper.count * (tick + 1):,} steps, {ends[TIMED_OUT]} time limits, {ends[ENDED]} ends"


def main(steps: int, only: list[str]) -> None:
    """Measure the speed of all environments, then run them."""
    known = {
        name: find_task(**{"name" if k == "task" else k: v for k, v in words.items()}) for name, words in ids().items()
    }
    steppers = {name: Stepper(task, ROWS, None, SAME_STEP) for name, task in known.items() if not only or name in only}
    speed = {}
    for name, stepper in steppers.items():
        stepper.seed(np.arange(ROWS), 0)
        stepper.reset(np.arange(ROWS))
        stepper.step(np.zeros(stepper.rows.action.shape))
        begun = perf_counter()
        for _ in range(TRIED):
            stepper.step(np.zeros(stepper.rows.action.shape))
        speed[name] = TRIED * ROWS / (perf_counter() - begun)
    for name, stepper in steppers.items():
        print(f"{name}: {run(name, stepper, int(steps * speed[name] / sum(speed.values())))}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"{__doc__}")
    main(int(float(sys.argv[1])), sys.argv[2:])

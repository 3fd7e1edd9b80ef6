"""Random and hostile configurations of every scenario: each must run or be refused in one line.

A seed defines one configuration. Configurations run in a child process, so that crashes and hangs are found and
named by their seed. A hang is judged by processor time: a busy machine makes none.
To see one configuration: python tests/fuzzing.py SEED ... (PYTHONPATH=tests).
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import psutil

from serpenoid import configuration
from serpenoid.cli.arguments import applied
from serpenoid.engines import find_engine
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import SerpenoidError
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.sanity_checks import doubts
from serpenoid.simulation import world_for
from serpenoid.support.kernel_inputs import chain_of

STEPS = 5  # integration steps of a run
MOST_WORK = 4e6  # of a run, in steps of a small robot: about a minute
PATIENCE = 60.0  # [s] of processor time for one configuration; a second try uses the code compiled by the first
STALLED = 1800.0  # [s] of wall time, for a child that waits for something that never comes
MEMORY = 6 << 30  # bytes of a child
LONGEST_LINE = 1500
RAN, REFUSED, SKIPPED = "ran", "refused", "skipped: too long"
NO_ANSWER = "no answer"
WORDS = [
    "nan", "inf", "-inf", "0", "-0.0", "-1", "1e308", "-1e308", "1e-308", "5e-324", "", " ", "none", "true", "false",
    "1e400", "0x10", "1_000", "\u0663", "\x00", "--", "pi", "-pi", "2**8", "[]", "{}", "null", "dry", "fluid", "pd",
    "prescribed", "natrix", "../..", "9" * 30, "-" + "9" * 30, "1,2", "a" * 200, "0.1 0.2", "\n", "%s", "\U0001f600",
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 1, 10**400, -(10**30), 0.0, -0.0, float("nan"), float("inf"), 1e308, -1e50, 1e50, 5e-324,
    "", "pd", "x", b"x", (), [], {}, (1.0,), (1.0, 2.0), [[1.0]], ((0.0, 0.0),), (None,), ("x",), (float("nan"),) * 3,
    1j, object, print, np.zeros(3), np.float32(0.5), np.array(1.0), {"type": "pd"}, range(3),
]  # fmt: skip
PARTS = ("robot", "world", "gait", "controller", "robot.drive", "start")
DOORS = ("words", "python", "file")  # ways in: a command line, Python, a TOML file
DIGITS = [0.0, 1.0, -1.0, 0.5, 2.0, 1e-3, 1e3]


class Trial(NamedTuple):
    """Result of a configuration: RAN, REFUSED, or the defect found."""

    seed: int
    outcome: str


def number_within(field: configuration.Field, random: np.random.Generator) -> Any:
    """A number of a field: usual, at or near a limit, or anything between its limits."""
    low, high, (least, most) = field.range
    value = random.choice([
        random.uniform(least, most), least, most, low, high, np.nextafter(low, -np.inf), np.nextafter(high, np.inf),
        float(np.sign(random.uniform(low, high)) * 10.0 ** random.uniform(np.log10(max(low, 1e-12)), np.log10(high)))
        if high > 0.0 else low,
        random.choice(DIGITS),
    ], p=[0.3, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01, 0.2, 0.08])  # fmt: skip
    whole = int in configuration.members(field.annotation) and float not in configuration.members(field.annotation)
    return round(value) if whole else float(value)


def value_within(field: configuration.Field, random: np.random.Generator) -> Any:
    """A value of the kind that a field holds, as far as numbers, switches and classes are concerned."""
    choices = list(configuration.class_choices(field.annotation))
    if choices:
        return str(random.choice(choices))
    if field.range is None:
        return random.choice([True, False]).item() if field.annotation is bool else field.default
    if isinstance(field.default, tuple):
        sizes = [len(field.default), *([0, 1, 3] if random.random() < 0.1 else [])]
        rows = any(isinstance(item, tuple) for item in field.default)
        return tuple(
            tuple(number_within(field, random) for _ in range(2)) if rows else number_within(field, random)
            for _ in range(random.choice(sizes))
        )
    return number_within(field, random)


def make(seed: int) -> tuple[str, dict[str, Any], str]:
    """The configuration of a seed: a scenario, changes of its fields, and the way in."""
    random = np.random.default_rng(seed)
    name = str(random.choice(list(SCENARIOS)))
    scenario = find_scenario(name)()
    door, changes = str(random.choice(DOORS, p=[0.4, 0.45, 0.15])), {}
    for _ in range(random.integers(1, 5)):
        fields = list(configuration.walk(scenario))
        whole = [part for part in PARTS if random.random() < 0.01]
        field = fields[random.integers(len(fields))]
        field = field._replace(name=whole[0], range=None) if whole else field
        good = random.random() < 0.85 and not whole
        value = value_within(field, random) if good else None
        if door == "words":
            hostile = [WORDS[random.integers(len(WORDS))] for _ in range(random.choice([1, 1, 1, 1, 2, 0]))]
            changes[field.name] = typed(value) if good else hostile
        else:
            changes[field.name] = value if good else VALUES[random.integers(len(VALUES))]
        if good and isinstance(value, str):  # another class has other fields, which the next changes may name
            try:
                scenario = configuration.changed(scenario, {field.name: value})
            except SerpenoidError:
                break
    return name, changes, door


def configured(name: str, changes: dict[str, Any], door: str) -> Any:
    """The scenario with its changes."""
    scenario = find_scenario(name)()
    if door == "words":
        return applied(scenario, list(changes.items()))
    if door == "python":
        return configuration.changed(scenario, changes)
    data: dict[str, Any] = {"type": configuration.kind_of(scenario)}
    for dotted, value in changes.items():
        *owners, leaf = dotted.split(".")
        table = data
        for owner in owners:
            below = table.get(owner)
            table[owner] = below if isinstance(below, dict) else {}
            table = table[owner]
        table[leaf] = value
    return configuration.from_plain(data, type(scenario))


def typed(value: Any) -> list[str]:
    """A value as words of a command line."""
    if isinstance(value, tuple):
        return [",".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def work_of(scenario: Scenario) -> float:
    """Return about how many steps of a small robot a run costs: substeps, and the third power of the joints."""
    robot, world, controller = scenario.parts()
    planar = find_engine(robot, world, getattr(scenario, "engine", None)) is PlanarEngine
    fine = world_for(robot, world, controller).substeps(chain_of(robot), scenario.step) if planar else 10
    return STEPS * fine * (1.0 + (robot.joints / 10.0) ** 3)


def attempt(seed: int) -> str:
    """Configure, run a few steps, and sum up, as `serpenoid run` does."""
    try:
        scenario = configured(*make(seed))
        period = scenario.step * STEPS
        short = {"duration": period, "control_period": period, "sample_period": period}
        short |= {"settle": 0.0} if hasattr(scenario, "settle") else {}
        scenario = configuration.changed(scenario, short)
        doubts(scenario)
        if work_of(scenario) > MOST_WORK:
            return SKIPPED
        trajectory = scenario.run()
        scenario.summary(trajectory)
    except SerpenoidError as error:
        lines = str(error)
        return REFUSED if "\n" not in lines and len(lines) < LONGEST_LINE else f"not one short line: {lines[:200]}"
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return RAN if np.isfinite(trajectory["joint_position"]).all() else "joints are not finite"


def serve(connection: Any, seeds: list[int]) -> None:
    """Try seeds one after the other, in a child process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with np.errstate(all="ignore"):
        for seed in seeds:
            connection.send(attempt(seed))


def answer(child: Any, connection: Any, patience: float = PATIENCE) -> str:
    """Return the next outcome of a child, or how it ended, or NO_ANSWER after too much of its processor time."""
    times = psutil.Process(child.pid).cpu_times
    start, deadline = sum(times()[:2]), time.monotonic() + STALLED
    while not connection.poll(1.0):
        if sum(times()[:2]) - start > patience or time.monotonic() > deadline:
            return NO_ANSWER
    try:
        return connection.recv()
    except EOFError:
        child.join()
        return f"crash, exit code {child.exitcode}"


def trials(seeds: Iterable[int]) -> list[Trial]:
    """Try seeds in a child, another one after each crash or hang."""
    found: list[Trial] = []
    left = list(seeds)
    context = multiprocessing.get_context("spawn")
    slow = -1  # the seed that gets a second try
    while left:
        connection, theirs = context.Pipe()
        child = context.Process(target=serve, args=(theirs, left), daemon=True)
        child.start()
        theirs.close()
        while left:
            outcome = answer(child, connection)
            died = outcome == NO_ANSWER or outcome.startswith("crash")
            if outcome == NO_ANSWER and slow != left[0]:
                slow = left[0]
                break
            found.append(Trial(left.pop(0), outcome))
            if died:
                break
        child.kill()
        child.join()
    return found


def survey(seeds: range, children: int) -> tuple[Counter[str], list[str]]:
    """Count outcomes over seeds, and describe every configuration that neither ran nor was refused."""
    parts = [seeds[i::children] for i in range(children)]
    with ThreadPoolExecutor(children) as pool:
        found = [trial for part in pool.map(trials, parts) for trial in part]
    bad = [trial for trial in found if trial.outcome not in (RAN, REFUSED, SKIPPED)]
    return Counter(trial.outcome.partition(":")[0] for trial in found), [described(trial) for trial in bad]


def described(trial: Trial) -> str:
    """One line on a configuration, with its seed."""
    name, changes, door = make(trial.seed)
    return f"seed {trial.seed}: {trial.outcome} <- {name} {changes} by {door}"


if __name__ == "__main__":
    if sys.argv[1] == "survey":
        counts, lines = survey(range(int(sys.argv[2]), int(sys.argv[3])), int(sys.argv[4]))
        print(*lines, counts, sep="\n")
    else:
        for word in sys.argv[1:]:
            print(described(Trial(int(word), attempt(int(word)))))

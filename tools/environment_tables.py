"""Tables of the learning environments in docs/reference/environments.md, from their tasks.

Run `python tools/environment_tables.py` to rewrite the page.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.kernels.learning.records import DISABLED
from serpenoid.learning import JointTargets, JointTorques, LearningTask, Stepper, find_task, ids

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "environments.md"
BASELINES = PAGE.parents[1] / "benchmarks" / "environments.json"  # made by tools/environment_baselines.py
KINDS = {"still": "return, no action", "random": "return, random actions", "gait": "return, best open-loop gait"}
BEGIN, END = "<!-- tables: made by tools/environment_tables.py -->", "<!-- end of tables -->"


def actions_of(task: LearningTask, count: int) -> str:
    """Describe the actions of a task."""
    actions = task.actions
    if isinstance(actions, JointTargets):
        around = " from the first shape of the gait or start" if actions.around_start else ""
        return f"{count} joint targets, action x {actions.reach:g} rad{around}"
    if isinstance(actions, JointTorques):
        return f"{count} joint torques, action x {actions.most:g} N m"
    return f"{count} fields of a wave: {', '.join(actions.ranges)}"


def baselines_of(found: dict[str, Any]) -> dict[str, str]:
    """Describe the baselines of an environment: means and standard errors over the test episodes."""
    rows = {text: spread(found[kind]) for kind, text in KINDS.items()}
    seeds = "; ".join(spread(run["returns"]) for run in found["learned"])
    return rows | {"return, linear policy, one value per seed": seeds}


def spread(returns: list[float]) -> str:
    """Return mean and standard error as text."""
    return f"{np.mean(returns):.4g} +- {np.std(returns) / np.sqrt(len(returns)):.2g}"


def table_of(name: str, keywords: dict[str, str]) -> str:
    """Return heading, summary and table of one environment."""
    task = find_task(**{"name" if key == "task" else key: value for key, value in keywords.items()})
    stepper = Stepper(task, 1, 1, DISABLED)
    known = stepper.readings.known
    seen = ", ".join(f"`{text}` {known[text][0]} [{known[text][1] or '-'}]" for text in task.observations)
    reward = " + ".join(f"{weight:g} `{text}`" for text, weight in task.reward.items())
    ends = ", ".join(f"`{text}` outside {low:g} to {high:g}" for text, (low, high) in task.ends.items()) or "none"
    drawn = ", ".join(f"`{text}`" for text in task.ranges)
    rows = {
        "actions": actions_of(task, stepper.record.scale.size),
        "observation": f"{stepper.record.observed.size} numbers, {'float64' if task.wide else 'float32'}: {seen}",
        "reward per step": reward,
        "episode ends": ends,
        "time limit": f"{task.time_limit:g} s, {stepper.record.limit} steps of {task.scenario.control_period:g} s",
        "variants": f"{task.variants}, drawn: {drawn}" if drawn else "1",
        "discount": f"{task.discount:g}",
    }
    measured = json.loads(BASELINES.read_text()) if BASELINES.is_file() else {}
    found = measured.get(name.removeprefix("Serpenoid/").removesuffix("-v0"))
    rows |= baselines_of(found) if found else {}
    lines = [f"## {name}", "", "| | |", "|---|---|", *(f"| {key} | {text} |" for key, text in rows.items())]
    return "\n".join(lines)


def tables() -> str:
    """Return the tables of all environments."""
    return "\n\n".join(table_of(name, keywords) for name, keywords in ids().items())


def page() -> str:
    """Return the page with new tables."""
    text = PAGE.read_text(encoding="utf-8")
    return f"{text[: text.index(BEGIN)]}{BEGIN}\n{tables()}\n{END}{text[text.index(END) + len(END) :]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

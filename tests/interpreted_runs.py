"""One short run per engine, its final numbers printed as JSON: started with and without the JIT."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np

from serpenoid.scenarios import find_scenario

# scenario and duration [s]: planar, tree, tree in water, pegs, pushing, MuJoCo
RUNS = {
    "slither": 0.02, "undulate": 0.02, "natrix": 0.01, "slither-pegs": 0.1, "push": 0.02, "sidewinding": 0.02,
}  # fmt: skip


def final(name: str) -> dict[str, list[float]]:
    """Return the last row of the numbers that every engine gives."""
    scenario = find_scenario(name)()
    run = dataclasses.replace(scenario, duration=RUNS[name]).run()
    return {key: np.ravel(run[key][-1]).tolist() for key in ("joint_position", "joint_velocity", "base_pose")}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps([name, final(name)]), flush=True)

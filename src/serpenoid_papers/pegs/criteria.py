"""Criteria of the study of peg boards, fixed beforehand: agreement of our step with its slow reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.sea_snake import criteria as thesis

PAIRS, RUNS = 80, 200  # fewer runs give no verdict


def of_enough(
    count: str, least: int, rule: Callable[[Mapping[str, Any]], bool]
) -> Callable[[Mapping[str, Any]], bool | None]:
    """Return a rule that needs enough runs and applies to all other measured values."""

    def judged(m: Mapping[str, Any]) -> bool | None:
        rest = {key: value for key, value in m.items() if key != count}
        enough, holds = m[count] >= least, rule(rest)  # the rule looks up its keys even if it does not decide
        return holds if enough else None

    return judged


CRITERIA: dict[str, Criterion] = {
    "G1": Criterion(
        "sliding on a slope, creep at half the friction cone and bending between three pegs match their closed forms",
        "formulas", "0.3 %; creep 1e-9",
        lambda m: all([m["creep"] <= 1e-9, *(value <= 3e-3 for value in m.values())]),
    ),
    "G2": Criterion(
        "the free chain has the energy of MuJoCo's implicitfast after 5 s at 1 ms", "MuJoCo", "0.1 % of the energy",
        lambda m: abs(m["energy"]) <= 1e-3,
    ),
    "G3": Criterion(
        "open loop: runs of 60 s end as with the slow reference (explicit, 0.1 ms): out, stuck or under way",
        "slow reference",
        "equal in 78 of 80", of_enough("pairs", PAIRS, lambda m: m["open loop"] >= 78),
    ),
    "G4": Criterion(
        "the number of stuck compliant snakes equals that of the slow reference", "slow reference", "within 4 of 80",
        of_enough("pairs", PAIRS, lambda m: all(value <= 4 for value in m.values())),
    ),
    "G5": Criterion(
        "snakes that leave the board need as many cycles per metre as with the slow reference", "slow reference",
        "median within 1 %", of_enough("pairs", PAIRS, lambda m: all(abs(value) <= 0.01 for value in m.values())),
    ),
    "G6": Criterion(
        "snakes are stuck as often as in MuJoCo with stiff contacts, board by board; default contacts are also shown",
        "MuJoCo", "McNemar's p above 0.05 for stuck and for out",
        of_enough(
            "pairs", PAIRS,
            lambda m: all(v[f"p, {end}, stiff"] > 0.05 for v in m.values() for end in ("stuck", "out")),
        ),
    ),
    "G7": Criterion(
        "cycles per metre of 200 runs do not depend on the step, 1 to 0.25 ms", "1 ms",
        "inside the 95 % interval of the pooled figure at 1 ms",
        of_enough("runs", RUNS, lambda m: all(one["inside"] for one in m.values())),
    ),
    "G8": Criterion(
        "number of jams by contact stiffness and joint stops", "study: both matter", "a table, no verdict",
        lambda m: None,
    ),
    "S25": thesis.CRITERIA["S25"],
    "G9": Criterion(
        "the motion on a bare floor follows from geometry and Coulomb friction: a model without inertia has it "
        "too, but not with viscous friction",
        "our question", "engine over model 0.8 to 1.2; below 0.1 mm per cycle viscous",
        lambda m: all((
            all(0.8 <= ratio <= 1.2 for ratio in m["engine over model without inertia"].values()),
            -inf < m["largest distance with viscous friction [mm]"] < 0.1,
        )),
    ),
}  # fmt: skip

"""Criteria on learned policies, fixed before the boards of the study were run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serpenoid_papers.criterion import Criterion, matching
from serpenoid_papers.learning.laws import FREE
from serpenoid_papers.sea_snake.rules import both, combine, least, limits, most, rarer, ratios

RIVALS = (
    "CPG", "CPG, other sign", "CPG as proposed, other sign", "AW", "AWP", "AW, L-", "AW as proposed",
    "AWP as proposed", "AW, L- as proposed", "AWP, all free", *FREE,
)  # fmt: skip
CERTAIN = 0.001  # p value of McNemar's test


def certainly_rarer(*names: str) -> Any:
    """Require the first of two paired shares to be the smaller one in every pair, with p below 0.001."""

    def rule(m: Mapping[str, Any]) -> bool | None:
        return combine(None if m[name] is None else bool(m[name][0] < m[name][1] and m[name][2] < CERTAIN)
                       for name in names)  # fmt: skip

    return rule


def never_worse(m: Mapping[str, Any]) -> bool | None:
    """Require that no condition has significantly more failures or more cycles per metre than the rival."""
    pairs, spans = matching(m, "inside "), matching(m, "cycles ")
    fewer = (None if p is None else not (p[0] > p[1] and p[2] <= 0.05) for p in pairs)
    cheaper = (None if ends is None else bool(ends[1] >= 1.0) for ends in spans)
    return combine((*fewer, *cheaper))


CRITERIA: dict[str, Criterion] = {
    "L1": Criterion(
        "the learned policy leaves almost all boards that nothing was trained on", "none",
        "at least 98 % of 1000 boards in 120 s", least(out=0.98),
    ),
    "L2": Criterion(
        "it needs fewer cycles per metre than every tuned law", "none",
        "pooled cycles per metre over its own: all intervals above 1 (paired bootstrap)",
        ratios(*(f"{name} / learned" for name in RIVALS)),
    ),
    "L3": Criterion(
        "it leaves more boards than the tuned CPG and AWP", "none", "McNemar, p < 0.001 for both",
        certainly_rarer("inside learned, CPG", "inside learned, AWP"),
    ),
    "L4": Criterion(
        "it reaches the aim: out of 99.5 % of the boards at 2 cycles per metre", "none",
        "at least 99.5 % out, at most 2 cycles per metre",
        both(least(out=0.995), limits(cycles_per_metre=(0.0, 2.0))),
    ),
    "L5": Criterion(
        "a law of three lines leaves almost all boards too", "none",
        "at least 98 % of 1000 boards in 120 s", least(out=0.98),
    ),
    "L6": Criterion(
        "without retraining it is nowhere worse than the tuned CPG", "none",
        "in no condition significantly more failures (McNemar) or more cycles per metre (bootstrap)", never_worse,
    ),
    "L7": Criterion(
        "its feedback matters: without it, more runs fail and they need more cycles per metre", "none",
        "McNemar at 5 %, and the interval of cycles per metre above 1",
        both(rarer("inside learned, no feedback"), ratios("no feedback / learned")),
    ),
    "L8": Criterion(
        "the swimmer policy, trained on our kernels, reaches 360 in Gymnasium's Swimmer-v5",
        "TRPO 366, TD3 359, ARS 355, PPO 282", "mean of 100 episodes at least 360", least(**{"return": 360.0}),
    ),
    "L9": Criterion(
        "our kernels give the same returns as MuJoCo from the same starts", "none", "all within 1",
        most(return_apart=1.0),
    ),
    "L10": Criterion(
        "it leaves more boards than laws that are tuned with a free wavelength and a free sign of the feedback", "none",
        "McNemar, p < 0.001 for all",
        certainly_rarer(*(f"inside learned, {name}" for name in FREE)),
    ),
}  # fmt: skip

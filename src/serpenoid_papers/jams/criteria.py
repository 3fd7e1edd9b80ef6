"""Criteria on jams, fixed before the runs.

For J4 and J5, 100 other boards had been seen with the proposed values: stuck 34 against 45 %, p = 0.13.
"""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.sea_snake.rules import least, rarer, ratios

CRITERIA: dict[str, Criterion] = {
    "J1": Criterion(
        "jams become more frequent with peg friction and with peg density, for every controller",
        "guide: friction decides how much compliance helps", "rank correlations above 0 for each of five controllers",
        least(least_friction_trend=0.0, least_density_trend=0.0),
    ),
    "J2": Criterion(
        "over these ranges, friction matters more than density", "none",
        "the stronger trend for at least three of five",
        least(friction_stronger_in=3),
    ),
    "J3": Criterion(
        "compliance jams less often than open loop at the amplitude that compliance commands", "p. 4, 21, 57-58",
        "AWP stuck less often, McNemar over the whole map", rarer("stuck AWP, open loop"),
    ),
    "J4": Criterion(
        "windows that merge and split by sensed torque jam less often than fixed windows and than a single window",
        "future work: degree of centralisation set by the environment", "AW as tuned, McNemar against both",
        rarer("stuck joining, fixed", "stuck joining, one"),
    ),
    "J5": Criterion(
        "such windows also need fewer cycles per metre", "the same", "AW as tuned: pooled, both intervals above 1",
        ratios("fixed / joining", "one / joining"),
    ),
}  # fmt: skip

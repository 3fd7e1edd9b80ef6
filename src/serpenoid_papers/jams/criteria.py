"""The criteria on jams, written down before they were run.

Of J4 and J5 a hundred other boards had been seen with the values as proposed: stuck 34 against 45 %, p = 0.13.
"""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.sea_snake.rules import least, rarer, ratios

CRITERIA: dict[str, Criterion] = {
    "J1": Criterion(
        "jams grow more frequent with the pegs' friction and with their density, whatever the controller",
        "guide: friction decides how much compliance helps", "rank correlations above 0 for each of five controllers",
        least(least_friction_trend=0.0, least_density_trend=0.0),
    ),
    "J2": Criterion(
        "over these ranges friction decides more than density", "none", "the stronger trend for at least three of five",
        least(friction_stronger_in=3),
    ),
    "J3": Criterion(
        "compliance jams less often than open loop at the amplitude that compliance commands", "p. 4, 21, 57-58",
        "AWP stuck less often, McNemar over the whole map", rarer("stuck AWP, open loop"),
    ),
    "J4": Criterion(
        "windows that join and part by what they feel jam less often than fixed ones and than one for the whole body",
        "future work: the level of centralisation from the environment", "AW as tuned, McNemar against both",
        rarer("stuck joining, fixed", "stuck joining, one"),
    ),
    "J5": Criterion(
        "and need fewer cycles per metre", "the same", "AW as tuned: pooled, both intervals above 1",
        ratios("fixed / joining", "one / joining"),
    ),
}  # fmt: skip

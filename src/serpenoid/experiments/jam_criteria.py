"""The criteria of the map of jams, written down before it was run."""

from __future__ import annotations

from serpenoid.experiments.criterion import Criterion
from serpenoid.experiments.sea_snake_rules import least, rarer

JAMS: dict[str, Criterion] = {
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
}  # fmt: skip

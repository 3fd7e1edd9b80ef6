"""Gaits of modular snakes: speed, cost and sensitivity, and the claims of the SEA-snake thesis on them."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "gaits", "Gaits of the SEA snake: shape-based compliance in locomotion", __name__,
    ("formulas", "module", "springs", "cascades", "table", "ground", "steering", "helices"),
)  # fmt: skip

"""Learned policies: among pegs, elsewhere without retraining, taken apart, and in Gymnasium's swimmer."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "learning", "Learned policies among pegs and in a fluid", __name__,
    ("boards", "free_waves", "costs", "transfer", "ablation", "swimmer"),
)  # fmt: skip

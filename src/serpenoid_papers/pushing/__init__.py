"""Pushing an object: figures 4 to 6, table 2 and the claims P1 to P10."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "pushing", "Studying slippage on pushing applications with snake robots", __name__,
    ("torque_plane", "far_joint", "polar_maps", "shapes", "closed_forms", "in_time", "arms"),
)  # fmt: skip

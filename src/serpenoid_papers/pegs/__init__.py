"""Peg boards: the fast step beside closed forms, its slow twin and MuJoCo, and what decides how many snakes jam."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "pegs", "Peg boards by the thousand: our step beside closed forms, its slow twin and MuJoCo", __name__,
    ("closed_forms", "bare_floor", "stiffness", "twins"),
)  # fmt: skip

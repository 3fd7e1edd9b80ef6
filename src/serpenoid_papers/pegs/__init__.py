"""Peg boards: the fast step against closed forms, a slow reference and MuJoCo, and the causes of jams."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "pegs", "Thousands of peg boards: our step against closed forms, a slow reference and MuJoCo", __name__,
    ("closed_forms", "bare_floor", "stiffness", "twins"),
)  # fmt: skip

"""Paper on the moving frame method (Kvalvik, Gulbrandsen, Hettervik, IMECE2019-10434), one module per result."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "moving-frame", "A multi-linked robotic system using the moving frame method", __name__,
    ("energy", "agreement", "round_trip", "cost", "servo_comparison", "animations", "floor"),
)  # fmt: skip

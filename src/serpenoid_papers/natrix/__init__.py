"""NATRIX paper (Xie, Herault, Lebastard, Boyer): one module per figure, table or open question."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "natrix", "Recursive inverse dynamics of a swimming snake-like robot", __name__,
    (
        "agreement", "conservation", "response", "tongue", "explanation", "orbits", "shells", "damping", "stabiliser",
        "gaze", "identification", "cost",
    ),
)  # fmt: skip

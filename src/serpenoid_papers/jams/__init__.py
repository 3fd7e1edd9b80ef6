"""Causes of jams of a slithering snake, beyond the thesis."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "jams", "Causes of jams: beyond the thesis on the SEA snake", __name__,
    ("density_and_friction", "joining"),
)  # fmt: skip

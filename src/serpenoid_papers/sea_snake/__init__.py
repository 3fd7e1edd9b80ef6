"""Shape-based compliance: the claims of the SEA-snake thesis."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "sea-snake", "Shape-based compliance in locomotion", __name__,
    (
        "modules", "identities", "pushes", "connection", "slithering", "headline", "variants", "jams", "poles",
        "pose", "steering", "row", "row_variants", "films",
    ),
    also=("gaits",),
)  # fmt: skip

"""Planning through contact: plans of waves and joints among pegs, pushes to a goal, and gaits designed by gradient."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "contact-planning", "Planning through contact", __name__,
    ("boards", "touch", "rate", "joints", "promise", "push_to", "gait_design"),
)  # fmt: skip

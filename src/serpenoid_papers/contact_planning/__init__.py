"""Planning through contact: the sampling planner among pegs, its speed, gaits by gradient, and pushes to a goal."""

from serpenoid_papers.base import Paper

PAPER = Paper("contact-planning", "Planning through contact", __name__, ("boards", "rate", "gait_design", "push_to"))

"""Planning through contact: the sampling planner among pegs, its speed, and gaits designed by gradient."""

from serpenoid_papers.base import Paper

PAPER = Paper("contact-planning", "Planning through contact", __name__, ("boards", "rate", "gait_design"))

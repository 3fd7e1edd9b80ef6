"""Planning through contact: the sampling planner among pegs, known or felt, its speed, and pushes to a goal."""

from serpenoid_papers.base import Paper

PAPER = Paper("contact-planning", "Planning through contact", __name__, ("boards", "rate", "push_to"))

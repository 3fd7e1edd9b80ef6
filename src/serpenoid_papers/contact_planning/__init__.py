"""Planning through contact: the sampling planner among pegs, all known or known by touch, and its speed."""

from serpenoid_papers.base import Paper

PAPER = Paper("contact-planning", "Planning through contact", __name__, ("boards", "rate"))

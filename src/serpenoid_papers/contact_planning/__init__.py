"""Planning through contact: waves by sampling and joints by iLQR, all pegs known or known by touch, and their speed."""

from serpenoid_papers.base import Paper

PAPER = Paper("contact-planning", "Planning through contact", __name__, ("boards", "rate", "joints", "promise"))

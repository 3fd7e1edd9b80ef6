"""Shape-based compliance: the claims of the SEA-snake thesis."""

"""Learning environments: many rows of one task, stepped by one compiled call."""

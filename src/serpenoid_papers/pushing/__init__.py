"""Pushing an object: figures 4 to 6, table 2 and the claims P1 to P10."""

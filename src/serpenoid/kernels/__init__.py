"""Compiled mathematics on arrays and NamedTuple records; imports numpy and numba only."""

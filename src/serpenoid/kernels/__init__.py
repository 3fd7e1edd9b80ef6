"""Compiled mathematics: arrays and NamedTuple records in, arrays out; imports numpy and numba only."""

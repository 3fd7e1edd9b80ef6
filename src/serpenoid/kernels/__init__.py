"""Compiled mathematics. Arguments are arrays and NamedTuple records, results are arrays; imports numpy and numba only.
"""

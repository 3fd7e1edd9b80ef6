"""Benchmarks against peers, one module per topic; they produce the rows of `serpenoid bench`."""

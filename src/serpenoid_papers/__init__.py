"""Reproductions of papers, a module per figure or table, and the demonstration."""

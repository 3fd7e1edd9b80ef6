"""Iterative LQR: solver, passes, dynamics and costs."""

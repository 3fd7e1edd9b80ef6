"""Iterative LQR: the solve, its passes, dynamics and costs."""

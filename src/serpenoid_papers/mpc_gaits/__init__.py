"""Automatic snake gait generation using model predictive control: one module a figure or table."""

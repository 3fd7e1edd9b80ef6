"""Planar chain: mechanics, steps, rollouts, samples, derivatives."""

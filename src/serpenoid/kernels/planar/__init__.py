"""The planar chain: mechanics, steps, rollouts, samples, derivatives."""

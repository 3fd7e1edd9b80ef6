"""Trees of bodies: recursions, steps, rollouts, samples."""

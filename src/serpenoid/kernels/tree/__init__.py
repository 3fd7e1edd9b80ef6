"""Trees of rigid bodies: recursions, steps, rollouts, samples."""

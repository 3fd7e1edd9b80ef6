"""Contact physics by MuJoCo."""

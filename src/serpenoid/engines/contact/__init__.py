"""Contact physics with MuJoCo."""

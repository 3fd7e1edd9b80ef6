"""Physical constants shared by all models."""

STANDARD_GRAVITY = 9.81  # acceleration of gravity, as in all five papers [m/s^2]

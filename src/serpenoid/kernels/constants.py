"""Constants of nature that every model shares."""

STANDARD_GRAVITY = 9.81  # acceleration of gravity, as all five papers take it [m/s^2]

"""Automatic snake gait generation using model predictive control: one module per figure or table."""

from serpenoid_papers.base import Paper

PAPER = Paper(
    "mpc-gaits", "Automatic snake gait generation using model predictive control", __name__,
    (
        "fronts", "spectra", "complex_gaits", "robustness", "friction", "timing", "steering", "agreement",
        "another_engine", "estimation", "synthesis",
    ),
)  # fmt: skip

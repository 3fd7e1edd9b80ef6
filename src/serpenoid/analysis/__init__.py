"""Trajectories to numbers: speed, power, energy, momentum, spectra, Pareto fronts, slip."""

from serpenoid.analysis.energy import (
    EnergyBalance,
    EnergyLedger,
    Momentum,
    cost_of_transport,
    energy_balance,
    energy_ledger,
    energy_residual,
    joint_power,
    momentum,
    power,
    stored_energy,
)
from serpenoid.analysis.locomotion import displacement, head_first, slip, speed
from serpenoid.analysis.pareto import pareto_front
from serpenoid.analysis.spectra import (
    Oscillation,
    Spectrum,
    amplitude,
    dominant_frequency,
    oscillation,
    oscillation_of,
    spectrum,
    spectrum_of,
)

__all__ = [
    "EnergyBalance",
    "EnergyLedger",
    "Momentum",
    "Oscillation",
    "Spectrum",
    "amplitude",
    "cost_of_transport",
    "displacement",
    "dominant_frequency",
    "energy_balance",
    "energy_ledger",
    "energy_residual",
    "head_first",
    "joint_power",
    "momentum",
    "oscillation",
    "oscillation_of",
    "pareto_front",
    "power",
    "slip",
    "spectrum",
    "spectrum_of",
    "speed",
    "stored_energy",
]

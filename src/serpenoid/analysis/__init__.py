"""Trajectories to numbers: speed, power, energy, momentum, spectra, Pareto fronts, slip."""

from serpenoid.analysis.aims import clearance, goal_distance, path_distance
from serpenoid.analysis.contacts import contact_load, contact_slip, course, path_radius
from serpenoid.analysis.energy import (
    EnergyBalance,
    EnergyLedger,
    Momentum,
    cost_of_transport,
    energy_balance,
    energy_ledger,
    energy_residual,
    joint_power,
    mean_power,
    momentum,
    power,
    stored_energy,
    transport_cost,
)
from serpenoid.analysis.locomotion import body_axis, displacement, head_first, mean_direction, mean_speed, slip, speed
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
from serpenoid.analysis.window import stretch

__all__ = [
    "EnergyBalance",
    "EnergyLedger",
    "Momentum",
    "Oscillation",
    "Spectrum",
    "amplitude",
    "body_axis",
    "clearance",
    "contact_load",
    "contact_slip",
    "cost_of_transport",
    "course",
    "displacement",
    "dominant_frequency",
    "energy_balance",
    "energy_ledger",
    "energy_residual",
    "goal_distance",
    "head_first",
    "joint_power",
    "mean_direction",
    "mean_power",
    "mean_speed",
    "momentum",
    "oscillation",
    "oscillation_of",
    "pareto_front",
    "path_distance",
    "path_radius",
    "power",
    "slip",
    "spectrum",
    "spectrum_of",
    "speed",
    "stored_energy",
    "stretch",
    "transport_cost",
]

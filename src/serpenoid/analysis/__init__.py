"""Trajectories to numbers: speed, power, energy, momentum, spectra, Pareto fronts, slip."""

from serpenoid.analysis.best_push import best_push
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
from serpenoid.analysis.equilibrium import Equilibrium, equilibrium
from serpenoid.analysis.floquet import Floquet, floquet, orbits
from serpenoid.analysis.identification import Identified, Recording, identify
from serpenoid.analysis.linear import LinearModel, linearise
from serpenoid.analysis.locomotion import displacement, head_first, slip, speed
from serpenoid.analysis.pareto import pareto_front
from serpenoid.analysis.slippage import PushResponse, PushSurvey, input_torques, push_survey, pushing
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
    "Equilibrium",
    "Floquet",
    "Identified",
    "LinearModel",
    "EnergyLedger",
    "Momentum",
    "Oscillation",
    "Recording",
    "PushResponse",
    "PushSurvey",
    "Spectrum",
    "amplitude",
    "best_push",
    "cost_of_transport",
    "displacement",
    "dominant_frequency",
    "energy_balance",
    "energy_ledger",
    "energy_residual",
    "equilibrium",
    "floquet",
    "head_first",
    "identify",
    "input_torques",
    "joint_power",
    "linearise",
    "momentum",
    "orbits",
    "oscillation",
    "oscillation_of",
    "pareto_front",
    "power",
    "push_survey",
    "pushing",
    "slip",
    "spectrum",
    "spectrum_of",
    "speed",
    "stored_energy",
]

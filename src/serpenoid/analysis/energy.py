"""What a run costs and whether its books balance: power, cost of transport, energy, momentum."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import bodies_of, link_motion, part_of
from serpenoid.analysis.locomotion import speed
from serpenoid.analysis.window import integral, mean, samples
from serpenoid.trajectory import Trajectory

STANDARD_GRAVITY = 9.80665  # [m/s^2]


class EnergyBalance(NamedTuple):
    """Energies of a stretch of a run [J]; what comes in must go out or stay."""

    work: float  # done by the joints
    dissipated: float  # taken by the medium and by friction in the joints
    stored: float  # change of kinetic and potential energy
    residual: float  # |work - dissipated - stored| / largest energy that passed


class Momentum(NamedTuple):
    """Momenta over time in world axes."""

    linear: NDArray  # (time, 3) [kg m/s]
    angular: NDArray  # (time, 3) about the centre of mass [kg m^2/s]
    linear_scale: NDArray  # (time,) sum of the bodies' shares |m v| [kg m/s]
    angular_scale: NDArray  # (time,) sum of the bodies' shares [kg m^2/s]


def joint_power(run: Trajectory) -> NDArray:
    """Mechanical power that each joint gives, tau dq [W], (time, joint); negative where it brakes."""
    return run["joint_torque"] * run["joint_velocity"]


def power(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Mean of sum_j |tau_j dq_j| [W]: a motor that brakes costs as much as one that drives."""
    chosen = samples(run, start, end)
    return float(mean(np.abs(joint_power(run)[chosen]).sum(axis=1), run.times[chosen]))


def cost_of_transport(
    run: Trajectory, start: float | None = None, end: float | None = None, mass: float | None = None
) -> float:
    """Power / (mass g |speed|), without unit; infinite where the robot does not get on."""
    total = float(bodies_of(part_of(run, "robot")).mass.sum()) if mass is None else mass
    pace = abs(speed(run, start, end))
    spent = power(run, start, end)
    return spent / (total * STANDARD_GRAVITY * pace) if pace > 0.0 else np.inf


def stored_energy(run: Trajectory) -> NDArray:
    """Kinetic plus potential energy, of all kinds that the run holds [J], (time,)."""
    kinds = [name for name in run.variables if name.startswith("energy_") and name != "energy_dissipated"]
    return np.sum([run[name] for name in kinds], axis=0) if kinds else np.zeros(run.times.size)


def energy_balance(run: Trajectory, start: float | None = None, end: float | None = None) -> EnergyBalance:
    """Work of the joints against what was dissipated and stored.

    The residual is relative to the larger of the energy that passed through the joints and the energy stored at most.
    """
    chosen = samples(run, start, end)
    times, given = run.times[chosen], joint_power(run)[chosen]
    work = float(integral(given.sum(axis=1), times)[-1])
    passed = float(integral(np.abs(given).sum(axis=1), times)[-1])
    level = stored_energy(run)[chosen]
    stored = float(level[-1] - level[0])
    lost = dissipated(run, chosen)
    scale = max(passed, abs(lost), float(np.abs(level).max()))
    return EnergyBalance(work, lost, stored, abs(work - lost - stored) / scale if scale > 0.0 else 0.0)


def energy_residual(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """How far the energy balance is from closing, as a share of the energy that passed."""
    return energy_balance(run, start, end).residual


def dissipated(run: Trajectory, chosen: slice) -> float:
    """Energy that medium and joint friction took over a stretch [J]; 0 in a run without either."""
    if "energy_dissipated" in run:
        level = run["energy_dissipated"][chosen]
        return float(level[-1] - level[0])
    if "power_dissipated" in run:
        return float(integral(run["power_dissipated"][chosen], run.times[chosen])[-1])
    return 0.0


def momentum(run: Trajectory, robot: Any = None) -> Momentum:
    """Linear momentum, and angular momentum about the centre of mass, from the links' own motions.

    `robot` is needed only where the run does not hold the one that made it.
    """
    bodies = bodies_of(part_of(run, "robot") if robot is None else robot)
    motion = link_motion(run, bodies)
    shares = bodies.mass[:, None] * motion.velocity
    center = np.einsum("l,tli->ti", bodies.mass, motion.center) / bodies.mass.sum()
    local = np.einsum("tlji,tlj->tli", motion.rotation, motion.spin)
    turning = np.einsum("tlij,ljk,tlk->tli", motion.rotation, bodies.inertia, local)
    turning = turning + np.cross(motion.center - center[:, None], shares)
    scales = (np.linalg.norm(share, axis=2).sum(axis=1) for share in (shares, turning))
    return Momentum(shares.sum(axis=1), turning.sum(axis=1), *scales)

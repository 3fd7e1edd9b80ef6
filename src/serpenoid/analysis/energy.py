"""Cost and energy balance of a run: power, cost of transport, energy, momentum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.analysis.bodies import bodies_of, link_motion, part_of
from serpenoid.analysis.locomotion import speed
from serpenoid.analysis.window import integral, mean, samples
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots.base import Robot
from serpenoid.trajectory import Trajectory


class EnergyBalance(NamedTuple):
    """Energies over an interval of a run [J]; input equals losses plus storage."""

    work: float  # done by the joints and by external pushes
    dissipated: float  # dissipated by the medium and by friction in the joints
    stored: float  # change of kinetic and potential energy
    residual: float  # |work - dissipated - stored| relative to the energy that passed


class EnergyLedger(NamedTuple):
    """Energies since the start of an interval of a run, over time [J], (time,)."""

    work: NDArray
    dissipated: NDArray
    stored: NDArray


class Momentum(NamedTuple):
    """Momenta over time in world axes."""

    linear: NDArray  # (time, 3) [kg m/s]
    angular: NDArray  # (time, 3) about the centre of mass [kg m^2/s]
    linear_scale: NDArray  # (time,) sum of the bodies' magnitudes |m v| [kg m/s]
    angular_scale: NDArray  # (time,) sum of the bodies' magnitudes [kg m^2/s]


def joint_power(run: Trajectory) -> NDArray:
    """Return the power of each joint's drive [W], (time, joint), averaged over the interval before each sample.

    Negative values mean braking. It is computed from the integrals `joint_work`. At the first sample, and in
    recordings without them, it is torque x rate.
    """
    found = run["joint_torque"] * run["joint_velocity"]
    if "joint_work" in run:
        found[1:] = np.diff(run["joint_work"], axis=0) / np.diff(run.times)[:, None]
    return found


def torque_rms(times: NDArray, squared: NDArray) -> float:
    """Return the root mean square over time and joints [N m], from integrals `joint_torque_squared` (time, joint) [N^2
    m^2 s].
    """
    span = float(times[-1] - times[0])
    return float(np.sqrt((squared[-1] - squared[0]).mean() / span)) if span > 0.0 else 0.0


def power(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the mean of sum_j |tau_j dq_j| [W]: a braking motor costs as much as a driving one.

    It is computed from the integral `work_absolute`. Older recordings lack it, and their samples are integrated.
    """
    chosen = samples(run, start, end)
    if "work_absolute" in run:
        return float(mean_power(run.times[chosen], run["work_absolute"][chosen]))
    return float(mean(np.abs(joint_power(run)[chosen]).sum(axis=1), run.times[chosen]))


def mean_power(times: NDArray, work: NDArray) -> NDArray:
    """Return the mean power (...) [W] from integrals of work (..., time) [J]."""
    return (work[..., -1] - work[..., 0]) / (times[-1] - times[0])


def cost_of_transport(
    run: Trajectory, start: float | None = None, end: float | None = None, mass: float | None = None
) -> float:
    """Return power / (mass g |speed|), dimensionless; infinite if the robot makes no progress."""
    total = float(bodies_of(part_of(run, "robot")).mass.sum()) if mass is None else mass
    return float(transport_cost(power(run, start, end), speed(run, start, end), total))


def transport_cost(power: ArrayLike, speed: ArrayLike, mass: float) -> NDArray:
    """Return power [W] / (mass [kg] g |speed [m/s]|), infinite at zero speed."""
    pace = np.abs(np.asarray(speed, dtype=float))
    spent = np.asarray(power, dtype=float) / (mass * STANDARD_GRAVITY)
    return np.where(pace > 0.0, spent / np.where(pace > 0.0, pace, 1.0), np.where(np.isnan(pace), np.nan, np.inf))


def stored_energy(run: Trajectory) -> NDArray:
    """Return the sum of the run's energies: kinetic, potential and other storage, `energy_*` [J], (time,)."""
    kinds = [name for name in run.variables if name.startswith("energy_")]
    return np.sum([run[name] for name in kinds], axis=0) if kinds else np.zeros(run.times.size)


def drive_power(run: Trajectory) -> NDArray:
    """Return the work rate of all joints on the robot [W], (time,)."""
    return run["power_drive"] if "power_drive" in run else joint_power(run).sum(axis=1)


def lost_energy(run: Trajectory, chosen: slice) -> NDArray:
    """Return the energy lost to medium, joint friction and the like since the start of an interval [J], (time,).

    It is minus the integrals of work of everything except joints and external pushes. Older recordings lack them;
    there, it is minus the work of all `power_*` except the drive's. `power_world` is the work rate of all external
    forces, weight and buoyancy included. The part that only changes potential energy is not a loss.
    """
    lost = np.zeros(run.times[chosen].size)
    if "work_absolute" in run:
        for name in run.variables:
            if name.startswith("work_") and name not in ("work_drive", "work_external", "work_absolute"):
                lost -= run[name][chosen] - run[name][chosen][0]
        return lost
    for name in run.variables:
        if name.startswith("power_") and name != "power_drive":
            lost -= integral(run[name][chosen], run.times[chosen])
    if "power_world" in run:
        level = run["energy_potential"][chosen]
        lost -= level - level[0]
    return lost


def work_done(run: Trajectory, chosen: slice) -> NDArray:
    """Return the work of the joints and of external pushes since the start of an interval [J], (time,)."""
    if "work_absolute" not in run:
        return integral(drive_power(run)[chosen], run.times[chosen])
    given = run["work_drive"][chosen] + run["work_external"][chosen]
    return given - given[0]


def energy_ledger(run: Trajectory, start: float | None = None, end: float | None = None) -> EnergyLedger:
    """Return work, losses and stored energy since the start of an interval, over time."""
    chosen = samples(run, start, end)
    level = stored_energy(run)[chosen]
    return EnergyLedger(work_done(run, chosen), lost_energy(run, chosen), level - level[0])


def energy_balance(run: Trajectory, start: float | None = None, end: float | None = None) -> EnergyBalance:
    """Compare the work of the joints with the energy dissipated and stored over an interval.

    The residual is relative to the largest of these energies: through the drive, lost, stored, kinetic.
    """
    chosen = samples(run, start, end)
    ledger = energy_ledger(run, start, end)
    work, dissipated, stored = (float(part[-1]) for part in ledger)
    if "work_absolute" in run:
        passed = np.ptp(run["work_absolute"][chosen])
    else:
        passed = integral(np.abs(drive_power(run)[chosen]), run.times[chosen])[-1]
    kinetic = run["energy_kinetic"][chosen] if "energy_kinetic" in run else 0.0
    scale = max(passed, *(np.abs(part).max() for part in (ledger.dissipated, ledger.stored, kinetic)))
    residual = abs(work - dissipated - stored) / scale if scale > 0.0 else 0.0
    return EnergyBalance(work, dissipated, stored, float(residual))


def energy_residual(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Return the relative error of the energy balance."""
    return energy_balance(run, start, end).residual


def momentum(run: Trajectory, robot: Robot | None = None) -> Momentum:
    """Return linear momentum, and angular momentum about the centre of mass, from the links' motions.

    `robot` is needed only if the run does not contain the one that made it.
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

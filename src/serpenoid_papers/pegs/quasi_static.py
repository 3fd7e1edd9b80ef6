"""Quasi-static snake on a bare floor: at every instant, the twist at which friction has no net force and moment.

This independent model has no dynamics integrator, no drives and no step limits. The joints follow the wave exactly.
Friction at a station with load N and velocity v is

    f = -N v / |v|^(1 - p)         p = 0 Coulomb, p = 1 viscous

The size of N does not matter, and p isolates the effect of Coulomb's direction-only law. The zero is the minimum of the
convex sum N |v|^(1 + p) / (1 + p) over the three components of the twist. Newton's method finds it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.records import Chain

SMOOTH = 1e-7  # speed below which a station counts as at rest [m/s]
INSTANTS = 400  # instants of a cycle


class Wave(NamedTuple):
    """Wave of joint angles amplitude sin(lag - phase), with the phase from 0 to 2 pi in a cycle of one second."""

    amplitude: float  # [rad]
    lag: NDArray  # (joints,) [rad]


class Cycle(NamedTuple):
    """Net displacement of the body in one cycle."""

    way: float  # travel of the centre of mass, head first [m]
    turn: float  # rotation [rad]


def cycle_of(chain: Chain, wave: Wave, stations: int = 2, power: float = 0.0) -> Cycle:
    """Integrate the twists of one cycle; they depend only on the phase, so all cycles are equal."""
    phases = 2.0 * np.pi * (np.arange(INSTANTS) + 0.5) / INSTANTS
    twist, place, heading, axes = np.zeros(3), np.zeros(2), 0.0, np.zeros(2)
    for phase in phases:
        point, rate, load, axis = body(chain, wave, phase, stations)
        twist = find_balance(point, rate, load, power, twist)
        center = (load[:, None] * point).sum(axis=0) / load.sum()
        moving = (load[:, None] * rate).sum(axis=0) / load.sum()
        drift = moving + twist[:2] + twist[2] * np.array([-center[1], center[0]])
        middle = heading + 0.5 * twist[2] / INSTANTS
        place = place + rotate(drift, middle) / INSTANTS
        axes = axes + rotate(axis, middle) / INSTANTS
        heading += twist[2] / INSTANTS
    return Cycle(float(place @ axes / np.linalg.norm(axes)), heading)


def body(chain: Chain, wave: Wave, phase: float, stations: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return stations, velocities and loads in axes of the head's front end, and the mean unit vector to the head."""
    angle = np.append(0.0, np.cumsum(wave.amplitude * np.sin(wave.lag - phase)))
    turning = np.append(0.0, np.cumsum(-2.0 * np.pi * wave.amplitude * np.cos(wave.lag - phase)))
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = turning[:, None] * np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    front = np.vstack([np.zeros(2), np.cumsum(chain.length[:, None] * along, axis=0)[:-1]])
    moving = np.vstack([np.zeros(2), np.cumsum(chain.length[:, None] * across, axis=0)[:-1]])
    gauss, share = np.polynomial.legendre.leggauss(stations)
    place = chain.length[:, None] * 0.5 * (1.0 + gauss)
    point = front[:, None] + place[..., None] * along[:, None]
    rate = moving[:, None] + place[..., None] * across[:, None]
    load = chain.mass[:, None] * 0.5 * share
    return point.reshape(-1, 2), rate.reshape(-1, 2), load.ravel(), -along.mean(axis=0)


def find_balance(point: NDArray, rate: NDArray, load: NDArray, power: float, guess: NDArray) -> NDArray:
    """Return the twist (x, y, angular) of the head at which the friction of all stations is balanced."""
    arms = np.stack([-point[:, 1], point[:, 0]], axis=1)
    rows = np.concatenate([np.tile(np.eye(2), (len(load), 1, 1)), arms[..., None]], axis=2)  # (stations, 2, 3)

    def cost(twist: NDArray) -> float:
        square = ((rate + rows @ twist) ** 2).sum(axis=1) + SMOOTH**2
        return float((load * square ** (0.5 + 0.5 * power)).sum() / (1.0 + power))

    twist, value = guess, cost(guess)
    for _ in range(200):
        v = rate + rows @ twist
        square = (v**2).sum(axis=1) + SMOOTH**2
        pull = load * square ** (0.5 * power - 0.5)
        slope = np.einsum("sij,si->j", rows, pull[:, None] * v)
        inner = np.eye(2) - (1.0 - power) * v[:, :, None] * v[:, None, :] / square[:, None, None]
        step = np.linalg.solve(np.einsum("sij,s,sik,skl->jl", rows, pull, inner, rows), slope)
        size = 1.0
        while cost(twist - size * step) > value - 1e-4 * size * float(slope @ step) and size > 1e-9:
            size *= 0.5
        twist = twist - size * step
        value = cost(twist)
        if float(slope @ step) < 1e-16 * value:
            break
    return twist


def rotate(vector: NDArray, angle: float) -> NDArray:
    """Rotate a vector (2,) by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])

"""The slow twin of the peg boards: explicit forces of every contact, dense dynamics by the centre of mass, RK4."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.planar.chain import (
    PlanarModel,
    add_wrenches,
    assemble,
    planar_model,
    planar_work,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.worlds.free import FreeSpace


class Twin(NamedTuple):
    model: PlanarModel
    shift: NDArray  # (n,) from the head's front end to the centre of mass, along each link [m]
    pegs: NDArray  # (pegs, 2)
    sizes: NDArray  # radius of body and pegs [m], stiffness, damping, peg friction, peg smoothing, floor smoothing
    place: NDArray  # (stations, n)
    grip: NDArray  # (stations, n) largest friction force [N]
    gains: NDArray  # stiffness, damping, limit of every drive
    wave: NDArray  # (n - 1, 3) amplitude, lag, rate


def twin_of(scene, gains, motion):
    chain, n = scene.chain, scene.chain.mass.size
    behind = chain.mass.sum() - np.cumsum(chain.mass)
    shift = (chain.mass * chain.center + behind * chain.length) / chain.mass.sum()
    touch, field = scene.touch, scene.obstacles
    pegs = np.column_stack([field.x, field.y])
    radius = field.radius[0] if len(pegs) else 0.0
    sizes = np.array(
        [scene.radius, radius, touch.stiffness, touch.damping, touch.friction, touch.smoothing, scene.floor.smoothing]
    )
    wave = np.column_stack([motion.amplitude, motion.lag + motion.phase_start, motion.rate])
    return Twin(
        planar_model(chain, FreeSpace().medium_record(chain)), shift, pegs, sizes, scene.floor.place.reshape(-1, n),
        scene.floor.along.reshape(-1, n), np.array([gains.stiffness[0], gains.damping[0], gains.limit[0]]), wave,
    )  # fmt: skip


@numba.njit
def nodes_of(twin, state, out):
    """x, y, angle and their rates of each link's front end, from a state by the centre of mass."""
    n = twin.shift.size
    x, y, u, v = state[0], state[1], state[n + 2], state[n + 3]
    angle, rate = 0.0, 0.0
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        out[k, 2], out[k, 5] = angle, rate
        x -= twin.shift[k] * np.cos(angle)
        y -= twin.shift[k] * np.sin(angle)
        u += twin.shift[k] * rate * np.sin(angle)
        v -= twin.shift[k] * rate * np.cos(angle)
    for k in range(n):
        length, angle, rate = twin.model.chain.length[k], out[k, 2], out[k, 5]
        out[k, 0], out[k, 1], out[k, 3], out[k, 4] = x, y, u, v
        x += length * np.cos(angle)
        y += length * np.sin(angle)
        u -= length * rate * np.sin(angle)
        v += length * rate * np.cos(angle)


@numba.njit
def push(twin, node, k, x, y, fx, fy, wrench):
    """Enter a force at a point into the wrench at the link's centre of mass."""
    c = twin.model.chain.center[k]
    ax, ay = x - node[k, 0] - c * np.cos(node[k, 2]), y - node[k, 1] - c * np.sin(node[k, 2])
    wrench[k, 0] += fx
    wrench[k, 1] += fy
    wrench[k, 2] += ax * fy - ay * fx


@numba.njit
def forces(twin, node, wrench):
    """Friction of the floor by its smooth law, springs and friction of every peg in reach."""
    body, radius, stiffness, damping, friction, soft, softest = twin.sizes
    wrench[:] = 0.0
    for k in range(twin.shift.size):
        c, s, w = np.cos(node[k, 2]), np.sin(node[k, 2]), node[k, 5]
        for i in range(twin.place.shape[0]):
            a = twin.place[i, k]
            vx, vy = node[k, 3] - w * a * s, node[k, 4] + w * a * c
            g = -twin.grip[i, k] / np.sqrt(vx * vx + vy * vy + softest * softest)
            push(twin, node, k, node[k, 0] + a * c, node[k, 1] + a * s, g * vx, g * vy, wrench)
        for p in range(len(twin.pegs)):
            dx, dy = twin.pegs[p, 0] - node[k, 0], twin.pegs[p, 1] - node[k, 1]
            if abs(dx) > 0.4 or abs(dy) > 0.4:
                continue
            a = min(max(dx * c + dy * s, 0.0), twin.model.chain.length[k])
            nx, ny = a * c - dx, a * s - dy
            apart = np.sqrt(nx * nx + ny * ny)
            depth = body + radius - apart
            if depth <= 0.0:
                continue
            nx, ny = nx / apart, ny / apart
            rx, ry = a * c - body * nx, a * s - body * ny
            vx, vy = node[k, 3] - w * ry, node[k, 4] + w * rx
            load = max(stiffness * depth - damping * (nx * vx + ny * vy), 0.0)
            slip = -ny * vx + nx * vy
            drag = -friction * load * slip / np.sqrt(slip * slip + soft * soft)
            fx, fy = load * nx - drag * ny, load * ny + drag * nx
            push(twin, node, k, node[k, 0] + rx, node[k, 1] + ry, fx, fy, wrench)


@numba.njit
def slope(twin, work, node, wrench, torque, target, state, out):
    n = twin.shift.size
    for j in range(n - 1):
        wanted = twin.gains[0] * (target[j] - state[3 + j]) - twin.gains[1] * state[n + 5 + j]
        torque[j] = min(max(wanted, -twin.gains[2]), twin.gains[2])
    nodes_of(twin, state, node)
    forces(twin, node, wrench)
    assemble(twin.model, work, state, torque)
    add_wrenches(twin.model, work, state, wrench)
    solve_accelerations(twin.model, work)
    out[: n + 2] = state[n + 2 :]
    write_accelerations(work, out[n + 2 :])


@numba.njit
def twin_run(twin, state, step, steps, per_tick, every):
    """Front ends (samples, n, 6) after every so many RK4 steps; targets of the wave are held for `per_tick` steps."""
    n = twin.shift.size
    work, now = planar_work(n), state.copy()
    node, wrench, torque, target = np.zeros((n, 6)), np.zeros((n, 3)), np.zeros(n - 1), np.zeros(n - 1)
    k1, k2, k3, k4 = np.zeros(now.size), np.zeros(now.size), np.zeros(now.size), np.zeros(now.size)
    found = np.zeros((steps // every, n, 6))
    for i in range(steps):
        if i % per_tick == 0:
            for j in range(n - 1):
                target[j] = twin.wave[j, 0] * np.sin(twin.wave[j, 1] + twin.wave[j, 2] * i * step)
        slope(twin, work, node, wrench, torque, target, now, k1)
        slope(twin, work, node, wrench, torque, target, now + 0.5 * step * k1, k2)
        slope(twin, work, node, wrench, torque, target, now + 0.5 * step * k2, k3)
        slope(twin, work, node, wrench, torque, target, now + step * k3, k4)
        now += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if (i + 1) % every == 0:
            nodes_of(twin, now, node)
            found[(i + 1) // every - 1] = node
    return found

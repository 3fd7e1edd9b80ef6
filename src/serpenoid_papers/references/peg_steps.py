"""Slow reference of the peg boards: explicit forces of every contact, dense dynamics by the centre of mass, small
steps.

It shares the board and the laws with the fast step, but none of its mathematics, so no error can hide in both. Drives,
stops and the step are written here again. The mass matrix is that of the planar chain. Friction is the smooth law
itself instead of secants, and springs are evaluated explicitly. A light joint above its top speed decelerates within 4
us, a link at rest within 30 us. The classical Runge-Kutta step of 0.1 ms is unstable for that. The
Runge-Kutta-Chebyshev method is stable at 0.1 ms.
"""

from __future__ import annotations

from math import inf, isnan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.tick import Sensed, tick_law
from serpenoid.kernels.pegs.records import PegScene
from serpenoid.kernels.planar.chain import (
    PlanarModel,
    PlanarWork,
    add_wrenches,
    assemble,
    planar_work,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.kernels.records import StiffDrive

REACH = 0.1  # search distance for pegs beyond a link's length between two ticks [m]
FADE = 0.05  # share of the top speed over which a drive's torque fades
STOP = (2000.0, 4.0)  # stiffness and damping of a joint's stop [N m/rad, N m s/rad]
STAGES = 7  # stages of a step, stable up to 31 decay times in a step


def recursion(stages: int, damping: float = 2.0 / 13.0) -> NDArray:
    """Return mu, nu, mu~ and gamma~ (stages, 4) of the Runge-Kutta-Chebyshev method of second order.

    Sommeijer, Shampine, Verwer (1998), RKC: an explicit solver for parabolic PDEs, J. Comp. Appl. Math. 88, eq. (2.2).
    """
    w0 = 1.0 + damping / stages**2
    t, dt, ddt = [1.0, w0], [0.0, 1.0], [0.0, 0.0]  # Chebyshev polynomials at w0 and their slopes
    for j in range(2, stages + 1):
        ddt.append(4.0 * dt[j - 1] + 2.0 * w0 * ddt[j - 1] - ddt[j - 2])
        dt.append(2.0 * t[j - 1] + 2.0 * w0 * dt[j - 1] - dt[j - 2])
        t.append(2.0 * w0 * t[j - 1] - t[j - 2])
    w1 = dt[-1] / ddt[-1]
    b = [ddt[max(j, 2)] / dt[max(j, 2)] ** 2 for j in range(stages + 1)]
    rows = [(0.0, 0.0, b[1] * w1, 0.0)]
    for j in range(2, stages + 1):
        push = 2.0 * b[j] * w1 / b[j - 1]
        rows.append((2.0 * b[j] * w0 / b[j - 1], -b[j] / b[j - 2], push, -(1.0 - b[j - 1] * t[j - 1]) * push))
    return np.array(rows)


RECURSION = recursion(STAGES)


class Twin(NamedTuple):
    """A body on a board with pegs, without walls."""

    scene: PegScene
    model: PlanarModel  # the same chain without a medium
    drive: StiffDrive


class TwinWork(NamedTuple):
    """Arrays of a step."""

    dense: PlanarWork
    node: NDArray  # (n, 8) x, y, angle of each link's front end, their rates, cosine and sine of the angle
    wrench: NDArray  # (n, 3) force and moment at each link's centre of mass [N, N m]
    torque: NDArray  # (n - 1,) torque of the drives [N m]
    total: NDArray  # (n - 1,) torque with stops [N m]
    target: NDArray  # (n - 1,) [rad], NaN if there is none
    near: NDArray  # (n, pegs) int64
    count: NDArray  # (n,) int64


@inner
def nodes_of(twin, state, node):
    """Compute position and velocity of the front ends of all links, from a state by the centre of mass."""
    shift, length = twin.model.shift, twin.scene.chain.length
    n = shift.size
    x, y, u, v, angle, rate = state[0], state[1], state[n + 2], state[n + 3], 0.0, 0.0
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        c, s = np.cos(angle), np.sin(angle)
        node[k, 2], node[k, 5], node[k, 6], node[k, 7] = angle, rate, c, s
        x, y, u, v = x - shift[k] * c, y - shift[k] * s, u + shift[k] * rate * s, v - shift[k] * rate * c
    for k in range(n):
        c, s, rate = node[k, 6], node[k, 7], node[k, 5]
        node[k, 0], node[k, 1], node[k, 3], node[k, 4] = x, y, u, v
        x, y = x + length[k] * c, y + length[k] * s
        u, v = u - length[k] * rate * s, v + length[k] * rate * c


@inner
def push(twin, work, k, x, y, fx, fy):
    """Add a force at a point (x, y) relative to the link's front end."""
    center, node, wrench = twin.scene.chain.center[k], work.node, work.wrench
    wrench[k, 0] += fx
    wrench[k, 1] += fy
    wrench[k, 2] += (x - center * node[k, 6]) * fy - (y - center * node[k, 7]) * fx


@inner
def floor_pushes(twin, work, k):
    """Add the floor's Coulomb friction by its smooth law at every station of a link."""
    floor, node, n = twin.scene.floor, work.node, work.node.shape[0]
    c, s, w = node[k, 6], node[k, 7], node[k, 5]
    for i in range(k, floor.place.size, n):
        a = floor.place[i]
        vx, vy = node[k, 3] - w * a * s, node[k, 4] + w * a * c
        speed = sqrt(vx * vx + vy * vy + floor.smoothing**2)
        along, across = floor.along[i] * (c * vx + s * vy) / speed, floor.across[i] * (c * vy - s * vx) / speed
        push(twin, work, k, a * c, a * s, -(c * along - s * across), -(s * along + c * across))


@inner
def peg_pushes(twin, work, k):
    """Add spring, damper and friction of every peg that a link overlaps."""
    touch, pegs, node = twin.scene.touch, twin.scene.obstacles, work.node
    c, s, w = node[k, 6], node[k, 7], node[k, 5]
    for i in range(work.count[k]):
        p = work.near[k, i]
        dx, dy = pegs.x[p] - node[k, 0], pegs.y[p] - node[k, 1]
        a = min(max(dx * c + dy * s, 0.0), twin.scene.chain.length[k])
        nx, ny = a * c - dx, a * s - dy
        apart = sqrt(nx * nx + ny * ny)
        depth = twin.scene.radius + pegs.radius[p] - apart
        if depth > 0.0:
            nx, ny = nx / apart, ny / apart
            rx, ry = a * c - twin.scene.radius * nx, a * s - twin.scene.radius * ny
            vx, vy = node[k, 3] - w * ry, node[k, 4] + w * rx
            load = max(touch.stiffness * depth - touch.damping * (nx * vx + ny * vy), 0.0)
            slip = nx * vy - ny * vx
            drag = -touch.friction * load * slip / sqrt(slip * slip + touch.smoothing**2)
            push(twin, work, k, rx, ry, load * nx - drag * ny, load * ny + drag * nx)


@inner
def joint_torques(twin, work, state):
    """Compute drive torques clip(k (target - q) - d q', +-limit), less near the top speed, and those with stops."""
    n, stops, drive = twin.model.shift.size, twin.scene.stops, twin.drive
    for j in range(n - 1):
        angle, rate, top = state[3 + j], state[n + 5 + j], stops.speed[j]
        wanted = drive.stiffness[j] * (work.target[j] - angle) - drive.damping[j] * rate
        wanted = 0.0 if isnan(work.target[j]) else wanted
        ahead = 1.0 if top == inf else min(max((top - rate) / (FADE * top), 0.0), 1.0)
        back = 1.0 if top == inf else min(max((top + rate) / (FADE * top), 0.0), 1.0)
        work.torque[j] = min(max(wanted, -drive.limit[j] * back), drive.limit[j] * ahead)
        side = 1.0 if angle > 0.0 else -1.0
        deep = side * angle - stops.upper[j]
        held = max(STOP[0] * deep + STOP[1] * side * rate, 0.0) if deep > 0.0 else 0.0
        work.total[j] = work.torque[j] - side * held


@inner
def slope(twin, work, state, out):
    """Compute the rates of a state."""
    n = twin.model.shift.size
    joint_torques(twin, work, state)
    nodes_of(twin, state, work.node)
    work.wrench[:] = 0.0
    for k in range(n):
        floor_pushes(twin, work, k)
        peg_pushes(twin, work, k)
    assemble(twin.model, work.dense, state, work.total)
    add_wrenches(twin.model, work.dense, state, work.wrench)
    solve_accelerations(twin.model, work.dense)
    for i in range(n + 2):
        out[i] = state[n + 2 + i]
    write_accelerations(work.dense, out[n + 2 :])


@inner
def look_around(twin, work, state):
    """Find the pegs that each link can reach before the next tick."""
    pegs = twin.scene.obstacles
    nodes_of(twin, state, work.node)
    for k in range(work.count.size):
        far, count = twin.scene.chain.length[k] + twin.scene.radius + pegs.widest + REACH, 0
        for p in range(pegs.x.size):
            dx, dy = pegs.x[p] - work.node[k, 0], pegs.y[p] - work.node[k, 1]
            if dx * dx + dy * dy < far * far:
                work.near[k, count] = p
                count += 1
        work.count[k] = count


class Outside(NamedTuple):
    """Rule that ends a run when all given points of the body are outside a rectangle; without points it never does."""

    low_x: float  # [m]
    low_y: float
    high_x: float
    high_y: float
    piece: NDArray  # (points,) int64, the rigid piece of each
    place: NDArray  # (points,) distance from its front end [m]


@inner
def all_outside(work, rule):
    """Return whether every point of the rule that ends a run is outside its rectangle."""
    node, out = work.node, rule.piece.size > 0
    for i in range(rule.piece.size):
        k = rule.piece[i]
        x = node[k, 0] + rule.place[i] * node[k, 6]
        y = node[k, 1] + rule.place[i] * node[k, 7]
        out = out and not (rule.low_x <= x <= rule.high_x and rule.low_y <= y <= rule.high_y)
    return out


@kernel
def twin_rollout(twin, law, memory, rule, spread, target, state, course):
    """Run a law as `peg_law_rollout` does; return nodes (samples, n, 8) from the start, and whether the rule ended it.

    state: 2 (n + 2) numbers by the centre of mass. A sample is taken at the start of every `every`-th step, and at the
    end of a run if that is a sample time.
    """
    n, pegs = twin.model.shift.size, twin.scene.obstacles.x.size
    work = TwinWork(
        planar_work(n), np.zeros((n, 8)), np.zeros((n, 3)), np.zeros(n - 1), np.zeros(n - 1), np.full(n - 1, np.nan),
        np.zeros((n, pegs), np.int64), np.zeros(n, np.int64),
    )  # fmt: skip
    now, stages = state.copy(), np.zeros((4, state.size))
    position, velocity, torque = np.zeros(target.size), np.zeros(target.size), np.zeros(target.size)
    found, nothing, sampled = np.zeros((course.ticks * course.per_tick // course.every + 1, n, 8)), np.zeros((0, 3)), 0
    for tick in range(course.ticks):
        joint_torques(twin, work, now)
        for j in range(n - 1):
            at = spread[j]
            position[at], velocity[at], torque[at] = now[3 + j], now[n + 5 + j], work.torque[j]
        time = tick * course.per_tick * course.step
        tick_law(law, memory, Sensed(time, position, velocity, torque, nothing, nothing), target)
        for j in range(n - 1):
            work.target[j] = target[spread[j]]
        look_around(twin, work, now)
        for i in range(course.per_tick):
            if (tick * course.per_tick + i) % course.every == 0:
                nodes_of(twin, now, found[sampled])
                sampled += 1
            runge_kutta_chebyshev(twin, work, now, stages, course.step)
        nodes_of(twin, now, work.node)
        stopped = all_outside(work, rule)
        if stopped or tick == course.ticks - 1:
            if (tick + 1) * course.per_tick % course.every == 0:
                nodes_of(twin, now, found[sampled])
                sampled += 1
            return found[:sampled], stopped
    return found[:0], False


@inner
def runge_kutta_chebyshev(twin, work, now, stages, step):
    """Make one step in place; stages (4, numbers) are slopes at its start, and states before, here and after."""
    start, before, here, slopes = stages[0], stages[1], stages[2], stages[3]
    slope(twin, work, now, start)
    for i in range(now.size):
        before[i] = now[i]
        here[i] = now[i] + step * RECURSION[0, 2] * start[i]
    for stage in range(1, STAGES):
        mu, nu, push, pull = RECURSION[stage, 0], RECURSION[stage, 1], RECURSION[stage, 2], RECURSION[stage, 3]
        slope(twin, work, here, slopes)
        for i in range(now.size):
            after = (1.0 - mu - nu) * now[i] + mu * here[i] + nu * before[i]
            before[i] = here[i]
            here[i] = after + step * (push * slopes[i] + pull * start[i])
    for i in range(now.size):
        now[i] = here[i]

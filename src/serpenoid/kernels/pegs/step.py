"""One step of a chain among pegs: linearly implicit Euler.

Contacts, friction and damping enter with the velocity at the end of the step, each by a term that is linear in one
link's twist; springs of joints and terms of inertia with the state at its start. Friction is found by
sweeping until no force is off by more than a tenth of mu N. The new velocity carries the place, as in MuJoCo.

A state: x, y of the head's front end, its heading, n - 1 joint angles, their rates, the drives' own state, accounts.
"""

from __future__ import annotations

from serpenoid.kernels.accounts import CONTACT, CONTACT_ACCOUNTS, EXTERNAL, MEDIUM
from serpenoid.kernels.compile import inner
from serpenoid.kernels.pegs.contacts import (
    FRICTION,
    LOAD,
    SPRING,
    add_contacts,
    contact_friction,
    contact_speeds,
    find_contacts,
    use_next,
)
from serpenoid.kernels.pegs.floor import ACCURACY, add_floor, floor_secants, floor_work, start_floor
from serpenoid.kernels.pegs.joints import joint_work_done, revise_torques, set_torques
from serpenoid.kernels.pegs.search import find_neighbours
from serpenoid.kernels.pegs.sweep import solve, start_sweep
from serpenoid.kernels.trigonometry import sine_cosine

MOST_SWEEPS = 12


@inner
def set_links(scene, work, state):
    """Where the links are and how they move, from the head's front end back."""
    links, n = work.links, scene.chain.mass.size
    angle, rate = 0.0, 0.0
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        links.push0[k], links.rate[k] = angle, rate
    for k in range(n):
        links.sine[k], links.cosine[k] = sine_cosine(links.push0[k])
    x, y, u, v = 0.0, 0.0, state[n + 2], state[n + 3]
    for k in range(n):
        if k > 0:
            u += y * state[n + 4 + k]
            v -= x * state[n + 4 + k]
        links.x[k], links.y[k], links.u[k], links.v[k] = x, y, u, v
        x += scene.chain.length[k] * links.cosine[k]
        y += scene.chain.length[k] * links.sine[k]
    links.x[n], links.y[n] = x, y


@inner
def set_pushes(scene, work, wrench):
    """Centres of mass, and the wrenches of inertia, of the board's tilt and from outside."""
    links, chain = work.links, scene.chain
    ax, ay = 0.0, 0.0
    for k in range(chain.mass.size):
        c, s, square = links.cosine[k], links.sine[k], links.rate[k] * links.rate[k]
        x, y = links.x[k] + chain.center[k] * c, links.y[k] + chain.center[k] * s
        fx = chain.mass[k] * (scene.weight_x - ax + square * chain.center[k] * c)
        fy = chain.mass[k] * (scene.weight_y - ay + square * chain.center[k] * s)
        links.center_x[k], links.center_y[k] = x, y
        links.push0[k], links.push1[k], links.push2[k] = x * fy - y * fx, fx, fy
        ax -= square * chain.length[k] * c
        ay -= square * chain.length[k] * s
    for i in range(wrench.shape[0]):
        k = scene.push_piece[i]
        x, y = push_point(scene, links, i)
        links.push0[k] += x * wrench[i, 1] - y * wrench[i, 0] + wrench[i, 2]
        links.push1[k] += wrench[i, 0]
        links.push2[k] += wrench[i, 1]


@inner
def push_point(scene, links, i):
    """Where a push on the robot's link i acts, from the head's front end [m]."""
    k, place = scene.push_piece[i], scene.push_place[i]
    return links.x[k] + place * links.cosine[k], links.y[k] + place * links.sine[k]


@inner
def accelerate(scene, drive, work, wrench, step, state):
    """Solve for the velocities at the end of the step; returns the base's acceleration and the number of sweeps."""
    links, contacts = work.links, work.contacts
    set_links(scene, work, state)
    set_pushes(scene, work, wrench)
    set_torques(scene, drive, work, step, state)
    find_neighbours(scene, work, state[0], state[1])
    find_contacts(scene, work, state[0], state[1])
    slope = step * scene.touch.stiffness + scene.touch.damping
    start_floor(scene, work)
    contact_friction(scene, contacts, slope, links.rate, links.u, links.v)
    sweeps, off, base = 0, True, (0.0, 0.0, 0.0)
    while off and sweeps < MOST_SWEEPS:
        use_next(contacts)
        start_sweep(scene, work)
        add_floor(scene, work, step, sweeps == 0)
        add_contacts(work, step, slope)
        base = solve(work, step)
        off = floor_secants(scene, work)
        touching = contact_friction(scene, contacts, slope, links.next_rate, links.next_u, links.next_v)
        off = revise_torques(scene, drive, work, step, state) or off or touching > ACCURACY
        sweeps += 1
    return base, sweeps


@inner
def peg_step(scene, drive, work, wrench, step, state):
    """Carry a state through one step; returns the number of sweeps."""
    n, accounts = scene.chain.mass.size, state.size - CONTACT_ACCOUNTS
    half = n + 2
    base, sweeps = accelerate(scene, drive, work, wrench, step, state)
    joint_work_done(scene, drive, work, step, state, accounts)
    state[accounts + MEDIUM] += floor_work(scene, work, step)
    state[accounts + CONTACT] += contact_work_done(work, step, step * scene.touch.stiffness + scene.touch.damping)
    if wrench.shape[0] > 0:
        state[accounts + EXTERNAL] += wrench_work(scene, work, wrench, step)
    state[half] += step * base[1]
    state[half + 1] += step * base[2]
    state[half + 2] += step * base[0]
    for j in range(n - 1):
        state[half + 3 + j] += step * work.joints.acceleration[j]
    for i in range(half):
        state[i] += step * state[half + i]
    return sweeps


@inner
def contact_work_done(work, step, slope):
    """Work of pegs and walls on the links during the step [J]: forces in use times the mean velocity."""
    contacts, links, total = work.contacts, work.links, 0.0
    for i in range(contacts.count[contacts.count.size - 1]):
        if contacts.row[i, LOAD] > 0.0:
            normal, tangent = contact_speeds(contacts, i, links.rate, links.u, links.v)
            after, slip = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
            total += (contacts.row[i, SPRING] - slope * after) * (normal + after)
            total -= contacts.row[i, FRICTION] * slip * (tangent + slip)
    return 0.5 * step * total


@inner
def wrench_work(scene, work, wrench, step):
    """Work of wrenches from outside [J]: at the mean velocity of where they act."""
    links, total = work.links, 0.0
    for i in range(wrench.shape[0]):
        k = scene.push_piece[i]
        x, y = push_point(scene, links, i)
        rate = 0.5 * (links.rate[k] + links.next_rate[k])
        vx, vy = 0.5 * (links.u[k] + links.next_u[k]) - rate * y, 0.5 * (links.v[k] + links.next_v[k]) + rate * x
        total += wrench[i, 0] * vx + wrench[i, 1] * vy + wrench[i, 2] * rate
    return step * total

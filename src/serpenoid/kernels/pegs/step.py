"""One step of a chain among pegs: forces at the midpoint configuration, then a position update.

    M(q) (v_1 - v_0) = h F(q, v_0, v_1),    q_next = q + h v_1

The positions q of a state are those in the middle of the next step, half a step ahead of its velocities. MuJoCo does
the same, and without friction and drives the steps are identical. F is linear in v_1, each term in one link's twist.

Slowly varying friction and damping use the velocity in the middle of the step, which gives second order where nothing
begins or ends. Contacts, and terms that decay within a step, use the velocity at its end. Inertial terms use v_0 alone.
Friction is found by sweeping until no force is off by more than 3 % of mu N.

A state consists of x, y of the head's front end, its heading, n - 1 joint angles and the rates of all these. The
drives' own state and the accounts of joints and of work follow.
"""

from __future__ import annotations

from serpenoid.kernels.accounts import CONTACT, CONTACT_ACCOUNTS, EXTERNAL, MEDIUM, PER_JOINT
from serpenoid.kernels.compile import inner
from serpenoid.kernels.packed import view_packed
from serpenoid.kernels.pegs.articulated_solve import solve
from serpenoid.kernels.pegs.contacts import (
    LOAD,
    OPENING,
    SLIP,
    SLOPE,
    SPRING,
    add_contacts,
    contact_drag,
    contact_friction,
    contact_speeds,
    find_contacts,
    use_next,
)
from serpenoid.kernels.pegs.floor import ACCURACY, floor_secants, floor_work, start_floor, start_sweep
from serpenoid.kernels.pegs.joints import drive_torques, joint_work_done, read_joints, revise_torques, set_torques
from serpenoid.kernels.pegs.search import find_neighbours
from serpenoid.kernels.trigonometry import sine_cosine

MOST_SWEEPS = 12


@inner
def set_links(scene, work, state):
    """Compute positions and velocities of the links, from the head's front end backwards."""
    links, n = work.links, scene.chain.mass.size
    angle, rate = 0.0, 0.0
    for k in range(n):
        angle += state[2 + k]
        rate += state[n + 4 + k]
        links.push0[k], links.rate[k] = angle, rate
    four = view_packed(links)
    for k in range(four.cosine.size):
        four.sine[k], four.cosine[k] = sine_cosine(four.push0[k])
    x, y, u, v = 0.0, 0.0, state[n + 2], state[n + 3]
    for k in range(n):
        if k > 0:
            u += y * state[n + 4 + k]
            v -= x * state[n + 4 + k]
        links.x[k], links.y[k], links.u[k], links.v[k] = x, y, u, v
        x += scene.chain.length[k] * links.cosine[k]
        y += scene.chain.length[k] * links.sine[k]
    links.x[n], links.y[n] = x, y
    for k in range(four.cosine.size):
        c, s = four.cosine[k], four.sine[k]
        four.arm_along[k] = four.x[k] * s - four.y[k] * c
        four.arm_across[k] = four.x[k] * c + four.y[k] * s


@inner
def set_pushes(scene, work, wrench):
    """Compute centres of mass, and the wrenches of inertia, board tilt and external pushes."""
    links, four = work.links, view_packed(work.links)
    for k in range(four.rate.size):
        bend = four.rate[k] * four.rate[k] * four.length[k]
        four.push1[k], four.push2[k] = bend * four.cosine[k], bend * four.sine[k]
    ax, ay = scene.weight_x, scene.weight_y  # gravity minus the acceleration of a link's front end at constant rates
    for k in range(links.rate.size):
        front_x, front_y = ax, ay
        ax, ay = ax + links.push1[k], ay + links.push2[k]
        links.push1[k], links.push2[k] = front_x, front_y
    for k in range(four.rate.size):
        reach_x, reach_y = four.center[k] * four.cosine[k], four.center[k] * four.sine[k]
        square, x, y = four.rate[k] * four.rate[k], four.x[k] + reach_x, four.y[k] + reach_y
        fx = four.mass[k] * (four.push1[k] + square * reach_x)
        fy = four.mass[k] * (four.push2[k] + square * reach_y)
        four.center_x[k], four.center_y[k] = x, y
        four.push0[k], four.push1[k], four.push2[k] = x * fy - y * fx, fx, fy
    for i in range(wrench.shape[0]):
        k = scene.push_piece[i]
        x, y = push_point(scene, links, i)
        links.push0[k] += x * wrench[i, 1] - y * wrench[i, 0] + wrench[i, 2]
        links.push1[k] += wrench[i, 0]
        links.push2[k] += wrench[i, 1]


@inner
def push_point(scene, links, i):
    """Return the point where a push on the robot's link i acts, from the head's front end [m]."""
    k, place = scene.push_piece[i], scene.push_place[i]
    return links.x[k] + place * links.cosine[k], links.y[k] + place * links.sine[k]


@inner
def accelerate(scene, drive, work, wrench, step, state):
    """Solve for the velocities at the end of the step; return the base's acceleration and the number of sweeps."""
    links, contacts = work.links, work.contacts
    set_links(scene, work, state)
    set_pushes(scene, work, wrench)
    set_torques(scene, drive, work, step, state)
    find_neighbours(scene, work, state[0], state[1])
    find_contacts(scene, work, step, state[0], state[1])
    start_floor(scene, work, step)
    contact_friction(scene, contacts, step, links.rate, links.u, links.v)
    sweeps, off, base = 0, True, (0.0, 0.0, 0.0)
    while off and sweeps < MOST_SWEEPS:
        use_next(scene, contacts, sweeps == 0)
        start_sweep(work, step)
        add_contacts(work, step)
        base = solve(scene.chain.mass.size, work, step)
        off = floor_secants(scene, work, step)
        touching = contact_friction(scene, contacts, step, links.next_rate, links.next_u, links.next_v)
        off = revise_torques(scene, drive, work, step) or off or touching > ACCURACY
        sweeps += 1
    return base, sweeps


@inner
def peg_step(scene, drive, work, wrench, step, state):
    """Advance a state by one step; return the number of sweeps."""
    n, accounts = scene.chain.mass.size, state.size - CONTACT_ACCOUNTS
    half = n + 2
    base, sweeps = accelerate(scene, drive, work, wrench, step, state)
    joint_work_done(scene, drive, work, step, state, accounts)
    state[accounts + MEDIUM] += floor_work(work, step)
    state[accounts + CONTACT] += contact_work_done(work, step)
    if wrench.shape[0] > 0:
        state[accounts + EXTERNAL] += wrench_work(scene, work, wrench, step)
    state[half] += step * base[1]
    state[half + 1] += step * base[2]
    state[half + 2] += step * base[0]
    for j in range(n - 1):
        state[half + 3 + j] += step * work.joints.acceleration[j]
    drift(scene, state, step)
    return sweeps


@inner
def drift(scene, state, time):
    """Advance positions, angles and motors with their velocities for a time [s]."""
    half = scene.chain.mass.size + 2
    motors = (state.size - CONTACT_ACCOUNTS - PER_JOINT * (half - 3) - 2 * half) // 2
    for i in range(half):
        state[i] += time * state[half + i]
    for j in range(2 * half, 2 * half + motors):
        state[j] += time * state[motors + j]


@inner
def contact_work_done(work, step):
    """Return the work of pegs and walls on the links during the step [J]: forces in use times the mean velocity."""
    contacts, links, row, total = work.contacts, work.links, work.contacts.row, 0.0
    for i in range(contacts.count[contacts.count.size - 1]):
        if row[i, LOAD] > 0.0:
            after, slip = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
            push = row[i, SPRING] - row[i, SLOPE] * after
            total += push * (row[i, OPENING] + after) - contact_drag(row, i, slip, push) * (row[i, SLIP] + slip)
    return 0.5 * step * total


@inner
def wrench_work(scene, work, wrench, step):
    """Return the work of external wrenches [J], at the mean velocity of their points of action."""
    links, total = work.links, 0.0
    for i in range(wrench.shape[0]):
        k = scene.push_piece[i]
        x, y = push_point(scene, links, i)
        rate = 0.5 * (links.rate[k] + links.next_rate[k])
        vx, vy = 0.5 * (links.u[k] + links.next_u[k]) - rate * y, 0.5 * (links.v[k] + links.next_v[k]) + rate * x
        total += wrench[i, 0] * vx + wrench[i, 1] * vy + wrench[i, 2] * rate
    return step * total


@inner
def feel_torques(scene, drive, work, step, state, past, out):
    """Write drive torques (joints,) [N m] at the time of a state's velocities.

    That time is half a step before the time of its positions. past: a scratch state.
    """
    for i in range(state.size):
        past[i] = state[i]
    drift(scene, past, -0.5 * step)
    read_joints(scene, work, past)
    drive_torques(scene, drive, work, step, past)
    for j in range(out.size):
        out[j] = work.joints.torque[j]

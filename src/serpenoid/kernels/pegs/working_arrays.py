"""Allocation of the arrays of a step among pegs, and their constants."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from serpenoid.kernels.compile import glue, inner
from serpenoid.kernels.contact.servos import TAPER
from serpenoid.kernels.pegs.floor import ACCURACY
from serpenoid.kernels.pegs.records import ContactWork, FloorWork, JointWork, LinkWork, PegWork, SweepWork
from serpenoid.kernels.simd import WIDTH
from serpenoid.kernels.stack import stack_array

COLUMNS = 20  # numbers of a contact
UNLIMITED = 1e30  # angle or rate of a joint without a limit: vector code computes with it, unlike with infinity


@register_jitable
def pad_count(count):
    """Return the smallest multiple of a vector's width not below `count`."""
    return -(-count // WIDTH) * WIDTH


@glue
def link_work(n):
    """Allocate link arrays on the stack of the kernel that inlines this function."""
    m = pad_count(n)
    return LinkWork(
        mass=stack_array(m),
        inertia=stack_array(m),
        length=stack_array(m),
        center=stack_array(m),
        cosine=stack_array(m),
        sine=stack_array(m),
        x=stack_array(pad_count(n + 1)),
        y=stack_array(pad_count(n + 1)),
        arm_along=stack_array(m),
        arm_across=stack_array(m),
        rate=stack_array(m),
        u=stack_array(m),
        v=stack_array(m),
        center_x=stack_array(m),
        center_y=stack_array(m),
        push0=stack_array(m),
        push1=stack_array(m),
        push2=stack_array(m),
        next_rate=stack_array(m),
        next_u=stack_array(m),
        next_v=stack_array(m),
    )


@glue
def sweep_work(m):
    """Allocate sweep arrays on the stack of the kernel that inlines this function."""
    return SweepWork(
        a00=stack_array(m),
        a01=stack_array(m),
        a02=stack_array(m),
        a10=stack_array(m),
        a11=stack_array(m),
        a12=stack_array(m),
        a20=stack_array(m),
        a21=stack_array(m),
        a22=stack_array(m),
        b0=stack_array(m),
        b1=stack_array(m),
        b2=stack_array(m),
        g0=stack_array(m),
        g1=stack_array(m),
        g2=stack_array(m),
        free=stack_array(m),
    )


@glue
def floor_work_arrays(m):
    """Allocate floor arrays on the stack of the kernel that inlines this function."""
    return FloorWork(
        place=stack_array(m),
        most_along=stack_array(m),
        most_across=stack_array(m),
        tolerance=stack_array(m),
        start_along=stack_array(m),
        start_across=stack_array(m),
        start_size=stack_array(m),
        along=stack_array(m),
        across=stack_array(m),
        share=stack_array(m),
        ease=stack_array(m),
        shed=stack_array(m),
        end_along=stack_array(m),
        end_across=stack_array(m),
        drag_along=stack_array(m),
        drag_across=stack_array(m),
    )


@inner
def fill(scene, links, floor, joints):
    """Write the constants of a chain on its floor; all other entries, and padding links and joints, are 0."""
    for array in links:
        array[:] = 0.0
    for array in floor:
        array[:] = 0.0
    for array in joints:
        array[:] = 0.0
    n = scene.chain.mass.size
    for k in range(n):
        links.mass[k], links.inertia[k] = scene.chain.mass[k], scene.chain.inertia[k]
        links.length[k], links.center[k] = scene.chain.length[k], scene.chain.center[k]
    for i in range(scene.floor.place.size):
        at = i // n * links.mass.size + i % n
        floor.place[at] = scene.floor.place[i]
        along, across = scene.floor.along[i], scene.floor.across[i]
        floor.most_along[at], floor.most_across[at] = along, across
        floor.tolerance[at] = ACCURACY * ACCURACY * (along * along + across * across)
    fill_joints(scene, joints)


@inner
def fill_joints(scene, joints):
    """Write the constants of the joints."""
    stops = scene.stops
    for j in range(stops.speed.size):
        joints.lower[j], joints.upper[j] = max(stops.lower[j], -UNLIMITED), min(stops.upper[j], UNLIMITED)
        joints.top[j] = min(stops.speed[j], UNLIMITED)
        joints.fade[j] = 1.0 / (TAPER * joints.top[j])
        joints.viscous[j], joints.dry[j] = scene.chain.joint_damping[j], stops.friction[j]
        joints.friction[j] = joints.viscous[j]
        joints.armature[j] = stops.armature[j]


@glue
def joint_work(joints):
    """Allocate joint arrays on the stack of the kernel that inlines this function."""
    n = pad_count(max(joints, 1))
    return JointWork(
        lower=stack_array(n),
        upper=stack_array(n),
        top=stack_array(n),
        fade=stack_array(n),
        viscous=stack_array(n),
        dry=stack_array(n),
        armature=stack_array(n),
        angle=stack_array(n),
        rate=stack_array(n),
        friction=stack_array(n),
        limit=stack_array(n),
        steep=stack_array(n),
        target=stack_array(n),
        target_rate=stack_array(n),
        feedforward=stack_array(n),
        stiffness=stack_array(n),
        damping=stack_array(n),
        torque=stack_array(n),
        used=stack_array(n),
        give=stack_array(n),
        slope=stack_array(n),
        stop=stack_array(n),
        stop_slope=stack_array(n),
        total=stack_array(n),
        resistance=stack_array(n),
        acceleration=stack_array(n),
        mean=stack_array(n),
        done=stack_array(n),
    )


@glue
def contact_work(scene):
    """Allocate empty, outdated neighbour lists."""
    n, most = scene.chain.mass.size, scene.obstacles.most
    seen = np.full(n + 1, np.inf)
    return ContactWork(
        np.empty(n * most, np.int64), np.zeros(n + 1, np.int64), seen, seen.copy(),
        np.empty(n * most, np.int64), np.empty((n * most, COLUMNS)),
    )  # fmt: skip


@glue
def peg_work(scene):
    """Allocate all arrays for one chain on one board."""
    n = scene.chain.mass.size
    links, floor = link_work(n), floor_work_arrays(scene.floor.place.size // n * pad_count(n))
    joints = joint_work(n - 1)
    fill(scene, links, floor, joints)
    return PegWork(links, sweep_work(pad_count(n)), floor, joints, contact_work(scene))

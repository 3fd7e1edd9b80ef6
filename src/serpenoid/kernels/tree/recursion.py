"""Recursive dynamics of a floating or fixed tree with known joint motion: base acceleration and joint torques.

A twist is (linear, angular) in the base's axes, a wrench (force, moment about the body's origin) in the body's axes.
`wrenches` has one row per body, or no rows if nothing acts.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    cross,
    dot,
    put,
    rotate,
    row,
    scale,
    steiner,
    subtract,
    symmetric_inverse,
    symmetric_product,
)
from serpenoid.kernels.records import ARMATURE, DAMPING
from serpenoid.kernels.tree.frames import (
    ANGULAR,
    ARM,
    AXIS,
    CENTER,
    FORCE,
    LINEAR,
    MASS,
    MOMENT,
    SPIN,
    absorb_inertia,
    get_inertia,
    get_rotation,
    place_base,
    place_body,
    weigh_body,
    workspace,
)


@inner
def base_acceleration(tree, angles, rates, accelerations, twist, wrenches, work):
    """Return the rate of the base's twist under prescribed joints, (12) and (13) of NATRIX: -(M*_0)^-1 beta*_0.

    angles, rates, accelerations (joints,) [rad, rad/s, rad/s^2]; twist (6,) [m/s, rad/s]. Returns two vectors, the rate
    of the linear [m/s^2] and of the angular part [rad/s^2]; zero for a fixed base.
    """
    outward(tree, angles, rates, accelerations, twist, wrenches, work)
    inward(tree, work)
    if tree.fixed_base:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    linear, angular = solve_base(work)
    velocity, omega = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    return subtract(linear, cross(omega, velocity)), angular


@inner
def outward(tree, angles, rates, accelerations, twist, wrenches, work):
    """Run the forward loop: poses, angular velocities, zeta + A ddq, inertias and beta of every body.

    Accelerations are those of the bodies' origins, so zeta = (w x (w x r), w x u dq) with w of the parent. beta = (w x
    (w x h), w x I w) - F_ext is (8) without the velocity of the origin.
    """
    place_base(IDENTITY, (0.0, 0.0, 0.0), work)
    put(work, 0, ANGULAR, (twist[3], twist[4], twist[5]))
    load_body(tree, 0, wrenches, work)
    for body in range(1, tree.parent.size):
        place_body(tree, body, angles[body - 1], work)
        omega, axis, arm = row(work, tree.parent[body], ANGULAR), row(work, body, AXIS), row(work, body, ARM)
        turning = scale(rates[body - 1], axis)
        put(work, body, ANGULAR, add(omega, turning))
        put(work, body, LINEAR, cross(omega, cross(omega, arm)))
        put(work, body, SPIN, add(cross(omega, turning), scale(accelerations[body - 1], axis)))
        load_body(tree, body, wrenches, work)


@inner
def load_body(tree, body, wrenches, work):
    """Compute inertia and beta of one placed body."""
    moment, inertia = weigh_body(tree, body, work)
    omega = row(work, body, ANGULAR)
    force, torque = cross(omega, cross(omega, moment)), cross(omega, symmetric_product(inertia, omega))
    if wrenches.shape[0] > 0:
        R = get_rotation(work, body)
        force = subtract(force, rotate(R, row(wrenches, body, 0)))
        torque = subtract(torque, rotate(R, row(wrenches, body, 3)))
    put(work, body, FORCE, force)
    put(work, body, MOMENT, torque)


@inner
def inward(tree, work):
    """Run the backward loop (12): composite inertia M* and force beta* of every body, children into parents."""
    for body in range(tree.parent.size - 1, 0, -1):
        parent = tree.parent[body]
        force, torque = wrench_of(work, body, row(work, body, LINEAR), row(work, body, SPIN))
        absorb_inertia(work, parent, body)
        put(work, parent, FORCE, add(row(work, parent, FORCE), force))
        torque = add(torque, cross(row(work, body, ARM), force))
        put(work, parent, MOMENT, add(row(work, parent, MOMENT), torque))


@inner
def wrench_of(work, body, linear, angular):
    """Return M* a + beta* of one body, (11), for an acceleration of its origin and an angular acceleration."""
    h = row(work, body, CENTER)
    force = add(scale(work[body, MASS], linear), cross(angular, h))
    torque = add(symmetric_product(get_inertia(work, body), angular), cross(h, linear))
    return add(force, row(work, body, FORCE)), add(torque, row(work, body, MOMENT))


@inner
def solve_base(work):
    """Return the base origin's acceleration and angular acceleration, (13), through the centre of mass of the whole."""
    mass = work[0, MASS]
    center = scale(1.0 / mass, row(work, 0, CENTER))
    whole, shift = get_inertia(work, 0), steiner(mass, center)
    inertia = (
        whole[0] - shift[0], whole[1] - shift[1], whole[2] - shift[2],
        whole[3] - shift[3], whole[4] - shift[4], whole[5] - shift[5],
    )  # fmt: skip
    force = row(work, 0, FORCE)
    torque = subtract(cross(center, force), row(work, 0, MOMENT))
    angular = symmetric_product(symmetric_inverse(inertia), torque)
    return subtract(scale(-1.0 / mass, force), cross(angular, center)), angular


@inner
def joint_torques(tree, rates, accelerations, linear, angular, work, torques):
    """Run the third loop: drive torque at every hinge [N m], after base_acceleration() has filled the workspace.

    linear, angular: acceleration of the base's origin (not the rate of the twist) and angular acceleration. The drive
    also accelerates the hinge's armature and overcomes its friction: + armature ddq + damping dq.
    """
    put(work, 0, LINEAR, linear)
    put(work, 0, SPIN, angular)
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        turning = row(work, parent, SPIN)
        shift = add(row(work, parent, LINEAR), cross(turning, row(work, body, ARM)))
        put(work, body, LINEAR, add(shift, row(work, body, LINEAR)))
        put(work, body, SPIN, add(turning, row(work, body, SPIN)))
        torque = wrench_of(work, body, row(work, body, LINEAR), row(work, body, SPIN))[1]
        own = (
            tree.hinges[body - 1, ARMATURE] * accelerations[body - 1] + tree.hinges[body - 1, DAMPING] * rates[body - 1]
        )
        torques[body - 1] = dot(row(work, body, AXIS), torque) + own


@kernel
def inverse_dynamics(tree, angles, rates, accelerations, twist, wrenches, base, torques):
    """Run all three loops.

    `base` (6,) receives the rate of the base's twist, torques (joints,) the hinge torques [N m].
    """
    work = workspace(tree)
    linear, angular = base_acceleration(tree, angles, rates, accelerations, twist, wrenches, work)
    for k in range(3):
        base[k], base[3 + k] = linear[k], angular[k]
    if not tree.fixed_base:
        omega = (twist[3], twist[4], twist[5])
        linear = add(linear, cross(omega, (twist[0], twist[1], twist[2])))
    joint_torques(tree, rates, accelerations, linear, angular, work, torques)

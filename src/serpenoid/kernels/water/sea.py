"""Forces of a regular wave, and of added mass that follows immersion, on a tree.

The wave of small steepness (Airy) has the amplitude A and the phase f = k s - w t + f0, where s is along its travel.
The depth d counts from its surface (Wheeler's stretching). Elevation and velocity of the water are

    A cos f,    A w C(d) cos f along s,    A w S(d) sin f upwards,    C, S = cosh, sinh k (h - d) / sinh k h

and acceleration is their partial derivative in time: products of velocities are of second order in the steepness.

A prism is clipped by the plane through the wave at its two Gauss points, sloping along s. Its mean elevation is then
exact up to the fourth power of its length over the wavelength. The pressure of the undisturbed wave (Froude-Krylov)
acts on the immersed volume V with the gradient rho (g + acceleration). Drag is that of the velocity relative to the
water.

A strip of added mass a moves with v in water of velocity u; w = v - u. Its momentum relative to the water is a P w. The
water reacts with -d/dt(a P w) and the moment -(w x a P w). The state contains a P v, as in still water, so the wave
adds

    force a (P u' + P' u) + a' P u,    moment a (v x P v - w x P w)

If a follows immersion, a = a0 V / V0, the kinetic energy T = a |P w|^2 / 2 depends on the pose as well. By Lagrange's
equations its gradient acts on the body. Without waves energy is conserved.
"""

from __future__ import annotations

from math import exp, sqrt

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, compose, cross, dot, put, rotate, rotate_back, rotation_of, row, scale, subtract
from serpenoid.kernels.tree.frames import POSITION, get_rotation
from serpenoid.kernels.tree.scene import body_rotation
from serpenoid.kernels.trigonometry import sine_cosine
from serpenoid.kernels.water.hydrostatics import DEPTH, INTEGRALS, VOLUME, immersed_prisms
from serpenoid.kernels.water.wrenches import (
    HALF_SPAN,
    body_weights,
    first_moment,
    immerse_planes,
    potential_of_weight,
    prism_drag,
    set_plane,
)

SHIFT = 1e-6  # of the surface, for the section of a prism at the surface by central differences [m]
MOMENT = 1e-6  # for the rate of a prism's plane by central differences [s]
LEAST_VOLUME = 1e-9  # below this a prism's mean depth counts as zero [m^3]


@inner
def set_sea_time(sea, time):
    """Set the present time [s]."""
    sea.clock[0] = time


@inner
def span_of(sea, p):
    """Return the middle of a prism and the distance of its Gauss points from it, on its body's x axis [m]."""
    start, end = sea.prisms.start[p], sea.prisms.end[p]
    return 0.5 * (start + end), HALF_SPAN * (end - start)


@inner
def along(wave, v):
    """Return the component of a vector in the direction of travel."""
    return wave.cosine * v[0] + wave.sine * v[1]


@inner
def phase_at(wave, time, s):
    """Return the phase of the wave [rad]."""
    return wave.number * s - wave.rate * time + wave.phase


@inner
def set_wave_plane(sea, p, R, position):
    """Set the plane of one prism for its body's world pose."""
    normal, height = wave_plane(sea, p, sea.clock[0], R, position)
    set_plane(sea, p, normal, height)


@inner
def wave_plane(sea, p, time, R, position):
    """Return the plane through the wave at a prism's two Gauss points: normal in body axes, height of its origin."""
    wave, (middle, reach) = sea.wave, span_of(sea, p)
    ahead = along(wave, (R[0], R[3], R[6]))
    sine, cosine = sine_cosine(phase_at(wave, time, along(wave, position) + middle * ahead))
    half = wave.number * reach * ahead
    sine_half, cosine_half = sine_cosine(half)
    chord = sine_half / half if abs(half) > 1e-4 else 1.0 - half * half / 6.0
    level, slope = wave.amplitude * cosine * cosine_half, -wave.amplitude * wave.number * sine * chord
    shrink = 1.0 / sqrt(1.0 + slope * slope)
    normal = (-shrink * slope * wave.cosine, -shrink * slope * wave.sine, shrink)
    return rotate_back(R, normal), shrink * (position[2] - level + slope * middle * ahead)


@inner
def water_motion(sea, near, s):
    """Return velocity [m/s] and acceleration [m/s^2] of the water in world axes, where exp(-k d) is `near`."""
    wave = sea.wave
    sine, cosine = sine_cosine(phase_at(wave, sea.clock[0], s))
    far, size = wave.bottom / near, wave.amplitude * wave.rate / (1.0 - wave.bottom)
    forth, up = size * (near + far), size * (near - far)
    v, a = forth * cosine, wave.rate * forth * sine
    velocity = (v * wave.cosine, v * wave.sine, up * sine)
    return velocity, (a * wave.cosine, a * wave.sine, -wave.rate * up * cosine)


@inner
def as_rigid(R, first, last, middle, reach):
    """Return (linear, angular) in body axes of the rigid motion with these world vectors at a prism's Gauss points.

    The part along the axis is the mean.
    """
    mean = rotate_back(R, scale(0.5, add(first, last)))
    change = rotate_back(R, scale(0.5 / reach, subtract(last, first)))
    linear = (mean[0], mean[1] - middle * change[1], mean[2] - middle * change[2])
    return linear, (0.0, -change[2], change[1])


@inner
def stream_at(sea, p, R, position):
    """Return velocity and acceleration of the water at an immersed prism, each (linear, angular) in body axes."""
    middle, reach = span_of(sea, p)
    volume, whole = sea.integrals[INTEGRALS * p + VOLUME], sea.integrals[INTEGRALS * p + DEPTH]
    depth = min(max(whole / max(volume, LEAST_VOLUME), 0.0), sea.wave.depth)
    near = exp(-sea.wave.number * depth)
    origin, ahead = along(sea.wave, position), along(sea.wave, (R[0], R[3], R[6]))
    v, a = water_motion(sea, near, origin + (middle - reach) * ahead)
    w, b = water_motion(sea, near, origin + (middle + reach) * ahead)
    return as_rigid(R, v, w, middle, reach), as_rigid(R, a, b, middle, reach)


@inner
def follow_immersion(sea):
    """Set the added mass of every prism from its immersed fraction."""
    for p in range(sea.prisms.body.size):
        fraction = sea.integrals[INTEGRALS * p + VOLUME] / whole_volume(sea, p)
        sea.flow.added_mass[p] = fraction * sea.whole_mass[p]
        sea.flow.added_roll[p] = fraction * sea.whole_roll[p]


@inner
def whole_volume(sea, p):
    """Return the volume of a prism [m^3]."""
    return sea.sections.total[sea.prisms.section[p], 0] * (sea.prisms.end[p] - sea.prisms.start[p])


@inner
def follow_sea(sea, tree, work, R, position):
    """Set added mass for the pose (R, position) of the base of a placed tree; return whether it depends on the pose."""
    if not (sea.follows and sea.flow.adds):
        return False
    for p in range(sea.prisms.body.size):
        body = sea.prisms.body[p]
        place = add(position, rotate(R, row(work, body, POSITION)))
        set_wave_plane(sea, p, compose(R, get_rotation(work, body)), place)
    immerse_planes(sea)
    follow_immersion(sea)
    return True


@inner
def cut_waterplanes(sea):
    """Compute the sections of all prisms at the surface: the change of their immersed parts as the surface rises."""
    count = sea.prisms.body.size
    for side in (-1.0, 1.0):
        for p in range(count):
            sea.planes[4 * p + 3] += side * SHIFT
        immersed_prisms(sea.sections, sea.prisms, sea.planes, sea.cut, sea.block, sea.shifted)
        for p in range(count):
            sea.planes[4 * p + 3] -= side * SHIFT
            for k in range(4):  # volume and first moments
                before = 0.0 if side < 0.0 else sea.waterplanes[p, k]
                sea.waterplanes[p, k] = before - side * sea.shifted[INTEGRALS * p + VOLUME + k] / (2.0 * SHIFT)


@inner
def surface_wrench(sea, p):
    """Return A n and M x n for the section of area A and first moment M at the surface, body axes."""
    normal = (sea.planes[4 * p], sea.planes[4 * p + 1], sea.planes[4 * p + 2])
    return scale(sea.waterplanes[p, 0], normal), cross(row(sea.waterplanes, p, 1), normal)


@inner
def sea_wrenches(sea, tree, rotations, positions, twists, out):
    """Compute weight, buoyancy, drag and the wave's load on every body, as water_wrenches()."""
    body_weights(sea, tree, rotations, out)
    for p in range(sea.prisms.body.size):
        body = sea.prisms.body[p]
        set_wave_plane(sea, p, body_rotation(rotations, body), row(positions, body, 0))
    immerse_planes(sea)
    if sea.follows and sea.flow.adds:
        follow_immersion(sea)
        cut_waterplanes(sea)
    for p in range(sea.prisms.body.size):
        body = sea.prisms.body[p]
        R = body_rotation(rotations, body)
        stream, change = stream_at(sea, p, R, row(positions, body, 0))
        put(sea.streams, p, 0, stream[0])
        put(sea.streams, p, 3, stream[1])
        linear = subtract(row(twists, body, 0), stream[0])
        angular = subtract(row(twists, body, 3), stream[1])
        force, moment = pressure_wrench(sea, p, (R[6], R[7], R[8]), change)
        if sea.flow.moves:
            drag, turning = prism_drag(sea, p, linear, angular)
            force, moment = add(force, drag), add(moment, turning)
        if sea.flow.adds:
            motion = (row(twists, body, 0), row(twists, body, 3))
            if sea.follows:
                sea.growth[p] = growth_of(sea, p, R, row(positions, body, 0), motion)
            load, turning = wave_load(sea, p, motion, stream, change)
            force, moment = add(force, load), add(moment, turning)
        put(out, body, 0, add(row(out, body, 0), force))
        put(out, body, 3, add(row(out, body, 3), moment))


@inner
def growth_of(sea, p, R, position, motion):
    """Return the rate of a prism's immersed fraction [1/s]: that of its plane (n, d) is -(A d' + M . n') / V0."""
    w, moved = scale(MOMENT, motion[1]), rotate(R, scale(MOMENT, motion[0]))
    later = compose(R, (1.0, -w[2], w[1], w[2], 1.0, -w[0], -w[1], w[0], 1.0))
    before = compose(R, (1.0, w[2], -w[1], -w[2], 1.0, w[0], w[1], -w[0], 1.0))
    normal, height = wave_plane(sea, p, sea.clock[0] + MOMENT, later, add(position, moved))
    old_normal, old_height = wave_plane(sea, p, sea.clock[0] - MOMENT, before, subtract(position, moved))
    sunk = sea.waterplanes[p, 0] * (height - old_height)
    sunk += dot(row(sea.waterplanes, p, 1), subtract(normal, old_normal))
    return -sunk / (2.0 * MOMENT * whole_volume(sea, p))


@inner
def pressure_wrench(sea, p, up, change):
    """Return the wrench of the undisturbed pressure on an immersed prism, for an acceleration `change` of the water."""
    middle, reach = span_of(sea, p)
    volume, moment = sea.integrals[INTEGRALS * p + VOLUME], first_moment(sea, p)
    here = add(change[0], cross(change[1], (middle, 0.0, 0.0)))
    gradient = add(scale(sea.gravity, up), here)
    bend = cross((1.0, 0.0, 0.0), (0.0, change[1][2], -change[1][1]))
    turning = add(cross(moment, gradient), scale(volume * reach * reach, bend))
    return scale(sea.density * volume, gradient), scale(sea.density, turning)


@inner
def strip_at(sea, p, side):
    """Return position on the body's x axis [m] and added mass [kg] of one of a prism's two strips."""
    middle, reach = span_of(sea, p)
    length = sea.prisms.end[p] - sea.prisms.start[p]
    return middle + side * reach, 0.5 * length * sea.flow.added_mass[p]


@inner
def across(v):
    """Return P v for the body's x axis."""
    return (0.0, v[1], v[2])


@inner
def velocity_at(motion, x):
    """Return the velocity of a rigid motion (linear, angular) at x on the body's x axis."""
    return add(motion[0], cross(motion[1], (x, 0.0, 0.0)))


@inner
def wave_load(sea, p, motion, stream, change):
    """Return the wrench of the moving water on a prism's added mass, for the twist `motion` of its body."""
    force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    axis_rate = (0.0, motion[1][2], -motion[1][1])
    for side in (-1.0, 1.0):
        x, mass = strip_at(sea, p, side)
        v, u, du = velocity_at(motion, x), velocity_at(stream, x), across(velocity_at(change, x))
        w = subtract(v, u)
        turned = add(scale(u[0], axis_rate), (dot(axis_rate, u), 0.0, 0.0))  # - P' u
        load = scale(mass, subtract(du, turned))
        if sea.follows:
            load = add(load, scale(mass_growth(sea, p, side), across(u)))
        munk = scale(mass, subtract(cross(v, across(v)), cross(w, across(w))))
        force = add(force, load)
        moment = add(moment, add(cross((x, 0.0, 0.0), load), munk))
    return force, moment


@inner
def mass_growth(sea, p, side):
    """Return the rate of the added mass of one of a prism's two strips [kg/s]."""
    return 0.5 * (sea.prisms.end[p] - sea.prisms.start[p]) * sea.growth[p] * sea.whole_mass[p]


@inner
def pull_in(sea, tree, scene):
    """Add the gradient of the added mass's kinetic energy to a scene's wrenches, after sea_wrenches()."""
    if not (sea.follows and sea.flow.adds):
        return
    for p in range(sea.prisms.body.size):
        body, length = sea.prisms.body[p], sea.prisms.end[p] - sea.prisms.start[p]
        linear = subtract(row(scene.twists, body, 0), row(sea.streams, p, 0))
        angular = subtract(row(scene.twists, body, 3), row(sea.streams, p, 3))
        energy = 0.5 * sea.whole_roll[p] * length * angular[0] * angular[0]
        for side in (-1.0, 1.0):
            x, _ = strip_at(sea, p, side)
            w = across(velocity_at((linear, angular), x))
            energy += 0.25 * length * sea.whole_mass[p] * dot(w, w)
        rise, tilt = surface_wrench(sea, p)
        share = -energy / whole_volume(sea, p)
        put(scene.wrenches, body, 0, add(row(scene.wrenches, body, 0), scale(share, rise)))
        put(scene.wrenches, body, 3, add(row(scene.wrenches, body, 3), scale(share, tilt)))


@inner
def take_growth(sea, tree, scene):
    """Subtract the momentum that growing added mass takes up, a' P v, from a scene's wrenches."""
    if not (sea.follows and sea.flow.adds):
        return
    for p in range(sea.prisms.body.size):
        body, length = sea.prisms.body[p], sea.prisms.end[p] - sea.prisms.start[p]
        motion = (row(scene.twists, body, 0), row(scene.twists, body, 3))
        force = (0.0, 0.0, 0.0)
        moment = (-sea.growth[p] * sea.whole_roll[p] * length * motion[1][0], 0.0, 0.0)
        for side in (-1.0, 1.0):
            x, _ = strip_at(sea, p, side)
            push = scale(-mass_growth(sea, p, side), across(velocity_at(motion, x)))
            force = add(force, push)
            moment = add(moment, cross((x, 0.0, 0.0), push))
        put(scene.wrenches, body, 0, add(row(scene.wrenches, body, 0), force))
        put(scene.wrenches, body, 3, add(row(scene.wrenches, body, 3), moment))


@inner
def sea_potential(sea, tree, rotations, positions):
    """Return the potential energy of weight, and of buoyancy below the wave's surface [J]."""
    energy = potential_of_weight(sea, tree, rotations, positions)
    for p in range(sea.prisms.body.size):
        body = sea.prisms.body[p]
        set_wave_plane(sea, p, body_rotation(rotations, body), row(positions, body, 0))
    immerse_planes(sea)
    for p in range(sea.prisms.body.size):
        energy += sea.density * sea.gravity * sea.integrals[INTEGRALS * p + DEPTH]
    return energy


@kernel
def sea_volumes(sea, times, links, out):
    """Compute the immersed volume of every body, out (samples, bodies) [m^3], for world poses (samples, bodies, 7)."""
    out[:] = 0.0
    for i in range(links.shape[0]):
        set_sea_time(sea, times[i])
        for p in range(sea.prisms.body.size):
            pose = links[i, sea.prisms.body[p]]
            R = rotation_of((pose[3], pose[4], pose[5], pose[6]))
            set_wave_plane(sea, p, R, (pose[0], pose[1], pose[2]))
        immerse_planes(sea)
        for p in range(sea.prisms.body.size):
            out[i, sea.prisms.body[p]] += sea.integrals[INTEGRALS * p + VOLUME]

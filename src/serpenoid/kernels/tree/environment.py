"""Wrenches of the world on the bodies of a tree, selected by the class of the world's record at compile time.

Register a world by one line in each of the tables below. Each maps the class of its record (a NamedTuple of records.py)
to an @inlined function. Compiled callers are cached under the stamp of this file and its imports, so a world's module
must be imported here. Buoyancy, the water of batches, needs only the net wrench. The functions have the signatures

    wrenches(world, tree, rotations, positions, twists, out)
        out (bodies, 6): force and moment about the body's origin, body axes [N, N m], overwritten.
    potential(world, tree, rotations, positions) -> energy [J]
    net(world, tree, work, mass, center, base, scene) -> force, moment about the centre of mass, in world axes [N, N m]
        A faster alternative to summing the wrenches, if there is one. work is placed and moved in base axes with the
        base at rest; mass is the tree's, center its centre of mass in base axes; base = (rotation, position in the
        world, linear and angular velocity in base axes); scene is a Scene for scratch.
    added_inertia(world, tree, work, extra) -> whether there is any
        Adds to extra (6, 7), in base axes about the base's origin, the (6, 6) added inertia of the frozen shape and,
        as last column, the added momentum of the joints' motion with the base at rest; work is placed and moved.
    added_energy(world, twists) -> kinetic energy of the added mass [J]
    added_stiffness(world, twists, work, articulated)
        Adds the added inertia of each body, and its velocity-dependent reaction, to the articulated bodies of
        forward.py after set_out() has filled work and articulated.
    added_mass_reaction(world, tree, joints, twist, wrenches, work, space)
        Adds to the wrenches the reaction of added inertia to the resulting accelerations; joints = (angles, rates,
        accelerations), twist (6,) of the base in its own axes, space a ReactionSpace for scratch.

More tables are for worlds that depend on time, or whose added inertia depends on the pose. Others need no row:

    set_time(world, time)
    follow_pose(world, tree, work, R, position) -> whether added inertia depends on the pose
        Sets the added inertia for a pose of the base; work is placed in base axes.
    added_gradient(world, tree, scene), added_growth(world, tree, scene)
        Add to the scene's wrenches the gradient of the added mass's energy over the pose, and the momentum that
        growing added mass takes up. Momentum changes by the first alone. Both have no power besides added_energy().

Rotations (bodies, 3, 3) and positions (bodies, 3) are those of the body frames in the world. Twists (bodies, 6), linear
and angular, are in body axes. None of the functions may allocate.
"""

from __future__ import annotations

from numba.extending import overload

from serpenoid.kernels.compile import CHOSEN, inner
from serpenoid.kernels.lie import add, cross, dot, put, rotate, rotate_back, row, scale
from serpenoid.kernels.records import Buoyancy, Sea, Vacuum, Water
from serpenoid.kernels.tree.scene import body_rotation, set_scene, sum_of_wrenches
from serpenoid.kernels.water.added_mass import stiffen_strips, water_added_energy, water_added_inertia
from serpenoid.kernels.water.recursion import water_reaction
from serpenoid.kernels.water.sea import follow_sea, pull_in, sea_potential, sea_wrenches, set_sea_time, take_growth
from serpenoid.kernels.water.wrenches import net_buoyancy, net_water, water_potential, water_wrenches


@inner
def weights(world, tree, rotations, positions, twists, out):
    """Write the weight of every body, acting at its centre of mass."""
    for body in range(tree.parent.size):
        force = scale(tree.mass[body], rotate_back(body_rotation(rotations, body), world.gravity))
        put(out, body, 0, force)
        put(out, body, 3, cross(row(tree.center, body, 0), force))


@inner
def height_energy(world, tree, rotations, positions):
    """Return - sum m g . x_c [J]."""
    energy = 0.0
    for body in range(tree.parent.size):
        center = rotate(body_rotation(rotations, body), row(tree.center, body, 0))
        energy -= tree.mass[body] * dot(world.gravity, add(row(positions, body, 0), center))
    return energy


@inner
def net_weight(world, tree, work, mass, center, base, scene):
    """Return the total weight; its moment about the centre of mass is zero."""
    return scale(mass, world.gravity), (0.0, 0.0, 0.0)


@inner
def net_of_bodies(world, tree, work, mass, center, base, scene):
    """Sum the wrenches on the bodies, for worlds without a faster alternative."""
    R, position, linear, omega = base
    set_scene(tree, work, R, position, linear, omega, scene)
    external_wrenches(world, tree, scene.rotations, scene.positions, scene.twists, scene.wrenches)
    added_gradient(world, tree, scene)
    return sum_of_wrenches(tree, scene, add(position, rotate(R, center)))


@inner
def nothing_added(world, tree, work, extra):
    """Return False, for worlds without added inertia."""
    return False


@inner
def no_added_energy(world, twists):
    """Return 0, for worlds without added mass."""
    return 0.0


@inner
def no_added_stiffness(world, twists, work, articulated):
    """Leave the articulated bodies unchanged."""


@inner
def no_reaction(world, tree, joints, twist, wrenches, work, space):
    """Leave the wrenches unchanged."""


@inner
def no_time(world, time):
    """Ignore the time, for worlds without a clock."""


@inner
def no_change(world, tree, scene):
    """Leave the scene unchanged."""


WRENCHES = {Vacuum: weights, Water: water_wrenches, Sea: sea_wrenches}
POTENTIALS = {Vacuum: height_energy, Water: water_potential, Sea: sea_potential}
ADDED_INERTIAS = {
    Vacuum: nothing_added, Buoyancy: nothing_added, Water: water_added_inertia, Sea: water_added_inertia
}  # fmt: skip
ADDED_ENERGIES = {Vacuum: no_added_energy, Water: water_added_energy, Sea: water_added_energy}
ADDED_STIFFNESSES = {Vacuum: no_added_stiffness, Water: stiffen_strips, Sea: stiffen_strips}
NET_WRENCHES = {Vacuum: net_weight, Buoyancy: net_buoyancy, Water: net_water}
ADDED_MASS_REACTIONS = {Vacuum: no_reaction, Water: water_reaction, Sea: water_reaction}
CLOCKS = {Sea: set_sea_time}
FOLLOWERS = {Sea: follow_sea}
GRADIENTS = {Sea: pull_in}
GROWTHS = {Sea: take_growth}


def set_time(world, time):
    """Set the time of a world that depends on it [s]."""
    CLOCKS.get(type(world), no_time)(world, time)


def follow_pose(world, tree, work, R, position):
    """Set the added inertia for a pose of the base; see the module."""
    return FOLLOWERS[type(world)](world, tree, work, R, position)


def added_gradient(world, tree, scene):
    """Add the gradient of the added mass's energy to the wrenches; see the module."""
    GRADIENTS.get(type(world), no_change)(world, tree, scene)


def added_growth(world, tree, scene):
    """Subtract the momentum of growing added mass from the wrenches; see the module."""
    GROWTHS.get(type(world), no_change)(world, tree, scene)


def added_mass_reaction(world, tree, joints, twist, wrenches, work, space):
    """Add the reaction of added inertia to accelerations; see the module."""
    ADDED_MASS_REACTIONS[type(world)](world, tree, joints, twist, wrenches, work, space)


def external_wrenches(world, tree, rotations, positions, twists, out):
    """Write the wrench of the world on every body."""
    WRENCHES[type(world)](world, tree, rotations, positions, twists, out)


def potential_energy(world, tree, rotations, positions):
    """Return the potential energy of the tree in the world [J]."""
    return POTENTIALS[type(world)](world, tree, rotations, positions)


def added_inertia(world, tree, work, extra):
    """Add the inertia of the added mass; see the module."""
    return ADDED_INERTIAS[type(world)](world, tree, work, extra)


def added_energy(world, twists):
    """Return the kinetic energy of the added mass [J]."""
    return ADDED_ENERGIES[type(world)](world, twists)


def added_stiffness(world, twists, work, articulated):
    """Add the added inertia to the articulated bodies; see the module."""
    ADDED_STIFFNESSES[type(world)](world, twists, work, articulated)


def net_wrench(world, tree, work, mass, center, base, scene):
    """Return the force on the whole tree and the moment about its centre of mass, in world axes [N, N m]."""
    return NET_WRENCHES.get(type(world), net_of_bodies)(world, tree, work, mass, center, base, scene)


@overload(external_wrenches, jit_options=CHOSEN)
def choose_wrenches(world, tree, rotations, positions, twists, out):
    law = WRENCHES[world.instance_class]

    def chosen(world, tree, rotations, positions, twists, out):
        law(world, tree, rotations, positions, twists, out)

    return chosen


@overload(potential_energy, jit_options=CHOSEN)
def choose_potential(world, tree, rotations, positions):
    law = POTENTIALS[world.instance_class]

    def chosen(world, tree, rotations, positions):
        return law(world, tree, rotations, positions)

    return chosen


@overload(added_inertia, jit_options=CHOSEN)
def choose_added_inertia(world, tree, work, extra):
    law = ADDED_INERTIAS[world.instance_class]

    def chosen(world, tree, work, extra):
        return law(world, tree, work, extra)

    return chosen


@overload(added_energy, jit_options=CHOSEN)
def choose_added_energy(world, twists):
    law = ADDED_ENERGIES[world.instance_class]

    def chosen(world, twists):
        return law(world, twists)

    return chosen


@overload(added_stiffness, jit_options=CHOSEN)
def choose_added_stiffness(world, twists, work, articulated):
    law = ADDED_STIFFNESSES[world.instance_class]

    def chosen(world, twists, work, articulated):
        law(world, twists, work, articulated)

    return chosen


@overload(net_wrench, jit_options=CHOSEN)
def choose_net_wrench(world, tree, work, mass, center, base, scene):
    law = NET_WRENCHES.get(world.instance_class, net_of_bodies)

    def chosen(world, tree, work, mass, center, base, scene):
        return law(world, tree, work, mass, center, base, scene)

    return chosen


@overload(added_mass_reaction, jit_options=CHOSEN)
def choose_added_mass_reaction(world, tree, joints, twist, wrenches, work, space):
    law = ADDED_MASS_REACTIONS[world.instance_class]

    def chosen(world, tree, joints, twist, wrenches, work, space):
        law(world, tree, joints, twist, wrenches, work, space)

    return chosen


@overload(set_time, jit_options=CHOSEN)
def choose_time(world, time):
    law = CLOCKS.get(world.instance_class, no_time)

    def chosen(world, time):
        law(world, time)

    return chosen


@overload(follow_pose, jit_options=CHOSEN)
def choose_following(world, tree, work, R, position):
    law = FOLLOWERS[world.instance_class]

    def chosen(world, tree, work, R, position):
        return law(world, tree, work, R, position)

    return chosen


@overload(added_gradient, jit_options=CHOSEN)
def choose_gradient(world, tree, scene):
    law = GRADIENTS.get(world.instance_class, no_change)

    def chosen(world, tree, scene):
        law(world, tree, scene)

    return chosen


@overload(added_growth, jit_options=CHOSEN)
def choose_growth(world, tree, scene):
    law = GROWTHS.get(world.instance_class, no_change)

    def chosen(world, tree, scene):
        law(world, tree, scene)

    return chosen

"""Shape-based compliance: torques map to shape forces, parameters yield in their windows, and angles follow.

A tick reads the torques and evaluates the Jacobian at the previous state with fixed window edges. It advances every
parameter over the period by the exact solution of its admittance (3.13). Then it moves edges and windows and writes the
angles of the new shape.
"""

from __future__ import annotations

from math import isfinite, nan

from numba.extending import register_jitable

from serpenoid.kernels.compile import bare_kernel, inner
from serpenoid.kernels.laws.merging import join_and_part, note_loads
from serpenoid.kernels.laws.shape_records import Places
from serpenoid.kernels.laws.turning import turn_by_heading, turning_numbers
from serpenoid.kernels.laws.waves import shape_angle
from serpenoid.kernels.laws.windows import (
    NOBODY,
    SEEN,
    find_acting,
    order_values,
    parameter_value,
    place_windows,
    slot_of,
    sum_over_windows,
    weigh_windows,
)
from serpenoid.kernels.pose.inertial import inertial_readings_are_good, miss_a_tick
from serpenoid.kernels.stack import elements

TICKS, HELD, START = range(3)  # tick count, whether the last tick repeated its command, start of the parts


@register_jitable
def shape_places(law):
    """Return the offsets of the parts of the memory."""
    parameters, groups = law.admittance.nominal.size, law.windows.span.size
    of_parameters, of_sets = parameters * law.windows.slots, groups * law.windows.slots
    state = START + parameters
    first = state + 4 * of_parameters
    edges = first + 2 * groups
    acting_ones = edges + 8 * of_sets
    ordered = acting_ones + 2 * groups
    value = ordered + 2 * of_parameters
    target = value + 4 * parameters
    return Places(
        drift=START,
        state=state,
        rate=state + of_parameters,
        shift=state + 2 * of_parameters,
        force=state + 3 * of_parameters,
        first=first,
        count=first + groups,
        edges=edges,
        label=edges + of_sets,
        been=edges + 2 * of_sets,
        joined=edges + 3 * of_sets,
        load=edges + 4 * of_sets,
        head=edges + 5 * of_sets,
        weight=edges + 6 * of_sets,
        reach=edges + 7 * of_sets,
        acting=acting_ones,
        ordered=ordered,
        pressed=ordered + of_parameters,
        value=value,
        integral=value + parameters,
        by_value=value + 2 * parameters,
        by_integral=value + 3 * parameters,
        target=target,
        turning=target + law.place.size,
    )


@register_jitable
def shape_numbers(law):
    """Return the size of the memory of a shape law, the end of its last part."""
    parameters, groups = law.admittance.nominal.size, law.windows.span.size
    slots = law.windows.slots
    return (
        START + parameters * (5 + 6 * slots) + groups * (4 + 8 * slots) + law.place.size + turning_numbers(law.turning)
    )


@bare_kernel
def shape_start(law, memory):
    """Set the nominal phase, the initial deviations, and windows at the phases of the wave."""
    at = shape_places(law)
    memory[:] = 0.0
    slots = law.windows.slots
    for p in range(law.admittance.nominal.size):
        if law.admittance.window_set[p] == 0:
            memory[at.state + p * slots] = law.admittance.initial[p]
    memory[at.count], memory[at.been] = 1.0, 1.0
    for group in range(1, law.windows.span.size):
        for slot in range(slots):
            memory[at.label + group * slots + slot] = NOBODY
        place_windows(law, elements(memory), at, group)
    order_values(law, elements(memory), at)
    pass_joints(law, memory, at, law.place, False)


@bare_kernel
def shape_tick(law, memory, sensed, target):
    """Advance by one period; a NaN reading repeats the last command."""
    at, numbers = shape_places(law), elements(memory)
    good = readings_are_good(law, sensed)
    memory[HELD] = 0.0 if good else 1.0
    if good:
        if memory[TICKS] > 0.0:
            pass_joints(law, memory, at, sensed.torque, True)
            yield_to_forces(law, numbers, at)
            if law.turning.body.parent.size > 0:
                turn_by_heading(law, memory, at, sensed)
            for p in range(law.admittance.nominal.size):
                memory[at.drift + p] += law.admittance.drift[p]
            for group in range(1, law.windows.span.size):
                place_windows(law, numbers, at, group)
            order_values(law, numbers, at)
            pass_joints(law, memory, at, sensed.torque, False)
        memory[TICKS] += 1.0
    else:
        miss_a_tick(law.turning.body, memory, at.turning)
    for joint in range(target.size):
        target[joint] = memory[at.target + joint]


@inner
def readings_are_good(law, sensed):
    """Return whether all readings used by the law are finite."""
    if law.feels == 1:
        for joint in range(law.place.size):
            if law.moved[joint] == 1 and not isfinite(sensed.torque[joint]):
                return False
    return law.turning.body.parent.size == 0 or inertial_readings_are_good(law.turning.body, sensed)


@inner
def shape_at(law, memory, at, joint):
    """Return the angle of a joint [rad]; write its derivatives by the parameters and their integrals there."""
    for p in range(law.admittance.nominal.size):
        memory[at.by_value + p] = 0.0
        memory[at.by_integral + p] = 0.0
    for group in range(law.windows.span.size):
        weigh_windows(law, memory, at, group, law.place[joint])
    sum_over_windows(law, memory, at)
    return shape_angle(law, joint, memory, at)


@inner
def felt_torque(law, torque):
    """Return the environment's torque on a joint [N m]: minus the drive's, less the dead band, within its limit."""
    size = min(max(abs(torque) - law.dead_band, 0.0), law.torque_limit)
    return -size if torque > 0.0 else size


@bare_kernel
def pass_joints(law, memory, at, torques, feeling):
    """Compute forces of all windows if `feeling`, else angles of all joints, in one pass along the body.

    The forces are F = J^T tau_ext of every window, (3.14) with fixed edges. Angles are clipped to the limit. They are
    zero for joints fixed at zero and NaN for joints that are not commanded.
    """
    numbers = elements(memory)
    if feeling:
        for i in range(law.admittance.nominal.size * law.windows.slots):
            numbers[at.pressed + i] = 0.0
        for i in range(law.windows.span.size * law.windows.slots):
            numbers[at.load + i] = 0.0
        if law.feels == 0:
            return
    for joint in range(law.place.size):
        if law.moved[joint] != 1:
            numbers[at.target + joint] = nan if law.moved[joint] < 0 else 0.0
            continue
        torque = felt_torque(law, torques[joint]) if feeling else 0.0
        if feeling and torque == 0.0:
            continue
        angle = shape_at(law, numbers, at, joint)
        if feeling:
            add_forces(law, numbers, at, torque)
            note_loads(law, numbers, at, torque)
        else:
            numbers[at.target + joint] = min(max(angle, -law.angle_limit), law.angle_limit)


@inner
def add_forces(law, memory, at, torque):
    """Add the contribution of one joint: tau (dtheta/dvalue weight + dtheta/dintegral integral of the weight)."""
    slots = law.windows.slots
    for p in range(law.admittance.nominal.size):
        group = law.admittance.window_set[p]
        for c in find_acting(memory, at, group):
            slope = memory[at.by_value + p] * memory[at.weight + group * slots + c]
            if law.windows.integrated[group] == 1:
                slope += memory[at.by_integral + p] * memory[at.reach + group * slots + c]
            memory[at.pressed + p * slots + c] += torque * slope


@inner
def yield_to_forces(law, memory, at):
    """Advance all parameters by a period.

    Forces act on windows on the body. A window that has left the body keeps its values. One that has not yet entered
    the body is force-free or copies its neighbour on the body.
    """
    sets, slots = law.windows, law.windows.slots
    for group in range(sets.span.size):
        first, count = int(memory[at.first + group]), int(memory[at.count + group])
        front, rear = windows_on_body(law, memory, at, group)
        if sets.merging[group, 1] > 0.0:
            join_and_part(law, memory, at, group, front, rear)
        for c in range(count):
            slot = slot_of(law, group, first + c)
            on_body = front <= c <= rear
            been = memory[at.been + group * slots + slot] == 1.0
            if on_body:
                memory[at.been + group * slots + slot] = 1.0
            if on_body or (not been and sets.copies[group] == 0):
                for p in range(law.admittance.nominal.size):
                    if law.admittance.window_set[p] == group:
                        memory[at.force + p * slots + slot] = memory[at.pressed + p * slots + c]
                        yield_one(law, memory, at, p, first + c, share_of_body(law, memory, at, group, c))
        if sets.copies[group] == 1:
            copy_to_waiting(law, memory, at, group, front, rear)


@inner
def windows_on_body(law, memory, at, group):
    """Return the first and last window of a set that act on a joint, relative to the set's first."""
    slots, margin = law.windows.slots, SEEN / law.windows.slope[group]
    count = int(memory[at.count + group])
    front, rear = 0, count - 1
    while front < rear and memory[at.edges + group * slots + front + 1] < -margin:
        front += 1
    while rear > front and memory[at.edges + group * slots + rear] > law.last + margin:
        rear -= 1
    return front, rear


@inner
def share_of_body(law, memory, at, group, c):
    """Return the fraction of the distance from the first joint to the last that window c of a set covers."""
    slots, count = law.windows.slots, int(memory[at.count + group])
    start = max(memory[at.edges + group * slots + c], 0.0) if c > 0 else 0.0
    end = min(memory[at.edges + group * slots + c + 1], law.last) if c + 1 < count else law.last
    return max(end - start, 0.0) / law.last


@inner
def copy_to_waiting(law, memory, at, group, front, rear):
    """Copy the values of the nearest window on the body to windows that have not entered it yet."""
    slots, first = law.windows.slots, int(memory[at.first + group])
    for c in range(int(memory[at.count + group])):
        slot = slot_of(law, group, first + c)
        if memory[at.been + group * slots + slot] == 0.0:
            source = slot_of(law, group, first + min(max(c, front), rear))
            for p in range(law.admittance.nominal.size):
                if law.admittance.window_set[p] == group:
                    here, there = p * slots + slot, p * slots + source
                    memory[at.state + here] = memory[at.state + there]
                    memory[at.rate + here] = memory[at.rate + there]
                    memory[at.shift + here] = memory[at.shift + there]


@inner
def yield_one(law, memory, at, parameter, window, share):
    """Advance one parameter in one window by a period, exactly for a constant force, then apply its limits."""
    how, group = law.admittance, law.admittance.window_set[parameter]
    slot = slot_of(law, group, window)
    here = parameter * law.windows.slots + slot
    force = memory[at.force + here]
    bias = how.bias[parameter] * share if how.shared[parameter] == 1 else how.bias[parameter]
    adapt_set_point(law, memory, at, parameter, slot, force, bias)
    sign = how.signs[parameter, window % how.sign_count[parameter]]
    total = sign * force + bias + how.stiffness[parameter] * memory[at.shift + here]
    x, rate = memory[at.state + here], memory[at.rate + here]
    memory[at.state + here] = (
        how.carry[parameter, 0] * x + how.carry[parameter, 1] * rate + how.push[parameter, 0] * total
    )
    memory[at.rate + here] = (
        how.carry[parameter, 2] * x + how.carry[parameter, 3] * rate + how.push[parameter, 1] * total
    )
    keep_within_limits(law, memory, at, parameter, slot)


@inner
def keep_within_limits(law, memory, at, parameter, slot):
    """Stop a parameter at its limit."""
    here = parameter * law.windows.slots + slot
    value = parameter_value(law, memory, at, parameter, slot)
    kept = min(max(value, law.admittance.low[parameter]), law.admittance.high[parameter])
    if kept != value:
        memory[at.state + here] += kept - value
        memory[at.rate + here] = 0.0


@inner
def adapt_set_point(law, memory, at, parameter, slot, force, bias):
    """Move the set point along the bias below one load threshold, and against it above the other (4.2.5).

    The load is the reaction of the environment to the bias: -F in the bias's direction.
    """
    how = law.admittance
    step, low, high = how.adapt[parameter, 0], how.adapt[parameter, 1], how.adapt[parameter, 2]
    if step == 0.0:
        return
    way = 1.0 if bias >= 0.0 else -1.0
    load, size = -force * way, abs(bias)
    here = at.shift + parameter * law.windows.slots + slot
    if load < low * size:
        memory[here] += step * way
    elif load > high * size:
        memory[here] -= step * way
    nominal = how.nominal[parameter] + memory[at.drift + parameter]
    memory[here] = min(max(memory[here], how.low[parameter] - nominal), how.high[parameter] - nominal)

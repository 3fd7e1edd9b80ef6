"""Activation windows: edges that move with the wave, creation and removal of windows, weights and integrals.

A window is (4.3) with its missing "- 1":

    sigma(m (s - a)) - sigma(m (s - b)),    sigma(z) = 1 / (1 + exp(-z))

The outermost edges are at -inf and +inf, so the weights of a set always sum to one. Window k spans the phases anchor +
k span to anchor + (k + 1) span of the wave, so its length is span / omega_k.

Slots form a ring: window k is stored in slot k mod slots until a window `slots` away replaces it. Windows that return
to the body therefore keep their values.
"""

from __future__ import annotations

from math import exp, floor, log1p

from serpenoid.kernels.compile import bare_kernel, inner

FLAT = 40.0  # beyond this many slopes from an edge a sigmoid is 0 or 1 to the last bit
SEEN = 10.0  # a window acts on the body within this many slopes of it
NOBODY = 1e18  # label of an empty slot


@inner
def step_and_integral(slope, distance):
    """Return (sigma(m d), integral of sigma up to d = softplus(m d) / m)."""
    z = slope * distance
    if z > FLAT:
        return 1.0, distance
    if z < -FLAT:
        return 0.0, 0.0
    small = exp(-abs(z))
    rest = log1p(small) / slope
    if z > 0.0:
        return 1.0 / (1.0 + small), distance + rest
    return small / (1.0 + small), rest


@inner
def slot_of(law, group, window):
    """Return the slot of a window of a set."""
    return 0 if group == 0 else window % law.windows.slots


@inner
def parameter_value(law, memory, at, parameter, slot):
    """Return the value of a parameter in a slot."""
    nominal = law.admittance.nominal[parameter] + memory[at.drift + parameter]
    return nominal + memory[at.state + parameter * law.windows.slots + slot]


@inner
def pace_of(law, memory, at, group, window):
    """Return the value of a set's pace parameter in one of its windows."""
    pace = law.windows.pace[group]
    return parameter_value(law, memory, at, pace, slot_of(law, law.admittance.window_set[pace], window))


@inner
def clock_phase(law, memory, at, group):
    """Return the phase that moves a set's edges [rad]: the value of a central parameter, else its nominal value."""
    clock = law.windows.clock[group]
    phase = law.admittance.nominal[clock] + memory[at.drift + clock]
    if law.admittance.window_set[clock] == 0:
        phase += memory[at.state + clock * law.windows.slots]
    return phase


@inner
def ensure_window(law, memory, at, group, window, neighbour):
    """Assign a slot to a window if it has none."""
    if memory[at.label + group * law.windows.slots + slot_of(law, group, window)] != window:
        enter_window(law, memory, at, group, window, neighbour)


@bare_kernel
def enter_window(law, memory, at, group, window, neighbour):
    """Assign a slot to a window; start at nominal values or at its neighbour's."""
    slots = law.windows.slots
    slot = slot_of(law, group, window)
    memory[at.label + group * slots + slot] = window
    memory[at.been + group * slots + slot] = 0.0
    memory[at.joined + group * slots + slot] = 0.0
    source = slot_of(law, group, neighbour)
    copied = law.windows.copies[group] == 1 and neighbour != window
    for p in range(law.admittance.nominal.size):
        if law.admittance.window_set[p] == group:
            here, there = p * slots + slot, p * slots + source
            first = law.admittance.initial[p] if memory[0] == 0.0 else 0.0
            memory[at.state + here] = memory[at.state + there] if copied else first
            memory[at.rate + here] = memory[at.rate + there] if copied else 0.0
            memory[at.shift + here] = memory[at.shift + there] if copied else 0.0
            memory[at.force + here] = 0.0


@inner
def edge_on(law, memory, at, leader, phase):
    """Return the position of a phase [rad] of the wave, by the windows of the set that defines the pace."""
    sets = law.windows
    first, count = int(memory[at.first + leader]), int(memory[at.count + leader])
    window = int(floor((phase - sets.anchor[leader]) / sets.span[leader]))
    window = min(max(window, first), first + count - 1)
    start = memory[at.edges + leader * sets.slots + window - first]
    beyond = phase - sets.anchor[leader] - window * sets.span[leader]
    return start + beyond / pace_of(law, memory, at, leader, window)


@bare_kernel
def place_windows(law, memory, at, group):
    """Position the edges of a set, from the window fully ahead of the body to the one that contains the last joint."""
    sets = law.windows
    rides = sets.clock[group] >= 0
    leader = law.admittance.window_set[sets.pace[group]]
    led = leader != 0 and leader != group
    reach, span, slots = FLAT / sets.slope[group], sets.span[group], sets.slots
    phase = clock_phase(law, memory, at, group) if rides else 0.0
    anchor = sets.anchor[group] if rides else 0.0
    window = int(floor((-phase - anchor) / span)) if rides else 0
    ensure_window(law, memory, at, group, window, window)
    if led:
        start = edge_on(law, memory, at, leader, anchor + window * span)
    else:
        start = (anchor + window * span + phase) / pace_of(law, memory, at, group, window)
    spare = 1  # one whole window waits ahead, so that a new one has settled before it acts
    while rides and (start > -reach or spare > 0):
        if start <= -reach:
            spare -= 1
        window -= 1
        ensure_window(law, memory, at, group, window, window + 1)
        if led:
            start = edge_on(law, memory, at, leader, anchor + window * span)
        else:
            start -= span / pace_of(law, memory, at, group, window)
    memory[at.first + group] = window
    count = 0
    while count < slots and (count == 0 or start < law.last + reach):
        ensure_window(law, memory, at, group, window, window - 1 if count > 0 else window)
        memory[at.edges + group * slots + count] = start
        if sets.integrated[group] == 1:
            _, memory[at.head + group * slots + count] = step_and_integral(sets.slope[group], -start)
        count += 1
        window += 1
        if led:
            start = edge_on(law, memory, at, leader, anchor + window * span)
        else:
            start += span / pace_of(law, memory, at, group, window - 1)
    memory[at.count + group] = count


@inner
def weigh_windows(law, memory, at, group, s):
    """Compute the weights of a set's windows at s, which of them act there, and optionally their integrals from 0 to s.

    Windows behind the last acting one have neither weight nor integral; those ahead of the first have no weight.
    """
    edges, weight = at.edges + group * law.windows.slots, at.weight + group * law.windows.slots
    slope, rear = law.windows.slope[group], int(memory[at.count + group]) - 1
    for c in range(rear + 1):
        memory[weight + c] = 0.0
    if law.windows.integrated[group] == 1:
        memory[at.acting + 2 * group] = 0.0
        memory[at.acting + 2 * group + 1] = weigh_and_integrate(law, memory, at, group, s, rear)
        return
    c, step = 0, 1.0
    while c < rear and slope * (s - memory[edges + c + 1]) > FLAT:
        c += 1
    memory[at.acting + 2 * group] = c
    while c < rear and slope * (s - memory[edges + c + 1]) >= -FLAT:
        following = 1.0 / (1.0 + exp(slope * (memory[edges + c + 1] - s)))
        memory[weight + c] = step - following
        step = following
        c += 1
    memory[weight + c], memory[at.acting + 2 * group + 1] = step, c


@inner
def weigh_and_integrate(law, memory, at, group, s, rear):
    """Compute the weights of a set's windows 0 to rear at s and their integrals from 0 to s.

    Returns the last window that has any.
    """
    here, slope = group * law.windows.slots, law.windows.slope[group]
    c, step, integral = 0, 1.0, s
    while c < rear and slope * (s - memory[at.edges + here + c + 1]) >= -FLAT:
        following, next_integral = step_and_integral(slope, s - memory[at.edges + here + c + 1])
        next_integral -= memory[at.head + here + c + 1]
        memory[at.weight + here + c], memory[at.reach + here + c] = step - following, integral - next_integral
        step, integral = following, next_integral
        c += 1
    memory[at.weight + here + c], memory[at.reach + here + c] = step, integral
    return c


@inner
def order_values(law, memory, at):
    """Sort the values of all parameters in the order of their windows, so that joints need no slot lookup."""
    slots = law.windows.slots
    for p in range(law.admittance.nominal.size):
        group = law.admittance.window_set[p]
        first = int(memory[at.first + group])
        for c in range(int(memory[at.count + group])):
            slot = slot_of(law, group, first + c)
            memory[at.ordered + p * slots + c] = parameter_value(law, memory, at, p, slot)


@inner
def find_acting(memory, at, group):
    """Return the windows of a set that act at the position weighed last."""
    return range(int(memory[at.acting + 2 * group]), int(memory[at.acting + 2 * group + 1]) + 1)


@inner
def sum_over_windows(law, memory, at):
    """Sum the parameters and their integrals from s = 0 at one position, with the weights there."""
    for p in range(law.admittance.nominal.size):
        group = law.admittance.window_set[p]
        values, here = at.ordered + p * law.windows.slots, group * law.windows.slots
        value, integral = 0.0, 0.0
        for c in find_acting(memory, at, group):
            value += memory[values + c] * memory[at.weight + here + c]
        if law.windows.integrated[group] == 1:
            for c in find_acting(memory, at, group):
                integral += memory[values + c] * memory[at.reach + here + c]
        memory[at.value + p], memory[at.integral + p] = value, integral

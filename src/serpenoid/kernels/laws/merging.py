"""Windows that join where little is felt and part where much is: torques decide how far a body is led as a whole.

Joined neighbours act as one window: each takes the force of them all, and their values flow together. A body whose
windows are all joined is the one with a single window, once their values are alike.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.laws.windows import acting, slot_of


@inner
def note_loads(law, memory, at, torque):
    """One joint's share: the greatest torque, by its weight, that each window feels [N m]."""
    slots = law.windows.slots
    for group in range(1, law.windows.span.size):
        if law.windows.merging[group, 1] > 0.0:
            for c in acting(memory, at, group):
                here = group * slots + c
                memory[at.load + here] = max(memory[at.load + here], abs(torque) * memory[at.weight + here])


@inner
def join_and_part(law, memory, at, group, front, rear):
    """Windows front to rear of a set: neighbours join and part by what they feel, and runs of joined ones melt."""
    first, low, high = int(memory[at.first + group]), law.windows.merging[group, 0], law.windows.merging[group, 1]
    start = front
    for c in range(front, rear + 1):
        here = at.joined + group * law.windows.slots + slot_of(law, group, first + c)
        if c < rear:
            loads = at.load + group * law.windows.slots + c
            felt = max(memory[loads], memory[loads + 1])
            if felt < low:
                memory[here] = 1.0
            elif felt > high:
                memory[here] = 0.0
        if c == rear or memory[here] == 0.0:
            melt(law, memory, at, group, start, c)
            start = c + 1


@inner
def melt(law, memory, at, group, start, end):
    """A run of joined windows: each has the sum of their forces, and comes nearer to their mean."""
    slots, first, share = law.windows.slots, int(memory[at.first + group]), law.windows.merging[group, 2]
    count = end - start + 1
    for p in range(law.admittance.nominal.size):
        if law.admittance.window_set[p] != group or count < 2:
            continue
        force, value, rate = 0.0, 0.0, 0.0
        for c in range(start, end + 1):
            here = p * slots + slot_of(law, group, first + c)
            force += memory[at.pressed + p * slots + c]
            value += memory[at.state + here] / count
            rate += memory[at.rate + here] / count
        for c in range(start, end + 1):
            here = p * slots + slot_of(law, group, first + c)
            memory[at.pressed + p * slots + c] = force
            memory[at.state + here] += share * (value - memory[at.state + here])
            memory[at.rate + here] += share * (rate - memory[at.rate + here])

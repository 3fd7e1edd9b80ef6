"""Merging and splitting of windows by the torques they sense: small torques join neighbours, large ones separate them.

Joined neighbours act as one window: each receives the sum of their forces, and their values converge. If all windows of
a body are joined and their values are equal, the body acts as one with a single window.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.laws.windows import find_acting, slot_of


@inner
def note_loads(law, memory, at, torque):
    """Update the largest weighted torque that each window senses with the torque of one joint [N m]."""
    slots = law.windows.slots
    for group in range(1, law.windows.span.size):
        if law.windows.merging[group, 1] > 0.0:
            for c in find_acting(memory, at, group):
                here = group * slots + c
                memory[at.load + here] = max(memory[at.load + here], abs(torque) * memory[at.weight + here])


@inner
def join_and_part(law, memory, at, group, front, rear):
    """Join or separate neighbours among windows front to rear of a set by load, and merge runs of joined ones."""
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
    """Merge a run of joined windows: give each the sum of their forces, and move each value towards their mean."""
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

"""Swing all joints of a family by a sine, in positions and velocities, with a light on."""

from math import cos, sin, tau
from time import monotonic

import hebi
import numpy as np

lookup = hebi.Lookup()
group = lookup.get_group_from_family("SEA Snake")
if group is None:
    raise SystemExit("no such family")
group.command_lifetime = 100.0
group.feedback_frequency = 100.0

command = hebi.GroupCommand(group.size)
feedback = hebi.GroupFeedback(group.size)
command.led.color = "blue"
rate = tau * 0.5
start = monotonic()
furthest = np.zeros(group.size)
while monotonic() - start < 0.8:
    if group.get_next_feedback(reuse_fbk=feedback) is None:
        raise SystemExit("no feedback")
    furthest = np.maximum(furthest, np.abs(feedback.position))
    t = monotonic() - start
    command.position = np.full(group.size, 0.2 * sin(rate * t))
    command.velocity = 0.2 * rate * cos(rate * t)
    group.send_command(command)
assert furthest.min() > 0.05, furthest

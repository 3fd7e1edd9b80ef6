"""Speed against power: a small survey of amplitude and frequency, and its Pareto front."""

from itertools import product

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import ACCENT, GREY, axes_or_new, labelled, legend, write

robot, world = sp.robots.PlanarSnake(), sp.worlds.Plane(medium="viscous")
speeds, powers, names = [], [], []
for amplitude, frequency, shift in product((0.3, 0.6, 0.9, 1.2), (0.5, 1.0, 2.0, 3.0), (1.3, 1.5, 1.7)):
    gait = sp.gaits.Serpenoid(amplitude, frequency, shift * np.pi)
    run = sp.simulate(robot, world, gait, duration=4.0)
    speeds.append(sp.analysis.speed(run, start=2.0))
    powers.append(sp.analysis.power(run, start=2.0))
    names.append(f"{amplitude:g} rad, {frequency:g} Hz, {shift:g} pi")

front = sp.analysis.pareto_front(speeds, powers)
front = front[np.array(speeds)[front] > 0.0]
for i in front:
    print(f"{speeds[i]:6.3f} m/s at {powers[i]:6.2f} W: {names[i]}")

axes = axes_or_new(None)
axes.plot(powers, speeds, "o", color=GREY, markersize=4, label="gaits")
axes.plot(np.array(powers)[front], np.array(speeds)[front], "o-", color=ACCENT, markersize=5, label="Pareto front")
legend(axes)
print("picture:", write(labelled(axes, "power [W]", "speed [m/s]").figure, "front.png"))

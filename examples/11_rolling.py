"""Rolling: the arc-shaped body rotates about its own centreline and moves sideways at nearly 2 pi R f."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
figure = new_figure(11.0, 5.0)
for place, amplitude in enumerate((0.1, 0.25), start=1):
    gait = sp.gaits.Rolling(amplitude=amplitude, frequency=0.5)
    run = sp.simulate(robot, floor, gait, duration=3.0, sample_period=0.02)
    speed = np.linalg.norm(sp.analysis.displacement(run, 1.0)) / 2.0
    print(f"amplitude {amplitude}: {speed:.3f} m/s, without slip {2.0 * np.pi * robot.radius * gait.frequency:.3f} m/s")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=4)
    axes.set_title(f"amplitude {amplitude} rad: {speed:.3f} m/s", loc="left", fontsize=10)

print("picture:", write(figure, "rolling.png"))

"""Linear progression: a vertical wave moves the snake straight ahead. A bend keeps it from tipping over."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# Round links stand on a line. The smallest disturbance (here 0.01 rad of scatter) tips a straight snake over.
robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
starts = {"undisturbed": (0.0, 0.0), "disturbed": (0.0, 0.01), "disturbed, bent": (0.2, 0.01)}
figure = new_figure(11.0, 3.5)
for place, (name, (turn, scatter)) in enumerate(starts.items(), start=1):
    start = sp.Initial(scatter=scatter)
    run = sp.simulate(robot, floor, sp.gaits.LinearProgression(offset=turn), 4.0, initial=start, sample_period=0.02)
    speed = np.linalg.norm(sp.analysis.displacement(run, 2.0)) / 2.0
    print(f"{name}: {speed:.3f} m/s")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 3, place), count=3, plane="xz")
    axes.set_title(f"{name}: {speed:.3f} m/s", loc="left", fontsize=10)

print("picture:", write(figure, "linear-progression.png"))

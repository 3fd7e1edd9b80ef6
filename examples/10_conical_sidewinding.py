"""Conical sidewinding: the waves are smaller towards one end, and the snake moves on a circle."""

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# A taper at the tail (positive) turns the snake to one side, at the head (negative) to the other.
robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
figure = new_figure(11.0, 5.0)
for place, taper in enumerate((0.8, -0.8), start=1):
    run = sp.simulate(robot, floor, sp.gaits.ConicalSidewinding(taper=taper), duration=8.0, sample_period=0.02)
    radius = sp.analysis.path_radius(run, 2.0)
    print(f"taper {taper:+.1f}: the path bends with a radius of {radius:.2f} m")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=4)
    axes.set_title(f"taper {taper:+.1f}: radius {radius:.2f} m", loc="left", fontsize=10)

print("picture:", write(figure, "conical-sidewinding.png"))

"""Sidewinding: a lateral and a vertical wave move the body sideways. The phase beta reverses the direction."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
figure = new_figure(11.0, 5.0)
for place, beta in enumerate((0.0, np.pi), start=1):
    run = sp.simulate(robot, floor, sp.gaits.Sidewinding(reversal=beta), duration=3.0, sample_period=0.02)
    # Averages exclude the first second, in which the snake takes its shape.
    speed, course = np.linalg.norm(sp.analysis.displacement(run, 1.0)) / 2.0, sp.analysis.course(run, 1.0)
    print(f"beta {beta:.2f}: {speed:.3f} m/s, {np.degrees(course):.0f} deg from head first")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=4)
    axes.set_title(f"beta {beta:.2f}: {speed:.2f} m/s", loc="left", fontsize=10)

print("picture:", write(figure, "sidewinding.png"))

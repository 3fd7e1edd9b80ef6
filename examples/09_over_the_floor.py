"""Four gaits of the SEA snake over a floor, all of one formula: seen from above, or from the side where it rises."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# Two waves along the body, one sideways, one up: amplitudes, wave number and phase between them make the gait.
robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
gaits = {
    "sidewinding": sp.gaits.Sidewinding(),
    "conical sidewinding": sp.gaits.ConicalSidewinding(taper=0.6),
    "rolling": sp.gaits.Rolling(),
    "linear progression": sp.gaits.LinearProgression(),
}

figure = new_figure(11.0, 8.0)
print("gait                 speed [m/s]  direction [deg]")
for place, (name, gait) in enumerate(gaits.items(), start=1):
    run = sp.simulate(robot, floor, gait, duration=3.0, sample_period=0.02)
    # The first second, in which the snake takes its shape, does not count.
    speed = np.linalg.norm(sp.analysis.displacement(run, 1.0)) / 2.0
    print(f"{name:20s} {speed:11.3f}  {np.degrees(sp.analysis.course(run, 1.0)):15.0f}")
    plane = "xz" if name == "linear progression" else "xy"
    axes = sp.plotting.snapshots(run, figure.add_subplot(2, 2, place), count=4, plane=plane)
    axes.set_title(f"{name}: {speed:.2f} m/s", loc="left", fontsize=10)

print("picture:", write(figure, "gaits-floor.png"))

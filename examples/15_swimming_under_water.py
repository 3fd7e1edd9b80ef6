"""The SEA snake, made neutrally buoyant by floats, swims under water, straight ahead and in a turn."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# The wave runs from head to tail in the horizontal plane. An offset of all lateral joints turns the path.
robot, water = sp.robots.SeaSnake(), sp.worlds.DeepWater()
figure = new_figure(11.0, 4.5)
for place, turn in enumerate((0.0, 0.2), start=1):
    run = sp.simulate(robot, water, sp.gaits.Swimming(offset=turn), duration=3.0, sample_period=0.02)
    speed = np.linalg.norm(sp.analysis.displacement(run, 1.0)) / 2.0
    print(f"turn {turn:.1f}: {speed:.3f} m/s, energy residual {sp.analysis.energy_residual(run):.1e}")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=4)
    axes.set_title(f"turn {turn:.1f} rad: {speed:.2f} m/s", loc="left", fontsize=10)

print("picture:", write(figure, "swimming.png"))

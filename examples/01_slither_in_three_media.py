"""A five-link snake slithers on dry ground, in a viscous medium and in a fluid."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# PD joints with a torque limit drive the robot. The gait is a wave that runs from head to tail.
robot = sp.robots.PlanarSnake(links=5)
gait = sp.gaits.Serpenoid(amplitude=0.8, frequency=2.0, spatial_frequency=2.4 * np.pi)

figure = new_figure(9.0, 7.5)
print("medium    speed [m/s]  power [W]  energy residual")
for row, medium in enumerate(("dry", "viscous", "fluid")):
    run = sp.simulate(robot, sp.worlds.Plane(medium=medium), gait, duration=6.0)
    # Averages exclude the first two seconds, in which the snake starts.
    speed, power = sp.analysis.speed(run, start=2.0), sp.analysis.power(run, start=2.0)
    print(f"{medium:8s}  {speed:11.3f}  {power:9.2f}  {sp.analysis.energy_residual(run):.1e}")
    axes = sp.plotting.snapshots(run, figure.add_subplot(3, 1, row + 1), count=8)
    axes.set_title(f"{medium}: {speed:.2f} m/s at {power:.1f} W", loc="left", fontsize=10)

print("picture:", write(figure, "slither.png"))

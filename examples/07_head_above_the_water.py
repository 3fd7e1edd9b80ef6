"""NATRIX lifts its head out of the water, keeps its gaze, turns its shells and swims, by a joint trajectory."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import dressed, new_figure, write

robot, water = sp.robots.Natrix(), sp.worlds.WaterSurface()

# The body is straight first. Then the neck is inclined by 50 deg with the head level, then the shells turn by 60 deg.
# The wave is added to these shapes. A shape is a list of 14 joint angles, so any other can be used.
raised = robot.lifted_head(np.radians(50.0))
turned = robot.lifted_head(np.radians(50.0), shells=np.radians(60.0))
wave = sp.gaits.Undulation(amplitude=0.1, frequency=0.6)
gait = sp.gaits.JointTrajectory(times=(0.0, 4.0, 6.0, 9.0), shapes=((), raised, raised, turned), wave=wave)
run = sp.simulate(robot, water, gait, duration=14.0, step=0.002)

head = run["immersed_volume"][:, 0] / max(run["immersed_volume"][0, 0], 1e-12)
print("head under water:     ", f"{100 * head[0]:.0f} % at the start, {100 * head[500:].min():.0f} % at the least")
print("gaze (pitch of head): ", f"{np.degrees(run['pitch'][500:].mean()):+.1f} deg in the mean once lifted")

# Find the floating equilibria of the same shape, straight and turned.
for name, shape in (("head lifted", raised), ("shells turned too", turned)):
    lowest = sp.mechanics.equilibrium(robot, water, shape, starts=30)[0]
    print(
        f"{name + ':':22s}",
        f"floats at {np.degrees(lowest.roll):+.1f} deg of roll, GM {1e3 * lowest.metacentric_height:.1f} mm",
    )

figure = new_figure(9.0, 5.0)
series = {"height of the head [mm]": 1e3 * run["heave"], "pitch of the head [deg]": np.degrees(run["pitch"]),
          "roll of the head [deg]": np.degrees(run["roll"])}  # fmt: skip
for axes, (name, values) in zip(figure.subplots(3, 1, sharex=True), series.items()):
    dressed(axes).plot(run.times, values)
    axes.set_ylabel(name, fontsize=8)
axes.set_xlabel("time [s]")
print("picture:", write(figure, "head.png"))

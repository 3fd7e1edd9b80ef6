"""NATRIX undulates without any contact. Its links move, and its centre of mass stays."""

import numpy as np

import serpenoid as sp

robot = sp.robots.Natrix()
world = sp.worlds.FreeSpace()
gait = sp.gaits.Undulation(amplitude=0.25, frequency=1.35)
run = sp.simulate(robot, world, gait, duration=6.0)

# Momentum is computed from the motion of the links, independently of the engine.
momentum = sp.analysis.momentum(run)
print("drift of the centre of mass:", float(np.ptp(run["center_of_mass"], axis=0).max()), "m")
print("largest linear momentum:    ", float(np.abs(momentum.linear).max()), "kg m/s")
print("largest torque:             ", float(np.abs(run["joint_torque"]).max()), "N m")

# A run can be saved, loaded and repeated bit for bit. The page opens in any browser.
run.save("natrix.zarr", replace=True)
again = sp.repeat(sp.Trajectory.load("natrix.zarr"))
print("repeats bit for bit:        ", np.array_equal(again["base_pose"], run["base_pose"]))
print("animation:", sp.studio.export_html(run, "natrix.html"))
print("picture:", sp.plotting.overview(run, "natrix.png"))

"""A custom robot in TOML: a trunk with a swinging tail and two fins, also exported as MJCF."""

from pathlib import Path

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write
from serpenoid.robots.export import write_model

# A hinge connects each body to an earlier one. Omitted fields have their defaults.
Path("fish.toml").write_text(
    """schema = 1
type = "body_tree"

[[bodies]]
name = "trunk"
mass = 0.8
center = [0.1, 0.0, 0.0]
inertia = [4e-4, 2.5e-3, 2.5e-3, 0.0, 0.0, 0.0]

[[bodies]]
name = "tail"
parent = "trunk"
position = [0.2, 0.0, 0.0]
axis = [0.0, 0.0, 1.0]
mass = 0.3
center = [0.08, 0.0, 0.0]
inertia = [5e-5, 7e-4, 7e-4, 0.0, 0.0, 0.0]

[[bodies]]
name = "left_fin"
parent = "trunk"
position = [0.05, 0.04, 0.0]
axis = [1.0, 0.0, 0.0]
mass = 0.05
center = [0.0, 0.05, 0.0]
inertia = [4e-5, 1e-5, 5e-5, 0.0, 0.0, 0.0]

[[bodies]]
name = "right_fin"
parent = "trunk"
position = [0.05, -0.04, 0.0]
axis = [1.0, 0.0, 0.0]
mass = 0.05
center = [0.0, -0.05, 0.0]
inertia = [4e-5, 1e-5, 5e-5, 0.0, 0.0, 0.0]
"""
)
robot = sp.robots.load("fish.toml")
print(f"{len(robot.link_names)} bodies, joints {', '.join(robot.joint_names)}")

gait = sp.gaits.Serpenoid(amplitude=0.6, frequency=1.0, spatial_frequency=-3.0)
run = sp.simulate(robot, sp.worlds.FreeSpace(), gait, duration=4.0)

# MJCF and URDF are read and written. The robot that is read back moves identically.
again = sp.simulate(sp.robots.load(write_model(robot, "fish.xml")), sp.worlds.FreeSpace(), gait, duration=4.0)
print("difference through MJCF:", float(np.abs(again["base_pose"] - run["base_pose"]).max()))
print("animation:", sp.studio.export_html(run, "fish.html"))

figure = new_figure(9.0, 7.0)
sp.plotting.snapshots(run, figure.add_subplot(2, 1, 1), count=6)
sp.plotting.torques(run, figure.add_subplot(2, 1, 2))
print("picture:", write(figure, "fish.png"))

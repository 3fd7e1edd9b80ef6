"""Rolling that winds into a helix: amplitude and phase along the body grow together, without a jump."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import dressed, new_figure, write

gait = sp.gaits.RollIntoHelix(radius=0.12, begin=1.0, winding_time=3.0)
run = sp.simulate(sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5), gait, duration=5.0, sample_period=0.02)
width = np.ptp(run["link_pose"][:, :, 0], axis=1)
print(f"the body spans {width[0]:.2f} m at the start and {width[-1]:.2f} m once it is wound")

figure = new_figure(11.0, 4.5)
sp.plotting.snapshots(run, figure.add_subplot(1, 2, 1), count=4)
axes = dressed(figure.add_subplot(1, 2, 2))
axes.plot(run.times, np.degrees(run["joint_position"][:, 8:10]), label=("lateral joint", "dorsal joint"))
axes.set_xlabel("time [s]")
axes.set_ylabel("angle [deg]")
axes.legend(frameon=False, fontsize=8)
print("picture:", write(figure, "into-a-helix.png"))

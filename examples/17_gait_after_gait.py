"""The SEA snake sidewinds, progresses linearly and rolls; each gait blends in during the run."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import dressed, new_figure, write

# A stream yields the run sample by sample and accepts changes; lead() switches to another gait. Rolling is last: it
# leaves the snake rotated about its length, and the other gaits need the dorsal joints upright.
order = {0.0: sp.gaits.Sidewinding(), 1.0: sp.gaits.LinearProgression(), 2.0: sp.gaits.Rolling()}
robot, floor = sp.robots.SeaSnake(), sp.worlds.Floor(friction=0.5)
stream = sp.stream(robot, floor, order[0.0], duration=3.0, sample_period=0.02)
ahead = sorted(order)[1:]
for sample in stream:
    if ahead and sample.time >= ahead[0]:
        stream.lead(order[ahead.pop(0)])
run = stream.trajectory()

# The recording contains everything that acted on the run.
again = sp.repeat(run)
print("the run repeats bit by bit, gaits and all:", np.array_equal(again["joint_position"], run["joint_position"]))

figure = new_figure(11.0, 4.5)
sp.plotting.path(run, figure.add_subplot(1, 2, 1))
axes = dressed(figure.add_subplot(1, 2, 2))
for joint, name in ((8, "lateral joint"), (9, "dorsal joint")):
    axes.plot(run.times, np.degrees(run["joint_position"][:, joint]), label=name)
for time in sorted(order)[1:]:
    axes.axvline(time, color="0.6", linewidth=0.8, linestyle="--")
axes.set_xlabel("time [s]")
axes.set_ylabel("angle [deg]")
axes.legend(frameon=False, fontsize=8)
print("picture:", write(figure, "gait-after-gait.png"))

"""The SEA snake slithers through a board of pegs: in open loop, and by a compliant controller."""

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write

# This wave makes almost no progress on a bare floor, because it pushes against obstacles beside the body. A peg board
# knows the positions where a snake can start. The engine "pegs" simulates it in the plane, many times faster than
# MuJoCo, the default.
robot, board = sp.robots.SeaSnake(modules=18), sp.worlds.PegBoard(seed=3)
laws = {
    "stiff": sp.control.OpenLoop(),
    "yielding": sp.control.ShapeCompliance.presets()["slithering_aw"](),
}

figure = new_figure(11.0, 5.0)
for place, (name, law) in enumerate(laws.items(), start=1):
    run = sp.simulate(robot, board, law, duration=20.0, sample_period=0.05, engine="pegs")
    way = sp.analysis.displacement(run)
    load = abs(run["joint_torque"]).max()
    print(f"{name}: {(way @ way) ** 0.5:.2f} m from its start after {run.duration:g} s, at most {load:.1f} N m")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=4)
    axes.set_title(f"{name}: {(way @ way) ** 0.5:.2f} m", loc="left", fontsize=10)

print("picture:", write(figure, "slithering-pegs.png"))

"""A plan to a goal behind a post, solved to convergence; then replanned every 10 ms while the snake moves."""

import numpy as np

import serpenoid as sp
from serpenoid.plotting.style import write

goal, post = (-2.0, 0.0), sp.worlds.Disc((-0.6, -0.05), radius=0.15)
robot, world = sp.robots.PlanarSnake(), sp.worlds.Plane("dry", obstacles=(post,))
cost = sp.planning.Goal(goal) + sp.planning.Torque(0.01)
problem = sp.planning.Problem(robot, world, cost, horizon=40, limits=sp.planning.Limits(joint_angle=1.57))

state = np.zeros(problem.states)  # straight and at rest, with its centre of mass ...
state[0] = 0.5 * robot.length  # ... half a body length behind the tip of the head
plan = sp.planning.solve(problem, state)
print(f"one plan of {problem.horizon * problem.step:g} s: {plan.reason}, {plan.iterations} iterations, "
      f"{1e3 * plan.seconds:.0f} ms")  # fmt: skip

controller = sp.planning.RecedingHorizon(problem)
run = sp.simulate(robot, world, controller, duration=3.0)
distance = np.linalg.norm(run["base_pose"][:, :2] - goal, axis=1)
print(f"{distance.min():.2f} m from the goal after {run.times[distance.argmin()]:.1f} s")
print(f"{1e3 * np.nanmean(run['solve_processor_time']):.2f} ms of processor time per plan")

axes = sp.plotting.snapshots(run)
print("picture:", write(axes.figure, "post.png"))

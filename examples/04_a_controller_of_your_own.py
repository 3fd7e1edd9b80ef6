"""A custom controller with memory, random numbers and signals: in three worlds, in a sweep and on modules."""

from dataclasses import dataclass

import numpy as np

import serpenoid as sp
from serpenoid.control import Command, Controller, Signal
from serpenoid.plotting.style import dressed, labelled, legend, new_figure, write
from serpenoid.scenarios import Parts, Quantity, Scenario


@dataclass(frozen=True)
class Wander(Controller):
    """Configuration of a wave along the body whose mean bend follows a random walk."""

    amplitude: float = 0.4
    """amplitude of the wave [rad]"""

    def start(self, robot, period, rng):
        return WanderLaw(self, robot.joints, rng)


class WanderLaw:
    def __init__(self, controller, joints, rng):
        self.amplitude, self.joints, self.rng, self.bend = controller.amplitude, joints, rng, 0.0

    def __call__(self, observation):
        self.bend = 0.995 * self.bend + 0.005 * self.rng.standard_normal()  # has memory, and uses the run's seed
        wave = self.amplitude * np.sin(np.pi * observation.time + 1.6 * np.pi * np.arange(self.joints))
        return Command.empty(self.joints)._replace(position=wave + self.bend)

    def signals(self):
        return {"bend": Signal(self.bend, "rad", "mean angle of all joints, which turns the snake")}


# Use the same object in any world.
snake = sp.robots.PlanarSnake(links=8)
axes = labelled(
    dressed(new_figure().subplots()), "x [m]", "y [m]", "One law in three media: path of the centre of mass"
)
for medium in ("dry", "viscous", "fluid"):
    run = sp.simulate(snake, sp.worlds.Plane(medium=medium), Wander(), duration=8.0, seed=3)
    print(f"{medium}: {np.abs(run['bend']).max():.2f} rad at most, at {run.ticks.size} ticks")
    axes.plot(*run["center_of_mass"][:, :2].T, label=medium)


# In a sweep, a scenario defines the axes and the measures.
@dataclass(frozen=True)
class Wandering(Scenario):
    """A snake that wanders over a plane."""

    controller: Wander = Wander()
    """the controller"""

    def parts(self):
        return Parts(snake, sp.worlds.Plane(), self.controller)

    def summary(self, trajectory):
        return {"distance": Quantity(np.linalg.norm(trajectory["base_pose"][-1, :2]), "m")}


found = sp.sweep(Wandering(duration=2.0), {"controller.amplitude": [0.2, 0.4, 0.6]}, "wander.zarr")
print("distance after 2 s [m]:", found.distance.values.round(3))

# Run it on emulated modules. sp.hardware.hebi(...) connects real ones.
with sp.hardware.twin(snake, sp.worlds.Plane()) as plant:
    twin = sp.run_loop(plant, Wander(), 2.0, seed=3)
print(
    "commands on modules and in the simulation differ by", np.abs(twin["bend"] - run["bend"][: twin.ticks.size]).max()
)
legend(axes)
print("picture:", write(axes.figure, "wander.png"))

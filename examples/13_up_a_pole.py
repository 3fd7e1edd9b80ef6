"""A rolling helix around a pole: wound by its joints and pressed against the pole, the snake climbs."""

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write
from serpenoid.scenarios.presets import ClimbPole

# The scenario fits the helix to the pole. It starts slightly clear of the pole and then presses against it.
climb = ClimbPole(world=sp.worlds.Pole(radius=0.07), press=0.02, duration=3.0, settle=1.0)
run = climb.run()
found = {name: quantity.value for name, quantity in climb.summary(run).items()}
print(f"{found['climbed']:+.3f} m up in 2 s, slip {found['slip']:.3f} m/s, {found['contact_load']:.0f} N on the pole")

figure = new_figure(6.0, 5.5)
axes = sp.plotting.snapshots(run, figure.add_subplot(), count=2, plane="xz")
axes.set_title(f"up a pole: {found['speed']:.3f} m/s", loc="left", fontsize=10)
axes.set_aspect("equal", adjustable="box")
axes.set(xlim=(-0.5, 0.5), ylim=(-0.05, 0.8))
print("picture:", write(figure, "pole.png"))

"""A rolling helix inside a pipe: pressed against the wall, the snake crawls through."""

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write
from serpenoid.scenarios.presets import CrawlPipe

# A negative pitch moves head first. The helix is fitted to the bore and then pressed against it.
crawl = CrawlPipe(world=sp.worlds.Pipeline(bore=0.10), press=0.02, duration=3.0, settle=1.0)
run = crawl.run()
found = {name: quantity.value for name, quantity in crawl.summary(run).items()}
print(f"{found['speed']:.3f} m/s, slip {found['slip']:.3f} m/s, contact forces of {found['contact_load']:.0f} N")

figure = new_figure(8.0, 3.0)
axes = sp.plotting.snapshots(run, figure.add_subplot(), count=2, plane="xz")
axes.set_title(f"through a pipe: {found['speed']:.3f} m/s", loc="left", fontsize=10)
print("picture:", write(figure, "pipe.png"))

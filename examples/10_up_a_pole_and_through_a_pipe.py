"""The SEA snake rolls as a helix: wound round a pole it climbs, pressed against a pipe it crawls."""

import serpenoid as sp
from serpenoid.plotting.style import new_figure, write
from serpenoid.scenarios.modular import ClimbPole, CrawlPipe

# A scenario fits the helix to the wall: it begins a little clear of it, and then presses by so much.
climb = ClimbPole(world=sp.worlds.Pole(radius=0.07), press=0.02, duration=3.0, settle=1.0)
crawl = CrawlPipe(world=sp.worlds.Pipeline(bore=0.10), press=0.02, duration=3.0, settle=1.0)

figure = new_figure(11.0, 5.5)
for place, (name, scenario) in enumerate({"pole": climb, "pipe": crawl}.items(), start=1):
    run = scenario.run()
    found = scenario.summary(run)
    rate, slip, load = (found[key].value for key in ("speed", "slip", "contact_load"))
    print(f"{name}: {rate:.3f} m/s, {found['climbed'].value:+.3f} m up in 2 s, slip {slip:.3f} m/s, load {load:.0f} N")
    axes = sp.plotting.snapshots(run, figure.add_subplot(1, 2, place), count=2, plane="xz")
    axes.set_title(f"{name}: {rate:.3f} m/s", loc="left", fontsize=10)
    low, high = run["link_pose"][:, :, :3].min(axis=(0, 1)) - 0.2, run["link_pose"][:, :, :3].max(axis=(0, 1)) + 0.2
    axes.set_aspect("equal", adjustable="box")
    axes.set(xlim=(low[0], high[0]), ylim=(max(low[2], -0.05), high[2]))

print("picture:", write(figure, "gaits-helix.png"))

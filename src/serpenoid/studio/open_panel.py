"""Panel for files in the studio's folder: open, compare, save, export."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError, Unsupported
from serpenoid.studio.html import export_html
from serpenoid.studio.plain_text import plain_text
from serpenoid.studio.scene import quick_scene
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

NONE, NOT_YET = "(nothing saved here)", "(nothing yet)"
MOST_KEPT = 5  # most runs computed here that are kept
HIGH, WIDE = 800, 1280  # of an image [pixels]


class OpenPanel:
    """Trajectories of the folder, and paths to write to."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        gui.add_markdown(plain_text(f"Folder: {studio.library.folder.name}"))
        self.search = gui.add_text("search files", "", hint="part of a name")
        self.choice = gui.add_dropdown("saved", (NONE,), hint="trajectories in the studio's folder")
        self.refresh = gui.add_button("Refresh", hint="list the folder again")
        self.open = gui.add_button("Open", color="teal", hint="play the selected trajectory")
        self.beside = gui.add_button("Open as ghost", hint="play it next to the open one")
        self.alone = gui.add_button("Remove ghost")
        self.computed = gui.add_dropdown(
            "computed here", (NOT_YET,), hint=f"the last {MOST_KEPT} runs, including interrupted ones"
        )
        self.again = gui.add_button("Play again", hint="play the selected run that was computed here")
        self.reader: threading.Thread | None = None
        self.kept: dict[str, Trajectory] = {}
        self.count = 0
        self.name = gui.add_text("name", "seen", hint="name of the files written below")
        self.save = gui.add_button("Save run", hint="as NAME.zarr, a repeatable trajectory")
        self.html = gui.add_button("Export HTML", hint="as NAME.html, a single file that plays in any browser")
        self.picture = gui.add_button("Save PNG", hint="this view as NAME.png")
        self.connect()
        self.list()

    def connect(self) -> None:
        """Connect the controls to their actions."""
        post = self.studio.post
        self.search.on_update(lambda _: post(self.list))
        self.refresh.on_click(lambda _: post(self.list))
        self.open.on_click(lambda _: post(self.play))
        self.beside.on_click(lambda _: post(self.ghost))
        self.again.on_click(lambda _: post(self.replay))
        self.alone.on_click(lambda _: post(self.studio.clear_ghost))
        self.save.on_click(lambda _: post(self.write))
        self.html.on_click(lambda _: post(self.export))
        self.picture.on_click(lambda event: self.draw(event.client))

    def list(self) -> None:
        """List the saved trajectories."""
        words = self.search.value.lower().split()
        names = [entry.name for entry in self.studio.library.entries() if entry.kind == "trajectory"]
        found = tuple(name for name in names if all(word in name.lower() for word in words)) or (NONE,)
        before = self.choice.value
        self.choice.options = found
        self.choice.value = before if before in found else found[0]

    def read(self, show: Callable[..., None]) -> None:
        """Read the selected trajectory in a thread (a large one takes seconds), then show it in the page."""
        name = self.choice.value
        if name == NONE:
            raise Unsupported("this folder has no saved trajectories")
        if self.reader is not None and self.reader.is_alive():
            raise Unsupported("a trajectory is being loaded; wait until it is complete")

        def go() -> None:
            try:
                run = self.studio.library.trajectory(name)
                self.studio.post(partial(show, run, name, scene=quick_scene(run)))
            except Exception as error:
                self.studio.post(fail, error)

        self.studio.say(f"loading {name} ...")
        self.reader = threading.Thread(target=go, daemon=True, name="reader")
        self.reader.start()

    def play(self) -> None:
        """Play the selected trajectory."""
        self.read(self.studio.show_run)

    def keep(self, run: Trajectory, name: str) -> None:
        """Keep a run that was computed here for replay."""
        if any(run is held for held in self.kept.values()):
            return
        self.count += 1
        self.kept[f"{self.count}: {name}, {run.duration:.3g} s"] = run
        while len(self.kept) > MOST_KEPT:
            del self.kept[next(iter(self.kept))]
        self.computed.options = tuple(reversed(self.kept))
        self.computed.value = self.computed.options[0]

    def replay(self) -> None:
        """Play a run that was computed here."""
        if self.computed.value not in self.kept:
            raise Unsupported("no run was computed here yet")
        self.studio.show_run(self.kept[self.computed.value], self.computed.value)

    def ghost(self) -> None:
        """Play the selected trajectory as a ghost."""
        if self.studio.run is None:
            raise Unsupported("open a trajectory first; the ghost plays next to it")
        self.read(self.studio.show_ghost)

    def seen(self) -> Trajectory:
        """Return the run on the stage."""
        run = self.studio.seen()
        if run is None:
            raise Unsupported("there is nothing to save yet")
        return run

    def write(self) -> None:
        """Save the run on the stage as a repeatable trajectory."""
        place = self.studio.library.new(self.name.value, ".zarr")
        run = self.seen()
        run.save(place)
        self.list()
        self.studio.say(f"saved: {place.name}, {run.duration:g} s")

    def export(self) -> None:
        """Export the run on the stage as one HTML file, in a thread because it takes a while."""
        place, run = self.studio.library.new(self.name.value, ".html"), self.seen()
        self.studio.say(f"writing {place.name} ...")
        threading.Thread(target=self.in_background, args=(export_html, run, place), daemon=True).start()

    def in_background(self, write: Any, *arguments: Any) -> None:
        """Write a file in a thread and report the result."""
        try:
            self.studio.post(self.studio.say, f"written: {write(*arguments).name}")
        except (SerpenoidError, OSError) as error:
            self.studio.post(self.studio.say, str(error))

    def draw(self, client: Any) -> None:
        """Save the view of one browser as an image; viser's own thread waits for the browser to draw it."""

        def write() -> Any:
            place = self.studio.library.new(self.name.value, ".png")
            on_white(client.get_render(HIGH, WIDE, transport_format="png")).save(place)
            return place

        self.in_background(write)


def fail(error: Exception) -> None:
    """Raise an error of another thread in the studio's thread, which reports it."""
    raise error


def on_white(view: NDArray) -> Any:
    """Convert a view (height, width, 4) with transparent background to an image on white."""
    from PIL import Image

    seen = Image.fromarray(view).convert("RGBA")
    picture = Image.new("RGBA", seen.size, "white")
    picture.alpha_composite(seen)
    return picture.convert("RGB")

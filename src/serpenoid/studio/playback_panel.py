"""Playback controls: play, pause, step, scrub, speed, loop and view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serpenoid.studio.camera import VIEWS
from serpenoid.studio.events import by_browser
from serpenoid.studio.playhead import FASTEST, SLOWEST

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

STEP = 1.0 / 30.0  # of a manual step [s]
FINEST = 0.001  # of the time slider [s]


class PlaybackPanel:
    """Controls of the playhead."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        with gui.add_folder("Playback"):
            self.time = gui.add_slider("time [s]", 0.0, 1.0, FINEST, 0.0, hint="current time; drag to scrub")
            self.play = gui.add_button("Pause / play", hint="key: P")
            self.steps = gui.add_button_group(
                "step", ("|<", "<", ">", ">|"), hint="to the start, by a frame, to the end"
            )
            self.speed = gui.add_slider(
                "speed [x]", SLOWEST, FASTEST, 0.1, 1.0, hint="playback speed relative to real time"
            )
            self.loop = gui.add_checkbox("loop", True, hint="restart at the end")
            self.follow = gui.add_checkbox("follow camera", False, hint="the camera moves with the robot")
            self.views = gui.add_button_group("view", tuple(VIEWS), hint="fixed views")
        self.connect()

    def connect(self) -> None:
        """Connect the controls to their actions."""
        studio, post = self.studio, self.studio.post
        self.time.on_update(by_browser(lambda value: post(self.scrub, value)))
        self.play.on_click(lambda _: post(self.toggle))
        self.steps.on_click(lambda event: post(self.step, event.target.value))
        self.speed.on_update(lambda event: post(self.pace, event.target.value))
        self.loop.on_update(lambda event: post(setattr, studio.playhead, "loop", event.target.value))
        self.follow.on_update(lambda event: post(setattr, studio.cameras, "following", event.target.value))
        self.views.on_click(lambda event: post(studio.cameras.view, event.target.value))
        command = studio.server.gui.add_command("Pause / play", hotkey="P")
        command.on_trigger(lambda _: post(self.toggle))

    def pace(self, speed: float) -> None:
        """Set the speed, also of a live run."""
        self.studio.playhead.speed = speed
        self.studio.drive.pace()

    def toggle(self) -> None:
        """Play or pause, also a live run."""
        if self.studio.live is not None:
            self.studio.live.paused = not self.studio.live.paused
        else:
            self.studio.playhead.toggle()

    def scrub(self, time: float) -> None:
        """Go to a time and pause."""
        self.studio.playhead.playing = False
        self.studio.playhead.seek(time)
        self.studio.show_moment(redraw=True)

    def step(self, which: str) -> None:
        """Step one frame forwards or backwards, or to an end."""
        ends = {"|<": -self.studio.playhead.duration, "<": -STEP, ">": STEP, ">|": self.studio.playhead.duration}
        self.studio.playhead.step(ends.get(which, 0.0))
        self.studio.show_moment(redraw=True)

    def load(self) -> None:
        """Set the length of the time slider for another run; a live run has none."""
        live, duration = self.studio.live is not None, max(self.studio.playhead.duration, FINEST)
        self.time.value = 0.0
        self.time.max = duration
        self.time.disabled = live

    def show_time(self) -> None:
        """Move the slider to the playhead."""
        self.time.value = min(round(self.studio.playhead.time / FINEST) * FINEST, self.time.max)

    def show_live(self, time: float) -> None:
        """Show the elapsed time of a live run [s]."""
        self.time.max = max(self.time.max, time)
        self.time.value = time

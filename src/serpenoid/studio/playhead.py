"""Playback state (time, speed, loop), independent of pages."""

from __future__ import annotations

from dataclasses import dataclass

SLOWEST, FASTEST = 0.1, 10.0  # run time per wall-clock time


@dataclass
class Playhead:
    """Current time of a run, which advances while it plays."""

    duration: float = 0.0  # [s]
    time: float = 0.0  # [s] since the first sample
    playing: bool = False
    speed: float = 1.0
    loop: bool = True

    def load(self, duration: float, playing: bool = True) -> None:
        """Rewind to the start of another run."""
        self.duration, self.time, self.playing = duration, 0.0, playing and duration > 0.0

    def advance(self, elapsed: float) -> bool:
        """Advance by a wall-clock time [s]; return whether anything moved."""
        if not self.playing:
            return False
        self.time += self.speed * elapsed
        if self.time > self.duration:
            self.time = self.time % self.duration if self.loop and self.duration > 0.0 else self.duration
            self.playing = self.loop
        return True

    def toggle(self) -> None:
        """Play or pause; restart at the end."""
        self.playing = not self.playing and self.duration > 0.0
        if self.playing and self.time >= self.duration:
            self.time = 0.0

    def seek(self, time: float) -> None:
        """Go to a time [s]."""
        self.time = min(max(time, 0.0), self.duration)

    def step(self, by: float) -> None:
        """Pause and move by a time [s]."""
        self.playing = False
        self.seek(self.time + by)

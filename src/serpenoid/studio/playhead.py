"""Where a playback is: time, speed, loop. Knows nothing of pages."""

from __future__ import annotations

from dataclasses import dataclass

SLOWEST, FASTEST = 0.1, 10.0  # times of the run per time of the clock


@dataclass
class Playhead:
    """A moment of a run that moves on while it plays."""

    duration: float = 0.0  # [s]
    time: float = 0.0  # [s] since the first sample
    playing: bool = False
    speed: float = 1.0
    loop: bool = True

    def load(self, duration: float, playing: bool = True) -> None:
        """Back to the start, of another run."""
        self.duration, self.time, self.playing = duration, 0.0, playing and duration > 0.0

    def advance(self, elapsed: float) -> bool:
        """Move on by a time of the clock [s]; whether anything moved."""
        if not self.playing:
            return False
        self.time += self.speed * elapsed
        if self.time > self.duration:
            self.time = self.time % self.duration if self.loop and self.duration > 0.0 else self.duration
            self.playing = self.loop
        return True

    def toggle(self) -> None:
        """Play or pause; at the end it begins again."""
        self.playing = not self.playing and self.duration > 0.0
        if self.playing and self.time >= self.duration:
            self.time = 0.0

    def seek(self, time: float) -> None:
        """Go to a moment [s]."""
        self.time = min(max(time, 0.0), self.duration)

    def step(self, by: float) -> None:
        """Pause, and go on or back by a time [s]."""
        self.playing = False
        self.seek(self.time + by)

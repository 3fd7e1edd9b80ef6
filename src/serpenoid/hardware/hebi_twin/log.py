"""Logs of the twin's groups: tables (CSV) with a column per module and quantity."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np

from serpenoid.estimation.tables import read_columns
from serpenoid.hardware.hebi_twin.messages import GroupFeedback

# quantity -> ending of its column
LOGGED = {
    "position": "rad", "velocity": "rad_s", "effort": "Nm", "position_command": "command_rad",
    "motor_position": "motor_rad", "voltage": "V", "motor_current": "A", "motor_winding_temperature": "degC",
}  # fmt: skip
STATES = tuple(f"v{i}" for i in range(1, 10))  # what log_user_state() writes


class LogWriter:
    """A log that is being written."""

    def __init__(self, path: Path, file: IO[str], modules: Sequence[str]):
        self.path, self.file, self.modules = path, file, list(modules)
        self.writer = csv.writer(file)
        self.states: dict[str, float] = {}
        self.start: float | None = None
        columns = [f"{module}_{ending}" for ending in LOGGED.values() for module in modules]
        self.writer.writerow(["time_s", *columns, *STATES])

    @classmethod
    def open(cls, folder: Path, name: str | None, modules: Sequence[str]) -> LogWriter:
        """A new file; its name is the time of day where none is given."""
        name = name or datetime.now().strftime("%Y-%m-%d_%H.%M.%S.%f")
        path = folder / (name if "." in Path(name).name[1:] and name.endswith(".csv") else f"{name}.csv")
        return cls(path, path.open("w", newline=""), modules)

    def write(self, feedback: GroupFeedback) -> None:
        """One row; states of the user since the last one stand in it."""
        time = float(feedback.full("receive_time").min())
        self.start = time if self.start is None else self.start
        cells = [f"{value:.9g}" for name in LOGGED for value in feedback.full(name)]
        self.writer.writerow([f"{time - self.start:.6f}", *cells, *(self.states.get(name, "") for name in STATES)])
        self.states = {}

    def close(self) -> LogFile:
        """The whole log."""
        self.file.close()
        return LogFile(self.path, len(self.modules))


class LogFile:
    """A closed log, by hebi-py's names."""

    def __init__(self, path: Path, number_of_modules: int):
        self.path, self.number_of_modules = path, number_of_modules

    @property
    def filename(self) -> str:
        """Where it is."""
        return str(self.path)

    @property
    def feedback_iterate(self) -> Iterator[Any]:
        """Every feedback of it, with its `time` over the modules [s]."""
        columns = read_columns(self.path)
        table = np.array(list(columns.values()))[: 1 + len(LOGGED) * self.number_of_modules]
        for time, *values in table.T:
            feedback = GroupFeedback(self.number_of_modules)
            feedback.values = dict(zip(LOGGED, np.reshape(values, (len(LOGGED), -1))))
            feedback.time = np.full(self.number_of_modules, time)  # type: ignore[attr-defined]
            yield feedback

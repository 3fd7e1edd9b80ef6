"""Logs of the emulator's groups: tables (CSV) with a column per module and quantity."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from hebi_twin.messages import GroupFeedback
from serpenoid.errors import FileProblem
from serpenoid.estimation.tables import COMMANDED, read_columns
from serpenoid.robots.sensors import SENSED

# quantity of feedback -> suffix of its column
LOGGED = {row.feedback: next(iter(row.columns))[1:] for row in SENSED.values() if row.feedback and row.columns}
LOGGED["position_command"] = COMMANDED[1:]
STATES = tuple(f"v{i}" for i in range(1, 10))  # columns of log_user_state()


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
        """Open a new file; its default name is the time of day."""
        name = name or datetime.now().strftime("%Y-%m-%d_%H.%M.%S.%f")
        path = folder / (name if "." in Path(name).name[1:] and name.endswith(".csv") else f"{name}.csv")
        return cls(path, path.open("w", newline=""), modules)

    def write(self, feedback: GroupFeedback) -> None:
        """Write one row, including user states since the last one."""
        time = float(feedback.full("receive_time").min())
        self.start = time if self.start is None else self.start
        cells = [f"{value:.9g}" for name in LOGGED for value in feedback.full(name)]
        self.writer.writerow([f"{time - self.start:.6f}", *cells, *(self.states.get(name, "") for name in STATES)])
        self.states = {}

    def close(self) -> LogFile:
        """Close the file and return the log."""
        self.file.close()
        return LogFile(self.path, len(self.modules))


class TimedGroupFeedback(GroupFeedback):
    """Feedback from a log."""

    __slots__ = ("_time",)

    def __init__(self, values: dict[str, NDArray], time: float, number_of_modules: int):
        super().__init__(number_of_modules)
        self.values, self._time = values, time

    @property
    def time(self) -> NDArray:
        """Time of each module from the start of the log [s]."""
        return np.full(self.size, self._time)


class LogFile:
    """A closed log, by hebi-py's names."""

    def __init__(self, path: Path, number_of_modules: int):
        self.path, self.number_of_modules = path, number_of_modules
        self._loaded: list[TimedGroupFeedback] | None = None

    def __len__(self) -> int:
        return -1 if self._loaded is None else len(self._loaded)

    @property
    def filename(self) -> str:
        """Path of the file."""
        return str(self.path)

    def load(self) -> None:
        """Read the whole log; only then its length is known."""
        self._loaded = list(self._read())

    @property
    def feedback_iterate(self) -> Iterator[TimedGroupFeedback]:
        """Yield every feedback message with its `time`."""
        return self._read() if self._loaded is None else iter(self._loaded)

    def _read(self) -> Iterator[TimedGroupFeedback]:
        columns = read_columns(self.path)
        table = np.array(list(columns.values()))[: 1 + len(LOGGED) * self.number_of_modules]
        for time, *values in table.T:
            quantities = dict(zip(LOGGED, np.reshape(values, (len(LOGGED), -1))))
            yield TimedGroupFeedback(quantities, float(time), self.number_of_modules)


def load_log(file: str, load: bool = True) -> LogFile:
    """Open a log of the emulator; hebi-py's function of this name reads its own binary files."""
    path = Path(file)
    if not path.is_file():
        raise OSError(f"file {file} does not exist")
    try:
        names = read_columns(path)
    except FileProblem as error:
        raise OSError(str(error)) from None
    modules = len(names) - 1 - len(STATES)
    if modules % len(LOGGED) or list(names)[-len(STATES) :] != list(STATES):
        raise OSError(f"file {file} is not a valid log file")
    found = LogFile(path, modules // len(LOGGED))
    if load:
        found.load()
    return found

"""Executor of chunks as arrays of SLURM jobs, and its options on the command line."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem, InvalidValue, Unsupported, whole_number
from serpenoid.sweeps.jobs import LARGEST_ARRAY, WAVES, Group, Jobs

COMMANDS = ("sbatch", "srun", "sacct", "scancel")
# Options of sbatch that submitit or this module sets.
OURS = ("array", "error", "job-name", "nodes", "ntasks", "ntasks-per-node", "open-mode", "output", "signal", "wckey")


class Slurm(Jobs):
    """Chunks in arrays of SLURM jobs: `Slurm("partition=cpu,time=2:00:00,jobs=64")`.

    `jobs` is the number of jobs that run at the same time. Every other key is an option of sbatch; `time` is required.
    The folder must be visible to all nodes.
    """

    def __init__(self, options: str, folder: str | Path = "slurm-jobs"):
        given = parse_options(options)
        count = whole_number("slurm: jobs", whole(given.pop("jobs", "32")), 1, LARGEST_ARRAY // WAVES)
        minutes = minutes_of(given.pop("time", ""), options)
        submitit = import_submitit()
        if missing := [name for name in COMMANDS if shutil.which(name) is None]:
            raise InvalidValue("slurm", options, f"used where SLURM is installed; not found: {', '.join(missing)}")
        with suppress(OSError):  # an unwritable folder is reported below
            Path(folder).mkdir(parents=True, exist_ok=True)
        try:
            own = Path(tempfile.mkdtemp(prefix="session-", dir=folder)).absolute()
        except OSError as error:
            raise FileProblem(folder, f"cannot hold the jobs ({error.strerror or error})") from None
        submitter = submitit.SlurmExecutor(own)
        submitter.update_parameters(
            time=minutes, array_parallelism=count, job_name="serpenoid", additional_parameters=given
        )
        super().__init__(submitter, count, own)
        self.options = options

    @property
    def name(self) -> str:
        return f"SLURM with {self.options}"

    def hand_out(self, function: Callable[..., Any], groups: list[Group]) -> None:
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        try:
            with redirect_stderr(StringIO()):  # submitit repeats what sbatch prints
                super().hand_out(function, groups)
        except (FailedJobError, FailedSubmissionError) as error:
            said = [line.strip() for line in str(error).splitlines() if "error" in line.lower()]
            reason = said[-1] if said else " ".join(str(error).split())
            raise InvalidValue("slurm", self.options, f"options that sbatch accepts ({reason})") from None

    def cancel(self) -> None:
        """Cancel all arrays under way in one call."""
        if arrays := sorted({job.job_id.partition("_")[0] for job in self.under_way}):
            subprocess.run(["scancel", *arrays], check=False, capture_output=True)
        self.under_way.clear()


def import_submitit() -> Any:
    """Import submitit, which an optional extra installs."""
    try:
        import submitit
    except ImportError:
        raise Unsupported("SLURM needs submitit: pip install 'serpenoid[slurm]'") from None
    return submitit


def parse_options(text: str) -> dict[str, str]:
    """Parse KEY=VALUE,KEY=VALUE."""
    given = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip().replace("_", "-")
        if not (equals and value.strip() and re.fullmatch(r"[a-z][a-z-]*", key)):
            raise InvalidValue("slurm", text, "KEY=VALUE,..., such as partition=cpu,time=2:00:00")
        if key in OURS:
            raise InvalidValue("slurm", text, f"without {key}, which serpenoid sets")
        given[key] = value.strip()
    return given


def minutes_of(text: str, options: str) -> int:
    """Convert a time limit of sbatch (M, M:S, H:M:S, D-H, D-H:M or D-H:M:S) to minutes, rounded up."""
    days, _, clock = text.rpartition("-")
    parts = clock.split(":")
    if len(parts) > 3 or not all(re.fullmatch(r"[0-9]{1,9}", part) for part in (days or "0", *parts)):
        wanted = "options with time=MINUTES, time=H:MM:SS or time=D-HH:MM:SS"
        raise InvalidValue("slurm", options, f"{wanted}, such as partition=cpu,time=2:00:00")
    numbers = [int(part) for part in parts]
    if not days:
        numbers = [0] * (len(parts) < 3) + numbers
    hours, minutes, seconds = (numbers + [0, 0])[:3]
    return max(1, math.ceil(60 * (24 * int(days or 0) + hours) + minutes + seconds / 60))


def whole(text: str) -> Any:
    """Convert digits to an integer; return other text unchanged."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else text

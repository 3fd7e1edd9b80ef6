"""SLURM: a stand-in for its commands runs real jobs, which are killed, time out and are cancelled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest
import slurm_functions as work
import slurm_stand_in
from search_tools import AVERAGE, RANGES, Bowl, run_search
from sweep_tools import CHUNK, OVER, SLOW, contents
from toy_scenario import Toy

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, Unsupported
from serpenoid.scenarios import SCENARIOS
from serpenoid.sweeps import Slurm, Threads, choose_executor, jobs
from serpenoid.sweeps.jobs import Jobs, run_group
from serpenoid.sweeps.slurm import minutes_of

submitit = pytest.importorskip("submitit")
OPTIONS = "partition=cpu,time=60,jobs=2"


def never():
    return False


def finished(executor, function, chunks, stopped=never):
    """Return outcome and reason by chunk."""
    ended = [part for part in executor.run(function, chunks, stopped) if part is not None]
    assert len({part.chunk for part in ended}) == len(ended)
    return {part.chunk: (part.outcome, part.reason) for part in ended}


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Install the stand-in; few jobs, and results that appear at once."""
    monkeypatch.setattr(jobs, "WAVES", 1)
    monkeypatch.setattr(jobs, "GRACE", 0.5)
    return slurm_stand_in.install(tmp_path / "slurm", monkeypatch)


def kill_one(state):
    """Kill a running job as a lost node would; return whether there was one."""
    groups = slurm_stand_in.running(state)
    if not groups:
        return False
    os.killpg(random.choice(list(groups.values())), signal.SIGKILL)
    return True


def sweep_with_kills(scenario, over, store, chunk, kills, state):
    """Run a sweep in SLURM jobs and kill jobs on the way; return the number of jobs that were lost."""
    left = [kills]

    def kill(status):
        if left[0] and status.done_here < status.total and kill_one(state):
            left[0] -= 1

    with Slurm(OPTIONS, store.with_suffix(".slurm")) as executor:
        found = sp.sweep(scenario, over, store, chunk=chunk, executor=executor, progress=kill)
    assert left == [0] and not store.with_suffix(".slurm").exists()
    assert found.attrs["chunks"]["open"] == 0
    return sum(text == "FAILED" for text in slurm_stand_in.states(state).values())


def test_the_bytes_are_those_of_threads_though_jobs_are_lost(slurm, tmp_path):
    assert sweep_with_kills(SLOW, OVER, tmp_path / "map.zarr", CHUNK, 2, slurm) >= 2
    sp.sweep(SLOW, OVER, tmp_path / "threads.zarr", chunk=CHUNK, executor=Threads(2))
    assert contents(tmp_path / "map.zarr") == contents(tmp_path / "threads.zarr")


def test_a_search_has_the_bytes_of_threads_though_a_job_is_lost(slurm, tmp_path):
    left = [1]

    def kill(status):
        if left[0] and kill_one(slurm):
            left[0] = 0

    bowl, store = Bowl(), tmp_path / "search.zarr"
    with Slurm(OPTIONS, tmp_path / "jobs") as executor:
        found = sp.optimise(bowl, RANGES, "height:min", store, AVERAGE, 12, executor, progress=kill)
    assert left == [0] and "FAILED" in slurm_stand_in.states(slurm).values()
    assert found == run_search(str(tmp_path / "threads.zarr"), trials=12)
    assert contents(store) == contents(tmp_path / "threads.zarr")


@pytest.mark.full
def test_ten_thousand_cells_with_twenty_lost_jobs(slurm, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "WAVES", 8)
    scenario, over = Toy(delay=0.005), {"gait.frequency": "0.5:6:100", "gait.lag": "0:2pi:50", "medium": "dry,viscous"}
    assert sweep_with_kills(scenario, over, tmp_path / "map.zarr", 25, 20, slurm) >= 20
    sp.sweep(scenario, over, tmp_path / "threads.zarr", chunk=25, executor=Threads(8))
    assert contents(tmp_path / "map.zarr") == contents(tmp_path / "threads.zarr")


@pytest.mark.full
def test_a_job_that_reaches_its_time_limit_returns_what_it_has(tmp_path, monkeypatch):
    state = slurm_stand_in.install(tmp_path / "slurm", monkeypatch, minute=15.0)
    monkeypatch.setattr(jobs, "WAVES", 1)
    with Slurm("partition=cpu,time=1,jobs=1", tmp_path / "jobs") as executor:
        assert finished(executor, work.sleep, range(12)) == {chunk: (chunk, "") for chunk in range(12)}
    assert len(slurm_stand_in.states(state)) >= 2


@pytest.mark.full
def test_a_chunk_longer_than_the_time_limit_is_given_up(slurm, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_MINUTE", "3")
    monkeypatch.setattr(jobs, "ATTEMPTS", 2)
    executor = Slurm("partition=cpu,time=1,jobs=1", tmp_path / "jobs")
    with executor, pytest.raises(SerpenoidError, match="2 jobs ended without a result.*no job has returned"):
        finished(executor, work.wait_forever, [0])


def test_before_the_time_limit_a_job_returns_finished_chunks():
    def warned(number, frame):
        raise submitit.core.utils.UncompletedJobError("Job not requeued because: timed-out")

    def compute(chunk):
        if chunk == 2:
            os.kill(os.getpid(), signal.SIGUSR2)
            time.sleep(10.0)
        return chunk

    before = signal.signal(signal.SIGUSR2, warned)
    try:
        assert run_group(compute, range(4)) == [(0, 0), (1, 1)]
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_an_error_of_ours_is_an_outcome_and_ends_the_group():
    def refuse(chunk):
        raise SerpenoidError("node7 has numpy 1 instead of 2")

    [(chunk, error)] = run_group(refuse, [5, 6])
    assert chunk == 5 and str(error) == "node7 has numpy 1 instead of 2"
    with pytest.raises(ZeroDivisionError):
        run_group(lambda chunk: chunk // 0, [1])


def test_local_jobs_isolate_the_chunk_that_kills_them(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "WAVES", 1)
    monkeypatch.setattr(jobs, "ATTEMPTS", 1)
    monkeypatch.setattr(jobs, "GRACE", 0.2)
    with Jobs(submitit.LocalExecutor(tmp_path / "jobs"), 1, tmp_path / "jobs") as executor:
        found = finished(executor, work.kill_at_three, [2, 3])
    assert found[2] == (4, "")
    assert found[3][0] is None and found[3][1].startswith("1 jobs ended without a result, the last one (")


def test_a_foreign_error_is_named_with_its_job(slurm, tmp_path):
    executor = Slurm("partition=cpu,time=60,jobs=1", tmp_path / "jobs")
    with (
        pytest.raises(SerpenoidError, match=r"job 101 failed: FileNotFoundError: pegs.csv; logs: ") as caught,
        executor,
    ):
        finished(executor, work.fail, [0])
    assert "\n" not in str(caught.value) and list((tmp_path / "jobs").rglob("*.err"))


def test_a_cancelled_array_ends_in_one_line_and_cancels_the_rest(slurm, tmp_path):
    def cancel_first():
        if slurm_stand_in.running(slurm):
            subprocess.run(["scancel", "101_0"], check=True)
        return False

    executor = Slurm("partition=cpu,time=60,jobs=1", tmp_path / "jobs")
    with executor, pytest.raises(SerpenoidError, match="job 101.* was cancelled; finished chunks are saved"):
        executor.count = 2
        finished(executor, work.wait_forever, [0, 1], cancel_first)
    assert set(slurm_stand_in.states(slurm).values()) == {"CANCELLED by 0"}


def test_a_stop_cancels_the_array(slurm, tmp_path):
    with Slurm("partition=cpu,time=60,jobs=1", tmp_path / "jobs") as executor:
        assert finished(executor, work.wait_forever, [0, 1], lambda: bool(slurm_stand_in.running(slurm))) == {}
    assert set(slurm_stand_in.states(slurm).values()) == {"CANCELLED by 0"}
    assert subprocess.run(["squeue"], capture_output=True, check=True).stdout == b""


def test_control_c_cancels_the_array_and_the_same_command_resumes(slurm, tmp_path):
    script = tmp_path / "serpenoid_with_toys.py"
    script.write_text(
        "import sys\nfrom serpenoid.cli import main\nfrom serpenoid.scenarios import SCENARIOS\n"
        'SCENARIOS["toy"] = "toy_scenario:Toy"\nsys.exit(main(sys.argv[1:]))\n'
    )
    words = [
        "sweep",
        "toy",
        "--delay",
        "60",
        "--over",
        "gait.frequency=1:2:2",
        "--slurm",
        "partition=cpu,time=60,jobs=1",
    ]
    process = subprocess.Popen(
        [sys.executable, str(script), *words, "--out", "map.zarr"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    while not slurm_stand_in.running(slurm):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "Traceback" not in said and "the same command resumes" in said
    assert set(slurm_stand_in.states(slurm).values()) == {"CANCELLED by 0"}
    assert not (tmp_path / "map.slurm").exists()


def test_a_full_quota_in_the_jobs_is_one_line(slurm, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_FILE_LIMIT", "0")
    monkeypatch.setattr(jobs, "ATTEMPTS", 1)
    executor = Slurm("partition=cpu,time=60,jobs=1", tmp_path / "jobs")
    with executor, pytest.raises(SerpenoidError, match="1 jobs ended without a result.*no job has returned one"):
        finished(executor, work.square, [0])


def test_a_full_quota_under_the_coordinator_is_one_line(slurm, tmp_path, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(submitit.core.utils.DelayedSubmission, "dump", full)
    executor = Slurm(OPTIONS, tmp_path / "jobs")
    with executor, pytest.raises(FileProblem, match="No space left on device.*the same command resumes"):
        finished(executor, work.square, [0, 1])


def test_a_partition_that_does_not_exist_is_one_line(slurm, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(SCENARIOS, "toy", "toy_scenario:Toy")
    words = ["--over", "gait.frequency=1:2:2", "--out", str(tmp_path / "map.zarr"), "--slurm", "partition=nope,time=5"]
    assert main(["sweep", "toy", *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "Invalid partition name specified" in said and "partition=nope,time=5" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("cpu", "must be KEY=VALUE"),
        ("partition=cpu", "time=MINUTES"),
        ("time=soon", "time=MINUTES"),
        ("time=\u0663", "time=MINUTES"),
        (f"time={'9' * 5000}", "time=MINUTES"),
        ("time=5,array=1-3", "without array"),
        ("time=5,jobs=0", "slurm: jobs = 0"),
        ("time=5,jobs=many", "slurm: jobs"),
        (f"time=5,jobs={'9' * 5000}", "slurm: jobs"),
    ],
)
def test_bad_options_are_refused(slurm, tmp_path, options, message):
    with pytest.raises(InvalidValue, match=message):
        Slurm(options, tmp_path / "jobs")


@pytest.mark.parametrize(
    ("text", "minutes"), [("90", 90), ("5:30", 6), ("2:00:00", 120), ("1-0", 1440), ("1-2:30", 1590), ("2-0:0:1", 2881)]
)
def test_time_limits_are_those_of_sbatch(text, minutes):
    assert minutes_of(text, text) == minutes


def test_without_slurm_or_submitit_the_line_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidValue, match="not found: sbatch, srun, sacct, scancel"):
        choose_executor(slurm=OPTIONS, folder=tmp_path / "jobs")
    with pytest.raises(InvalidValue, match="slurm = .*omitted if --workers is given"):
        choose_executor(workers=2, slurm=OPTIONS)
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(Unsupported, match=r"pip install 'serpenoid\[slurm\]'"):
        choose_executor(slurm=OPTIONS)

"""Runs in separate processes, as a user starts them: closed pipes, Ctrl-C, two at once, existing outputs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from serpenoid import cli
from serpenoid.cli import main
from serpenoid.scenarios import SCENARIOS
from serpenoid.trajectory import Trajectory
from serpenoid_papers.commands.bench import check_place

SHORT = ["--duration", "0.5", "--settle", "0.1"]
STIFF = ["--robot.drive.stiffness", "1e5", "--robot.drive.torque_limit", "1e5"]
PROGRAM = [sys.executable, "-m", "serpenoid"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    source = Path(__file__).parents[2] / "src"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def piped(words):
    """Run a command whose reader has closed the pipe; return the other pipe's output and the exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run([*PROGRAM, *words], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    return ended.returncode, lines(ended.stderr)


def lines(text):
    """Return the lines without those on compilation and progress, which a slow machine prints."""
    return [line for line in text.strip().splitlines() if "compiling" not in line and " %, " not in line]


@pytest.mark.parametrize("words", [["--help"], ["list"], ["run", "slither", "--help"], ["--version"]])
def test_a_closed_pipe_is_taken_quietly(words):
    assert piped(words) == (0, [])


def test_a_closed_pipe_loses_neither_recording_nor_pictures():
    assert piped(["run", "slither", *SHORT, "--out", "a.zarr", "--plot", "a.png", "--html", "a.html"]) == (0, [])
    assert Trajectory.load("a.zarr").complete
    assert Path("a.png").exists() and Path("a.html").exists()
    assert piped(["show", "a.zarr", "--plot", "b.png"]) == (0, [])
    assert Path("b.png").exists()
    over = ["--over", "gait.frequency=1,2", "--over", "gait.amplitude=0.2,0.3"]
    assert piped(["sweep", "slither", *SHORT, *over, "--out", "s.zarr"]) == (0, [])
    assert Path("s.png").exists()


def test_a_run_without_outputs_at_all_is_saved():
    closed = "import os; os.close(1); os.close(2); os.execv({0!r}, {1!r})"
    words = [*PROGRAM, "run", "slither", *SHORT, "--out", "silent.zarr"]
    assert subprocess.run([sys.executable, "-c", closed.format(PROGRAM[0], words)]).returncode == 0
    assert Trajectory.load("silent.zarr").complete


def refused(words, capsys, message):
    assert main(words) == 2
    printed = capsys.readouterr()
    assert message in printed.err and len(printed.err.strip().splitlines()) == 1
    assert printed.out == ""


def test_outputs_are_refused_before_the_run(capsys, elsewhere):
    Path("folder").mkdir()
    Path("folder/precious.txt").write_text("mine")
    Path("file.zarr").write_text("mine")
    run = ["run", "slither", "--duration", "9000"]  # would take long if it started
    refused([*run, "--out", "folder"], capsys, "folder: ")
    refused([*run, "--out", "file.zarr"], capsys, "is a file")
    refused([*run, "--out", "file.zarr/a.zarr"], capsys, "cannot be written")
    refused([*run, "--out", "run.png"], capsys, "--out run.png: must end in .zarr")
    refused([*run, "--html", "page"], capsys, "--html page: must end in .html")
    refused([*run, "--plot", "figure.jpeg"], capsys, "--plot figure.jpeg: must end in .png, .svg, .pdf")
    refused([*run, "--plot", "folder"], capsys, "must end in")
    Path("folder.png").mkdir()
    refused([*run, "--plot", "folder.png"], capsys, "is a folder")
    refused([*run, "--html"], capsys, "--html needs a value")
    assert sorted(p.name for p in elsewhere.iterdir()) == ["file.zarr", "folder", "folder.png"]


def test_files_of_another_kind_stay(capsys):
    for name, words in (("mine.toml", "schema = 1"), ("mine.xml", "<robot/>"), ("mine.json", '{"mine": 1}')):
        Path(name).write_text(words)
    write, bench = ["hebi", "gains", "write"], ["bench", "studio", "--json"]
    refused([*write, "mine.toml"], capsys, "mine.toml: must end in .xml")
    refused([*write, "mine.xml"], capsys, "mine.xml: exists")
    refused([*bench, "mine.toml"], capsys, "--json mine.toml: must end in .json")
    refused([*bench, "mine.json"], capsys, "mine.json: must be a new file")
    assert [p.read_text() for p in sorted(Path().iterdir())] == ['{"mine": 1}', "schema = 1", "<robot/>"]
    for _ in range(2):
        assert main([*write, "gains.xml"]) == 0
    Path("rows.json").write_text('{"rows": [], "machine": {}}')
    check_place(Path("rows.json"))


def test_nothing_is_written_into_a_recording_or_through_a_link_to_nothing(capsys):
    assert main(["run", "slither", *SHORT, "--out", "a.zarr"]) == 0
    capsys.readouterr()
    before = sorted(Path("a.zarr").rglob("*"))
    refused(["run", "slither", *SHORT, "--out", "a.zarr/b.zarr"], capsys, "a.zarr/b.zarr: ")
    refused(["run", "slither", *SHORT, "--html", "a.zarr/b.html"], capsys, "a.zarr/b.html: ")
    refused(["show", "a.zarr", "--plot", "a.zarr/deeper/b.png"], capsys, "a.zarr/deeper/b.png: ")
    refused(["render", "a.zarr", "a.zarr/b.gif"], capsys, "a.zarr/b.gif: ")
    Path("link.zarr").symlink_to("nowhere")
    refused(["run", "slither", *SHORT, "--out", "link.zarr"], capsys, "link.zarr: ")
    assert sorted(Path("a.zarr").rglob("*")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_under_the_output_is_one_line():
    with Path("/dev/full").open("w") as full:
        words = ["run", "slither", *SHORT]
        ended = subprocess.run([*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 2 and len(lines(ended.stderr)) == 1
    assert "No space left on device; saved: out/slither.zarr\n" in ended.stderr
    assert Trajectory.load("out/slither.zarr").complete


def test_a_working_folder_that_is_gone_is_one_line(capsys, monkeypatch):
    Path("gone").mkdir()
    monkeypatch.chdir("gone")
    Path("../gone").rmdir()
    refused(["run", "slither", *SHORT], capsys, "serpenoid: the working folder has been deleted\n")


def test_a_recording_is_replaced_only_where_asked(capsys):
    assert main(["run", "slither", *SHORT, "--out", "a.zarr"]) == 0
    capsys.readouterr()
    before = Trajectory.load("a.zarr")["joint_position"]
    other = ["run", "slither", *SHORT, "--gait.frequency", "1", "--out", "a.zarr"]
    refused(other, capsys, "--overwrite true")
    assert (Trajectory.load("a.zarr")["joint_position"] == before).all()
    assert main([*other, "--overwrite", "true"]) == 0
    assert (Trajectory.load("a.zarr")["joint_position"] != before).any()


def test_without_a_path_the_next_free_name_is_taken():
    for _ in range(3):
        assert main(["run", "slither", *SHORT]) == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["slither-2.zarr", "slither-3.zarr", "slither.zarr"]


def test_a_diverged_run_never_replaces_a_good_one(capsys):
    assert main(["run", "slither", *SHORT, "--out", "a.zarr"]) == 0
    for name in ("a-incomplete.zarr", "a-incomplete-2.zarr"):
        assert main(["run", "slither", *SHORT, *STIFF, "--out", "a.zarr", "--overwrite", "true"]) == 2
        assert f"saved until then: {name}\n" in capsys.readouterr().err
        assert Trajectory.load("a.zarr").complete
        assert not Trajectory.load(name).complete


def interrupted(words, after):
    """Start a run, press Ctrl-C after `after` seconds, and wait until it ends."""
    process = subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_lock(process)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def wait_for_lock(process):
    """Wait until a run has locked its output, just before its first step."""
    while not list(Path().glob(".*.lock")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    time.sleep(0.3)  # the file exists shortly before it is locked


LONG = {"mpc": "600", "push": "600", "slither": "4000", "formation": "40000"}


@pytest.mark.parametrize("made", [ImportError, SystemError])
def test_ctrl_c_that_compiled_code_makes_into_another_error_is_one_line(made, monkeypatch, capsys):
    def loading(words):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as pressed:
            raise made("initialization failed") from pressed

    monkeypatch.setattr(cli, "dispatch", loading)
    assert cli.main(["list"]) == 130 and capsys.readouterr().err == "serpenoid: interrupted\n"


REPRODUCE = "serpenoid_papers.commands.reproduce.reproduce"
KEPT = "out/slither-{}.zarr; "


@pytest.mark.parametrize(("words", "where", "line"), [
    (["sweep", "slither", "--over", "gait.frequency=1,2"], "serpenoid.sweeps.sweep", KEPT.format("sweep")),
    (["optimise", "slither", "--over", "gait.frequency=1:2", "--best", "speed"], "serpenoid.sweeps.optimise",
     KEPT.format("search")),
    (["reproduce", "jams"], REPRODUCE, "out/jams; "),
    (["reproduce", "jams", "--quick"], REPRODUCE, "; "),
])  # fmt: skip
def test_ctrl_c_says_what_is_kept(words, where, line, monkeypatch, capsys):
    def pressed(*rest):
        raise KeyboardInterrupt

    import_module(where.rpartition(".")[0])
    monkeypatch.setattr(where, pressed)
    assert main(words) == 130
    said = capsys.readouterr().err
    assert said.startswith("serpenoid: interrupted; ") and line in said and said.count("\n") == 1


LONG_NAME = "a" * 300


@pytest.mark.parametrize("words", [
    ["show", f"{LONG_NAME}.zarr"], ["run", "--from", f"{LONG_NAME}.zarr"], ["render", f"{LONG_NAME}.zarr", "a.gif"],
    ["run", "slither", "--out", f"{LONG_NAME}.zarr"], ["run", "slither", "--html", f"{LONG_NAME}.html"],
    ["run", "undulate", "--robot", f"{LONG_NAME}.urdf"],
])  # fmt: skip
def test_a_path_that_the_system_refuses_is_one_line(words, capsys):
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("serpenoid: ") and said.count("\n") == 1


# These have different engines and loops; the others belong to the long checks.
OFTEN = ("slither", "mpc", "natrix", "push")
EVERY = [name if name in OFTEN else pytest.param(name, marks=pytest.mark.full) for name in SCENARIOS]


@pytest.mark.parametrize("name", EVERY)
def test_ctrl_c_keeps_what_was_simulated(name):
    duration = LONG.get(name, "20000")
    times = ["--duration", duration, "--sample_period", "0.05", "--control_period", "0.05"]
    words = ["run", name, *times, "--out", "a.zarr"]
    code, out, err = interrupted(words, 3.0)
    assert (code, out) == (130, "")
    (line,) = (line for line in lines(err) if "warning" not in line)
    assert "interrupted" in line
    if "until then" in line:  # otherwise kernels were still being compiled
        kept = Trajectory.load("a.zarr")
        assert not kept.complete and 0.0 < kept.duration < float(duration)
        assert kept.configuration["scenario"]["duration"] == float(duration)
        assert main(["show", "a.zarr"]) == 0


def test_the_second_of_two_runs_to_one_path_is_refused(capsys):
    words = ["run", "slither", "--duration", "4000", "--sample_period", "0.1", "--out", "a.zarr"]
    process = subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_lock(process)
        refused(["run", "slither", *SHORT, "--out", "a.zarr", "--overwrite", "true"], capsys, "another run")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert not list(Path().glob(".*.lock"))


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "gopher://x:1", ":", "tcp://127.0.0.1:1"])
def test_a_cluster_that_is_not_there_is_one_line(address):
    words = ["sweep", "slither", *SHORT, "--over", "gait.frequency=1,2", "--out", "s.zarr", "--cluster", address]
    ended = subprocess.run([*PROGRAM, *words], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = lines(ended.stderr)
    assert "cluster" in line and not Path("s.zarr").exists()

"""Logs of modules from every source, cut and broken ones among them, and `serpenoid hebi` on the emulator."""

from __future__ import annotations

import io
import os
import signal
import sys
from pathlib import Path
from subprocess import PIPE, Popen
from types import SimpleNamespace

import numpy as np
import pytest

import hebi_twin as twin
import serpenoid as sp
from serpenoid.cli import main, telemetry
from serpenoid.errors import FileProblem
from serpenoid.hardware.log_comparison import compare_paths, worth_showing
from serpenoid.hardware.module_logs import ModuleLog, log_of, read_log

JOINTS = ("a", "b")
TIMES = np.array([0.0, 0.1, 0.2])
ANGLES = np.array([[0.0, 0.1], [0.2, 0.3], [0.4, 0.5]])


def table(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_gaps_are_refused_in_one_line(tmp_path: Path) -> None:
    """A log compared with a simulation has no gaps; the format itself is tested with its reader."""
    for bad, words in (("0,1,2\n0.2,nan,2\n", "joint position that is not finite"), ("0,1,2\n0.1,1", "incomplete")):
        with pytest.raises(FileProblem, match=words) as error:
            read_log(table(tmp_path / "a.csv", "time_s,a_rad,b_rad\n" + bad), JOINTS)
        assert "row 3" in str(error.value) and "\n" not in str(error.value)


def test_a_log_in_milliseconds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="10 s apart"):
        read_log(table(tmp_path / "a.csv", "time_s,a_rad,b_rad\n0,1,2\n10,1,2\n20,1,2\n"), JOINTS)


def test_a_log_of_the_twin_is_read(tmp_path: Path) -> None:
    """The reader accepts the output of a group; a log that was cut is refused."""
    robot = sp.robots.PlanarSnake()
    link = twin.link_of(twin.bench_of(robot, sp.worlds.Plane()), realtime=False)
    group = twin.Lookup(link=link).get_group_from_family("SEA Snake")
    path = Path(group.start_log(str(tmp_path), "run"))
    link.sleep(0.2)
    group.stop_log()
    log = read_log(path, robot.joint_names)
    assert set(log.values) == {"joint_position", "joint_velocity", "joint_torque"} and len(log.times) == 20
    path.write_text(path.read_text()[:-100])
    with pytest.raises(FileProblem, match="incomplete"):
        read_log(path, robot.joint_names)


def test_a_hebilog_goes_through_hebi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in for hebi-py's log, as no real one can be made here; what hebi-py refuses is refused in one line."""
    hebi = pytest.importorskip("hebi")
    path = table(tmp_path / "a.hebilog", "no log")
    with pytest.raises(FileProblem, match="cannot be read as a log of HEBI"):
        read_log(path, JOINTS)
    rows = [
        SimpleNamespace(time=np.full(2, time), position=row, velocity=row, effort=row)
        for time, row in zip(TIMES, ANGLES)
    ]
    monkeypatch.setattr(hebi.util, "load_log", lambda name: SimpleNamespace(feedback_iterate=iter(rows)))
    log = read_log(path, JOINTS)
    np.testing.assert_allclose(log.values["joint_torque"], ANGLES)
    np.testing.assert_allclose(log.times, TIMES)


def test_paths_are_laid_on_each_other() -> None:
    """A path that is turned, mirrored and has another axis up is the same path."""
    times = np.linspace(0.0, 1.0, 30)
    track = np.array([times, 0.3 * np.sin(3 * times), 0.0 * times]).T
    turn = np.array([[0.6, 0.0, 0.8], [0.8, 0.0, -0.6], [0.0, 1.0, 0.0]])
    log = ModuleLog(JOINTS, times, {}, track @ turn + 5.0)
    found = compare_paths(log, ModuleLog(JOINTS, times, {}, track))
    assert found is not None and found.rms < 1e-12 and found.distances[0] == pytest.approx(found.distances[1])


def test_joints_with_nothing_to_see_are_not_drawn() -> None:
    """One that moves, one that moves very little, one that rests where the simulation has it elsewhere."""
    recorded = np.array([[0.0, 0.0, -1.5], [1.0, 1e-4, -1.5]])
    np.testing.assert_array_equal(worth_showing(recorded, recorded * [1.0, 0.0, 0.0]), [0, 2])
    np.testing.assert_array_equal(worth_showing(np.zeros((2, 3)), np.zeros((2, 3))), [0])


FIELDS = ["--gait.amplitude", "0.4", "--gait.frequency", "0.5", "--duration", "0.6", "--settle", "0.1"]


def test_the_command_line_runs_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = str(tmp_path / "run.zarr")
    assert main(["hebi", "run", "slither", "--twin", "--fast", "--out", path, *FIELDS]) == 0
    assert main(["hebi", "compare", path, "--scenario", "slither", *FIELDS]) == 0
    said = capsys.readouterr().out
    assert "path: rms distance" in said and (tmp_path / "run.png").exists()
    assert main(["hebi", "run", "slither", "--dry-run", *FIELDS]) == 0
    assert "no limits would be exceeded; nothing was sent" in capsys.readouterr().out
    assert main(["hebi", "run", "slither", "--dry-run", "--gait.frequency", "3", *FIELDS[:2], *FIELDS[4:]]) == 2
    assert ": rate " in capsys.readouterr().out
    modules = "".join(
        f'[[joint]]\njoint = "joint_{j}"\nmodule = "M{j}"\nsign = -1\noffset = {0.5 * (j == 2)}\n' for j in range(4)
    )
    (tmp_path / "map.toml").write_text(f'schema = 1\nfamily = "mine"\n{modules}')
    assert main(["hebi", "run", "slither", "--dry-run", "--map", str(tmp_path / "map.toml"), *FIELDS]) == 0
    said = capsys.readouterr().out
    row = next(line.split() for line in said.splitlines() if "M2" in line)
    assert "to family mine" in said and float(row[2]) > 0.0 and float(row[3]) > 0.7  # as the module is commanded
    gains = str(tmp_path / "gains.xml")
    assert main(["hebi", "gains", "write", gains, "--strategy", "2"]) == 0
    for wrong in (["--gains", gains], ["--names", "A,B"]):
        assert main(["hebi", "run", "slither", "--dry-run", *wrong, *FIELDS]) == 2


def test_gains_of_another_strategy_are_refused_with_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    gains = str(tmp_path / "gains.xml")
    assert main(["hebi", "gains", "write", gains, "--strategy", "3"]) == 0
    assert main(["hebi", "run", "slither", "--twin", "--fast", "--gains", gains, *FIELDS]) == 2
    said = capsys.readouterr().err
    assert "gains write NEW.xml --strategy 4" in said and "--robot.drive cascade --robot.drive.strategy 3" in said


def test_faults_without_an_amount_are_noticed() -> None:
    faults, safety = [sp.hardware.Fault(kind) for kind in ("hot", "brown_out", "late")], sp.hardware.Safety()
    assert faults[0].strength > safety.most_temperature and faults[1].strength < safety.least_voltage
    assert faults[2].strength > safety.late_periods * 0.01 and sp.hardware.Fault("hot", amount=0.0).strength == 0.0


def test_a_comparison_begins_after_the_soft_start(tmp_path: Path) -> None:
    """The first reading is that of before it, and would be far from the simulation."""
    gait = sp.gaits.Serpenoid(amplitude=0.4, frequency=0.5, spatial_frequency=-5.6)
    with sp.hardware.twin(sp.robots.PlanarSnake(), sp.worlds.Plane()) as plant:
        log = log_of(sp.run_loop(plant, gait, 0.2), plant.robot.joint_names)
    assert (
        log.commands is not None
        and log.begun().times[0] == pytest.approx(0.01)
        and not log.values["joint_position"][0].any()
    )
    assert np.abs(log.begun().values["joint_position"]).max(axis=1).min() > 0.1


def test_telemetry_has_its_units_and_is_drawn_by_another_process(tmp_path: Path) -> None:
    """Angles, torques, temperatures and voltages of every module, as a terminal shows them; Ctrl-C does not end it."""
    lines = io.BytesIO()
    with sp.hardware.twin(sp.robots.PlanarSnake(), sp.worlds.Plane()) as plant:
        plant.start(sp.Initial(), np.random.default_rng(0))
        telemetry.tell(plant, lines)
    wide = {**os.environ, "COLUMNS": "120", "FORCE_COLOR": "1"}
    words = [sys.executable, "-P", telemetry.__file__]
    with Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=wide) as artist:
        assert artist.stdout.readline() == b"ready\n"
        artist.send_signal(signal.SIGINT)
        said = artist.communicate(lines.getvalue())[1].decode()
    assert artist.returncode == 0
    for words in ("angle [rad]", "torque [N m]", "motor [deg C]", "supply [V]", "SA002", "48.000"):
        assert words in said
    lines.close()
    telemetry.tell(plant, lines)  # its owner is gone: nothing happens


def test_the_command_line_ends_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A held run: its recording is saved, the last line names the reason, the exit code is 2."""
    path = tmp_path / "run.zarr"
    assert (
        main(["hebi", "run", "slither", "--twin", "--fast", "--out", str(path), "--safety.most_speed", "0.5", *FIELDS])
        == 2
    )
    said = capsys.readouterr().err.splitlines()
    assert "held at t = 0 s: commanded rate" in said[-1] and str(path) in said[-1] and path.exists()
    for words in (["run", "slither", "--fast"], ["run", "slither", "--twin", "--names", "a,b"], ["polish"], ["run"]):
        assert main(["hebi", *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_twin_is_listed(capsys: pytest.CaptureFixture) -> None:
    assert main(["hebi", "list", "--twin"]) == 0
    said = capsys.readouterr().out
    assert said.count("SEA Snake") == 18 and said.count("Snake Monster") == 4 and "10.10.10.10" in said

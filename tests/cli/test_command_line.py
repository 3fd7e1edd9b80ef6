"""Command line: valid commands, and one line with exit code 2 for invalid input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from serpenoid.cli import commands, main
from serpenoid.cli.printing import cell_text
from serpenoid.scenarios import SCENARIOS, Quantity, find_scenario
from serpenoid.trajectory import Trajectory

SHORT = ["--duration", "0.5", "--settle", "0.1"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list_names_every_scenario_with_a_line(capsys):
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for name in SCENARIOS:
        line = next(line for line in printed.splitlines() if line.split()[:1] == [name])
        assert len(line.split()) > 3


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert command in capsys.readouterr().out


@pytest.mark.parametrize("name", SCENARIOS)
def test_help_of_a_scenario_lists_fields_with_meaning_and_default(name, capsys):
    assert main(["run", name, "--help"]) == 0
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("  --"):
            words = line.split("[default:")
            assert len(words) == 2, line
            assert len(words[0].split()) > 1, f"no meaning: {line}"


def test_run_saves_shows_and_repeats_bit_for_bit(capsys, elsewhere):
    assert main(["run", "slither", *SHORT, "--gait.frequency", "1.5", "--out", "a.zarr"]) == 0
    assert "speed" in capsys.readouterr().out
    assert main(["run", "--from", "a.zarr", "--out", "b.zarr"]) == 0
    first, second = Trajectory.load("a.zarr"), Trajectory.load("b.zarr")
    for name in first.variables:
        assert first[name].tobytes() == second[name].tobytes(), name
    assert main(["show", "a.zarr"]) == 0
    assert "joint_position" in capsys.readouterr().out
    assert Path("a.png").stat().st_size > 1000


def test_a_run_from_a_file_can_still_be_changed(elsewhere):
    Path("run.toml").write_text(
        'schema = 1\nscenario = "slither"\nduration = 0.5\nsettle = 0.1\n[world]\nmedium = "viscous"\n'
    )
    assert main(["run", "--from", "run.toml", "--gait.frequency", "1.25", "--out", "t.zarr"]) == 0
    scenario = Trajectory.load("t.zarr").configuration["scenario"]
    assert scenario["world"]["medium"] == "viscous"
    assert scenario["gait"]["frequency"] == 1.25


BAD = [
    (["fly"], "unknown command 'fly'"),
    (["run"], "scenario"),
    (["run", "slithr"], "did you mean slither"),
    (["run", "slither", "--gait.frequncy", "1"], "gait.frequncy"),
    (["run", "natrix", "--gait.frequncy", "1"], "choose from --gait.frequency"),
    (["run", "slither-pegs", "--world", "peg_board", "--world.foo", "1"], "unknown option '--world.foo'"),
    (["run", "slither", "--gait.frequency", "fast"], "gait.frequency = 'fast': must be "),
    (["run", "slither", "--gait.frequency"], "--gait.frequency needs a value [Hz]"),
    (["run", "slither", "--robot.link_mass", "-1"], "robot.link_mass = -1.0: must be from 1e-05 to 10000 kg"),
    (["run", "slither", "--robot.links", "0"], "robot.links = 0"),
    (["run", "slither", "--robot.links", "2.5"], "robot.links = '2.5': must be "),
    (["run", "slither", "--world.medium", "lava"], "world.medium"),
    (
        ["run", "slither", "--control_period", "0.0015"],
        "control_period = 0.0015: must be ",
    ),
    (["run", "slither", "--world.smoothing", "1e-7"], "smoothing"),
    (["run", "slither", "--duration", "nan"], "duration"),
    (["run", "slither", "--duration", "1_0"], "duration = '1_0': must be a number [s]"),
    (["run", "slither", "--duration", "\u0663"], "duration = '\u0663': must be a number [s]"),
    (["run", "slither", "--duration", "1e400"], "duration = inf: must be from 1e-07 to 1e+06 s"),
    (["run", "slither", "--duration", ""], "--duration needs a value"),
    (["run", "slither", "--robot.links", "1_0"], "robot.links = '1_0': must be a whole number"),
    (["run", "slither", "--robot.links", "\u0663"], "robot.links = '\u0663': must be a whole number"),
    (["sweep", "slither", "--over", "gait.frequency=1_0:2:3"], "gait.frequency = '1_0': must be a number"),
    (["run", "slither", "--sample_period", "9"], "sample_period = 9.0: must be "),
    (["run", "slither", "--start.joint_position", "1,2"], "start.joint_position = (1.0, 2.0): must be 4 numbers"),
    (["run", "slither", "--robot.link_length", "0.1,0.2"], "robot.link_length = (0.1, 0.2): must be "),
    (["run", "--from"], "--from needs a value"),
    (["run", "SLITHER"], "did you mean slither?"),
    (["run", "slither", "--overwite"], "did you mean --overwrite?"),
    (
        ["run", "climb-pole", "--controller", "helix", "--world.radius", "0.02"],
        "world.radius = 0.02: must be ",
    ),
    (
        ["run", "climb-pole", "--controller", "helix", "--world.radius", "2"],
        "world.radius = 2.0: must be ",
    ),
    (["run", "sidewind-pegs", "--controller.turning", "nothing"], "choose from inertial_turning"),
    (
        ["run", "slither-pegs", "--controller", "central_pattern_generator", "--controller.amplitude.rate", "3"],
        "unknown option '--controller.amplitude.rate'",
    ),
    (["hebi", "run", "slithering", "--fsat"], "did you mean --fast?"),
    (["hebi", "run", "slithering"], "names = None: must be "),
    (["run", "slither", "--world.radius", "1"], "did you mean --robot.radius?"),
    (["run", "slither", "--frequency", "1"], "did you mean --gait.frequency?"),
    (["run", "climb-pole", "--world.diameter", "0.1"], "did you mean --world.radius?"),
    (["run", "slither", "--robot.weight", "2"], "did you mean --robot.link_mass?"),
    (["run", "slither", "--dt", "0.1"], "did you mean --step?"),
    (["run", "rolling", "--world", "slope", "--world.angle", "5"], "(5 deg = 0.08727 rad)"),
    (["run", "slither", "--seed", "9" * 30], "seed = "),
    (["run", "undulate", "--robot", "folder/"], ".toml, .xml, .mjcf or .urdf"),
    (["sweep", "slither", "--over", "gait.frequency=nan,1"], "gait.frequency = nan: must be "),
    (["sweep", "slither", "--over", "gait.frequency=1:2", "--sample", "sobol"], "must be sobol:COUNT"),
    (["sweep", "slither", "--over", "gait.frequency=1,2", "--out", "map.txt"], "--out map.txt: must end in .zarr"),
    (["sweep", "slither"], "over"),
    (["optimise", "slither", "--best", "speed"], "over"),
    (["run", "slither", "--out", "a.zarr", "--plot", "a.zarr/x.png"], "a.zarr/x.png: "),
    (["run", "slither", "--robot.drive.damping", "1,2"], "robot.drive.damping = (1.0, 2.0): must be "),
    (["run", "--from", "."], "serpenoid: .: "),
    (["render", "a.zarr"], "render"),
    (["run", "slither", "--duration", "-1"], "duration"),
    (
        ["run", "slither", "--robot", "natrix"],
        "natrix runs in: undulate, natrix, ",
    ),
    (["run", "slither", "--gait", "bending"], "bending runs in: undulate, "),
    (
        ["sweep", "slither", "--world", "floor", "--over", "seed=1,2"],
        "floor runs in: sidewind-route, ",
    ),
    (["run", "slither-pegs", "--controller", "undulation"], "unknown controller 'undulation'"),
    (["run", "slither", "--step", "0.5"], "step = 0.5: must be "),
    (["run", "slither", "--step", "0.0003", "--control_period", "0.01"], "control_period = 0.01: must be "),
    (["run", "slither", "--gait.amplitude", "45deg"], "[rad], such as 0.785 or 0.25pi\n"),
    (["run", "slither", "--settle", "soon"], "settle = 'soon': must be "),
    (["run", "slither", "--robot.link_length", "0.1,,0.2"], "robot.link_length = '0.1,,0.2': must be "),
    (
        ["run", "slither", "--robot.link_length", "[0.1,0.2]"],
        "robot.link_length = '[0.1,0.2]': must be a number [m]",
    ),
    (["run", "mpc", "--world.obstacles", "disc:0,,0,1"], "'disc:0,,0,1': must be disc:center_x,center_y,radius"),
    (["run", "slither", "--settle", "5.999"], "settle = 5.999: "),
    (["run", "slither", "--robot.drive", "magic"], "pd, prescribed"),
    (["run", "slither", "--out", "/proc/x.zarr"], "cannot be written"),
    (["run", "--from", "nothing.zarr"], "no such file"),
    (["run", "--from", "nothing.toml"], "no such file"),
    (["run", "slither", "--from", "x.zarr"], "scenario = 'slither': must be "),
    (["run", "undulate", "--robot", "nothing.toml"], "no such file"),
    (["show", "nothing.zarr"], "no such file"),
    (["show"], "recording or sweep"),
    (["bench", "nothing"], "unknown topic"),
    (["reproduce", "nothing"], "unknown paper"),
    (["reproduce"], "paper"),
    (["list", "x"], "list x: must have no arguments"),
    (["demo", "--outt", "x"], "outt"),
]


@pytest.mark.parametrize("words, message", BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_line_and_exit_code_2(words, message, capsys, elsewhere):
    before = sorted(elsewhere.rglob("*"))
    assert main(words) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert "Traceback" not in printed.err
    assert sorted(elsewhere.rglob("*")) == before, "something was left behind"


def test_help_may_come_before_the_scenario(capsys):
    assert main(["run", "--help", "slither"]) == 0
    assert "--gait.frequency" in capsys.readouterr().out


def test_a_list_of_bodies_is_asked_for_in_plain_words(capsys, elsewhere):
    Path("robot.toml").write_text('schema = 1\ntype = "body_tree"\nbodies = 3\n')
    assert main(["run", "undulate", "--robot", "robot.toml"]) == 2
    assert "bodies = 3: must be " in capsys.readouterr().err


def test_a_diverging_run_saves_what_it_has(capsys, elsewhere):
    stiff = ["--robot.drive.stiffness", "1e5", "--robot.drive.torque_limit", "1e5"]
    assert main(["run", "slither", *stiff, *SHORT, "--out", "d.zarr"]) == 2
    assert "diverged at t =" in capsys.readouterr().err
    kept = Trajectory.load("d.zarr")
    assert not kept.complete
    assert np.isfinite(kept["joint_position"]).all()


def test_obstacles_of_the_world_are_written_in_words(capsys, elsewhere):
    words = ["run", "mpc", "--duration", "0.2", "--settle", "0.1", "--out", "a.zarr"]
    assert main([*words, "--world.obstacles", "disc:-1,0.3,0.2", "wall:-2,1,-1,1,0.05"]) == 0
    obstacles = Trajectory.load("a.zarr").configuration["world"]["obstacles"]
    assert [(o["type"].rpartition(":")[2], o["radius"]) for o in obstacles] == [("Disc", 0.2), ("Wall", 0.05)]
    capsys.readouterr()
    for given, said in (
        ("disc:0.5,0,0.1", "must be clear"),
        ("disc:1,2", "disc:center_x,center_y"),
    ):
        assert main([*words, "--world.obstacles", given]) == 2
        printed = capsys.readouterr().err.strip()
        assert "world.obstacles" in printed and said in printed and "\n" not in printed


def test_a_seed_repeats_scatter_and_noise_and_another_differs(elsewhere):
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        words = ["--scatter", "0.1", "--seed", seed, "--out", f"{name}.zarr"]
        assert main(["run", "slither", *SHORT, *words]) == 0
    a, b, c = (Trajectory.load(f"{name}.zarr")["joint_position"] for name in "abc")
    np.testing.assert_array_equal(a, b)
    assert np.abs(a[0] - c[0]).max() > 0.01


def test_a_toml_file_takes_pi_and_serves_sweeps(capsys, elsewhere):
    Path("run.toml").write_text(
        'schema = 1\nscenario = "slither"\nduration = 0.5\n[gait]\nspatial_frequency = "1.7pi"\namplitude = 0.37\n'
    )
    assert main(["run", "--from", "run.toml", "--out", "t.zarr"]) == 0
    gait = Trajectory.load("t.zarr").configuration["scenario"]["gait"]
    assert gait["spatial_frequency"] == pytest.approx(1.7 * np.pi)
    capsys.readouterr()
    assert main(["show", "t.zarr"]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[1:5] == [
        "  robot: planar_snake, 5 links", "  world: plane (dry)",
        "  gait: serpenoid, amplitude 0.37, spatial_frequency 1.7pi", "  scenario: slither, serpenoid 0.1.0, seed 0",
    ]  # fmt: skip
    assert main(["sweep", "--from", "run.toml", "--over", "gait.frequency=1,2", "--out", "s.zarr"]) == 0
    capsys.readouterr()
    for words, said in (
        (
            ["sweep", "--from", "run.toml", "--over", "gait.frequency=1,2", "--gait.frequency", "1"],
            "--gait.frequency = ",
        ),
        (["show", "s.zarr", "--html", "a.html"], "--html a.html"),
        (["show", "t.zarr", "--best", "speed"], "--best speed"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err


def test_error_of_a_scenario_file_names_scenarios_that_accept_its_robot(capsys, elsewhere):
    Path("run.toml").write_text('schema = 1\nscenario = "slither"\n[robot]\ntype = "natrix"\n')
    assert main(["run", "--from", "run.toml"]) == 2
    said = capsys.readouterr().err
    assert "run.toml: robot = 'natrix': must be planar_snake" in said and "natrix runs in: " in said


def test_a_speed_that_is_rounding_is_nothing(capsys):
    assert Quantity(-1.1e-18, "m/s").formatted() == (0.0, "m/s") and Quantity(1e-18, "W").formatted() == (1e-18, "W")
    assert cell_text(Quantity(-1e-13, "m/s").formatted()[0]) == "0" and Quantity(1e-9, "m/s").formatted()[0] == 1e-9


def test_missing_data_of_a_recording_hides_nothing_else(capsys, elsewhere):
    run = replace(find_scenario("slither")(), duration=0.5).run()
    plain = run.configuration
    old = json.dumps(plain | {"scenario": plain["scenario"] | {"settle": 0.499}})
    Trajectory(run.times, run.variables, run.labels, run.attributes | {"configuration": old}).save("old.zarr")
    first = {name: (dims, values[:1], *rest) for name, (dims, values, *rest) in run.variables.items()}
    Trajectory(run.times[:1], first, run.labels, run.attributes).save("one.zarr")
    for name, shown, warning in (
        ("old.zarr", "  speed: ", "serpenoid: warning: settle = 0.499: "),
        ("one.zarr", "  no summary: run = '1 samples'", ""),
    ):
        assert main(["show", name]) == 0
        printed = capsys.readouterr()
        assert shown in printed.out and "joint_position" in printed.out and "figure: " in printed.out
        assert printed.err.startswith(warning) and printed.err.count("\n") == bool(warning)


def test_help_of_run_mentions_files(capsys):
    assert main(["run", "--help"]) == 0
    assert "--from FILE" in capsys.readouterr().out


@pytest.mark.parametrize("count", ["0", "-3", " 00 "])
def test_a_number_of_threads_that_numba_rejects_is_one_line(monkeypatch, capsys, count):
    monkeypatch.setenv("NUMBA_NUM_THREADS", count)
    assert main(["list"]) == 2
    assert (
        capsys.readouterr().err == f"serpenoid: NUMBA_NUM_THREADS = {count.strip()!r}: must be at least 1, or not set\n"
    )

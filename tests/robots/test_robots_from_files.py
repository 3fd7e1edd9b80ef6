"""Snakes that others might have made, as files: any gait that their joints allow runs on them from the command line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.errors import FileProblem
from serpenoid.robots import Natrix, PlanarSnake, load, write_model
from serpenoid.trajectory import Trajectory

LINK = (
    '<inertial><origin xyz="0.05 0 0"/><mass value="0.2"/>'
    '<inertia ixx="1e-4" ixy="0" ixz="0" iyy="3e-4" iyz="0" izz="3e-4"/></inertial>'
)


def urdf(axes):
    """A chain of links of 0.1 m, with a hinge about each axis in turn."""
    links = "".join(f'<link name="link{i}">{LINK}</link>' for i in range(len(axes) + 1))
    joints = "".join(
        f'<joint name="joint{i}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/>'
        f'<origin xyz="0.1 0 0"/><axis xyz="{axis}"/><limit lower="-1.5" upper="1.5" effort="5" velocity="5"/>'
        f'<dynamics damping="0.05"/></joint>'
        for i, axis in enumerate(axes)
    )
    return f'<robot name="snake">{links}{joints}</robot>'


Z, Y, X = "0 0 1", "0 1 0", "1 0 0"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, axes in {"alternating": [Z, Y] * 4, "flat": [Z] * 5, "rolling": [X] * 3}.items():
        (tmp_path / f"{name}.urdf").write_text(urdf(axes))
    return tmp_path


def test_joints_are_known_by_their_axes(files):
    snake = load("alternating.urdf")
    assert snake.yaw_joints == (0, 2, 4, 6) and snake.pitch_joints == (1, 3, 5, 7)
    np.testing.assert_allclose(snake.arc_positions, 0.1 * np.arange(1, 9))
    assert snake.length == pytest.approx(0.9)
    assert load("flat.urdf").pitch_joints == ()


@pytest.mark.parametrize("gait", ["undulation", "bending", "serpenoid", "compound_serpenoid", "sidewinding"])
def test_gaits_run_on_a_snake_from_a_file(files, gait):
    words = ["run", "undulate", "--robot", "alternating.urdf", "--gait", gait, "--duration", "0.5", "--out", "a.zarr"]
    assert main(words) == 0
    assert main([*words[:-1], "b.zarr", "--robot.fixed_base", "false"]) == 0  # the same snake, set free
    drift = np.ptp(Trajectory.load("b.zarr")["center_of_mass"], axis=0)
    assert drift.max() < 1e-6  # nothing outside acts on it
    run = Trajectory.load("a.zarr")
    assert run["joint_position"].shape[1] == 8
    assert np.ptp(run["joint_position"][:, 0]) > 0.0


@pytest.mark.parametrize("gait", ["undulation", "bending"])
def test_a_gait_that_the_joints_do_not_allow_is_refused_in_one_line(files, gait, capsys):
    assert main(["run", "undulate", "--robot", "rolling.urdf", "--gait", gait, "--out", "a.zarr"]) == 2
    printed = capsys.readouterr().err.strip()
    assert "no joint that bends it sideways" in printed and "\n" not in printed


def test_a_gait_names_the_robot_that_it_refuses(files, capsys):
    assert main(["run", "rolling", "--robot", "flat.urdf", "--out", "a.zarr"]) == 2
    assert "Rolling needs at least 3 dorsal joints: snake has 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    "scenario, file, said",
    [
        ("slither", "flat.urdf", "must be one of planar_snake"),
        ("natrix", "plane.mjcf", "must be one of natrix"),
    ],
)
def test_a_scenario_that_does_not_take_a_robot_names_those_that_do(scenario, file, said, files, capsys):
    write_model(PlanarSnake(6), "plane.mjcf")
    assert main(["run", scenario, "--robot", file, "--out", "a.zarr"]) == 2
    printed = capsys.readouterr().err.strip()
    assert said in printed and "\n" not in printed
    for other in printed.rpartition("; run ")[2].removesuffix(" with it").replace(" or ", ", ").split(", "):
        assert main(["run", other, "--robot", file, "--duration", "0.05", "--out", f"{other}.zarr"]) == 0


def test_joints_that_turn_faster_than_the_file_allows_are_told(files, capsys):
    words = "run undulate --robot flat.urdf --robot.drive prescribed --gait.amplitude 0.5 --duration 1 --out {}.zarr"
    assert main([*words.format("fast").split(), "--gait.frequency", "2"]) == 0
    assert "the robot's limit is 5 rad/s" in capsys.readouterr().err
    assert main([*words.format("slow").split(), "--gait.frequency", "1"]) == 0
    assert "turned" not in capsys.readouterr().err


def test_a_snake_from_a_file_winds_over_a_floor(files):
    """It touches with the cylinders of its file, which carry its weight."""
    cylinder = '<geometry><cylinder radius="0.025" length="0.08"/></geometry>'
    solid = f'<collision><origin xyz="0.05 0 0" rpy="0 1.5707963267948966 0"/>{cylinder}</collision>'
    text = urdf([Z, Y] * 6).replace("</inertial>", f"</inertial>{solid}")
    (files / "solid.urdf").write_text(text)
    words = "run sidewinding --robot solid.urdf --robot.fixed_base false --duration 1 --out a.zarr"
    assert main(words.split()) == 0
    run = Trajectory.load("a.zarr")
    late = run.times > 0.5
    assert run["contact_force"][late, :, 2].sum(axis=1).mean() == pytest.approx(13 * 0.2 * 9.81, rel=0.05)
    lowest = run["link_pose"][late, :, 2].min()
    assert 0.015 < lowest < 0.025  # frames lie in the middle of the cylinders
    assert load("solid.urdf").radius == pytest.approx(0.025, rel=0.01)
    for name in ("rolling", "climb-pole", "sidewind-route"):  # which ask for the thickness; led by a law
        held = (
            words.replace("sidewinding", name)
            .replace("a.zarr", f"{name}.zarr")
            .replace("--duration 1", "--duration 0.1")
        )
        assert main(held.split()) == 0


def test_a_short_name_is_ours_although_a_class_of_the_user_has_it(tmp_path):
    theirs = dataclass(frozen=True)(type("Natrix", (Natrix,), {"__module__": __name__}))
    (tmp_path / "robot.toml").write_text('schema = 1\ntype = "natrix"\n')
    assert type(load(tmp_path / "robot.toml")) is Natrix is not theirs


def test_limits_that_do_not_rise_are_refused(files):
    text = urdf([Z] * 3).replace('lower="-1.5" upper="1.5"', 'lower="1.5" upper="-1.5"')
    (files / "turned.urdf").write_text(text)
    with pytest.raises(FileProblem, match="joint joint0 has limits 1.5 to -1.5: must not be reversed"):
        load("turned.urdf")


def test_a_run_in_a_file_names_its_robot_by_a_file_beside_it(files, monkeypatch):
    (files / "run.toml").write_text('schema = 1\nscenario = "undulate"\nduration = 0.1\nrobot = "flat.urdf"\n')
    monkeypatch.chdir("/")
    assert main(["run", "--from", str(files / "run.toml"), "--out", str(files / "a.zarr")]) == 0
    assert Trajectory.load(files / "a.zarr")["joint_position"].shape[1] == 5


def test_a_run_in_a_file_whose_scenario_does_not_take_its_robot_is_refused_in_the_same_words(files, capsys):
    (files / "run.toml").write_text('schema = 1\nscenario = "slither"\nrobot = "flat.urdf"\n')
    assert main(["run", "--from", "run.toml", "--out", "a.zarr"]) == 2
    printed = capsys.readouterr().err.strip()
    assert "'snake of flat.urdf': must be one of planar_snake" in printed
    assert "\n" not in printed


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "robot.toml").write_text('schema = 1\ntype = "serpenoid.worlds.plane:Plane"\n')
    with pytest.raises(FileProblem, match="robot.toml.*Plane"):
        load(tmp_path / "robot.toml")


def test_a_mass_that_is_no_number_is_refused_and_mujoco_writes_no_log(files, capfd):
    (files / "odd.urdf").write_text(urdf([Z]).replace('value="0.2"', 'value="nan"'))
    with pytest.raises(FileProblem):
        load("odd.urdf")
    assert capfd.readouterr() == ("", "") and not (files / "MUJOCO_LOG.TXT").exists()

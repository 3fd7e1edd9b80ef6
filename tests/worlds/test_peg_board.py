"""Peg boards: number and spacing of pegs, start poses, and refused values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

import serpenoid as sp
from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.robots import SeaSnake
from serpenoid.worlds import PegBoard, Wall
from serpenoid.worlds.peg_board import CLEARANCE


@pytest.mark.parametrize("density", [24.0, 30.0, 100.0])
def test_random_pegs_have_the_density_and_keep_their_distance(density):
    board = PegBoard(density=density, seed=7)
    pegs = board.pegs()
    assert len(pegs) == round(density * 3.2 * 3.2) and np.abs(pegs).max() <= 1.6
    assert cKDTree(pegs).query(pegs, 2)[0][:, 1].min() >= board.apart
    np.testing.assert_array_equal(pegs, PegBoard(density=density, seed=7).pegs())
    assert np.abs(pegs - PegBoard(density=density, seed=8).pegs()).max() > 0.1


@pytest.mark.parametrize(("layout", "neighbours"), [("square", 4), ("hexagonal", 6)])
@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_regular_pegs(layout, neighbours, turn):
    board = PegBoard(layout=layout, density=25.0, turn=turn, size=(4.0, 3.0))
    pegs = board.pegs()
    assert abs(len(pegs) / 12.0 - 25.0) < 2.0
    middle = pegs[np.argmin(np.linalg.norm(pegs, axis=1))]
    apart = np.sort(np.linalg.norm(pegs - middle, axis=1))
    assert apart[neighbours] < 1.001 * apart[1] < 0.999 * apart[neighbours + 1]


def test_pegs_of_a_list_and_of_a_file(tmp_path):
    places = ((0.0, 0.1), (0.3, -0.2))
    (tmp_path / "pegs.csv").write_text("x,y\n0.0,0.1\n0.3,-0.2\n")
    for board in (PegBoard(layout="list", places=places), PegBoard(layout="csv", file=str(tmp_path / "pegs.csv"))):
        np.testing.assert_array_equal(board.pegs(), places)
        assert board.outermost() == (0.0, -0.2, 0.3, 0.1)
        assert len(board.geometry()) == len(board.solids()) == 3
    assert PegBoard(layout="list", places=((0.1, 0.0),)).outermost() == pytest.approx((0.085, -0.015, 0.115, 0.015))


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_start_is_clear_of_every_peg_and_wall(start):
    board = PegBoard(seed=5, start=start, walls=(Wall((-2.0, 0.0), (2.0, 0.1), 0.01),))
    pieces, angles = SeaSnake().planar_chain(), 0.6 * np.sin(np.arange(9))
    x, y, heading = board.clear_start(pieces.chain.length, pieces.radius, angles)
    turned = heading + np.concatenate([[0.0], np.cumsum(angles)])
    steps = pieces.chain.length[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
    front = np.array([x, y]) + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)[:-1]])
    axis = np.concatenate([f + np.linspace(0, 1, 400)[:, None] * s for f, s in zip(front, steps)])
    gap = cKDTree(board.pegs()).query(axis)[0].min() - 0.015 - 0.0255
    wall = np.abs(axis[:, 1] - 0.025 * (axis[:, 0] + 2.0)).min() * np.cos(np.arctan(0.025)) - 0.01 - 0.0255
    assert gap >= CLEARANCE - 1e-5 and wall >= CLEARANCE - 1e-5
    assert max(abs(x), abs(y)) <= 0.9


def test_starts_differ():
    robot = SeaSnake()
    poses = [PegBoard(seed=1, start=k).resting_pose(robot, np.zeros(18)) for k in (0, 1)]
    assert poses[0] != poses[1] and poses[0] == PegBoard(seed=1).resting_pose(robot, np.zeros(18))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"density": 2000.0}, "density = 2000.0: must be at most 711"),
        ({"density": 30.0, "spacing": 0.3}, "density = 30.0: must be at most"),
        ({"spacing": 0.02}, "spacing = 0.02: must be at least two radii"),
        ({"layout": "list", "places": ((0.0, 0.0), (0.01, 0.0))}, "no pegs overlap: pegs 0 and 1 are 0.01 m apart"),
        ({"layout": "square", "density": 1200.0}, "no pegs overlap"),
        ({"friction": -0.1}, "friction = -0.1"),
        ({"peg_friction": -0.1}, "peg_friction = -0.1"),
        ({"layout": "round"}, "layout"),
        ({"layout": "list"}, "places = (): must be given for layout list"),
        ({"peg_radius": 50.0}, "peg_radius = 50.0: must be at most 1.6 m"),
    ],
)
def test_bad_boards_are_refused_in_one_line(fields, says):
    with pytest.raises(InvalidValue) as caught:
        PegBoard(**fields)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_bad_files_are_refused_in_one_line(tmp_path):
    for text, says in (
        (None, "no such file"),
        ("", "has no pegs"),
        ("0.1,0.2\n0.3\n", "line 2 is '0.3'"),
        ("0,0\n1_0,1\n", "line 2 is '1_0,1'"),
    ):
        path = tmp_path / "pegs.csv"
        if text is not None:
            path.write_text(text)
        with pytest.raises(FileProblem, match=says):
            PegBoard(layout="csv", file=str(path))


def test_a_file_that_is_not_named_is_asked_for():
    with pytest.raises(InvalidValue, match="file = '': must be the CSV file"):
        PegBoard(layout="csv")


def test_a_board_too_crowded_for_the_robot_is_told():
    with pytest.raises(InvalidValue, match="the robot does not fit at any of"):
        PegBoard(density=300.0).resting_pose(SeaSnake(), np.zeros(18))


def test_a_snake_that_is_bent_up_and_down_starts_clear_of_all_pegs():
    board, robot = PegBoard(seed=3), SeaSnake()
    run = sp.simulate(robot, board, sp.gaits.Sidewinding(), 0.02, sample_period=0.02)
    middle = run["link_pose"][0, :, :2]
    away = np.linalg.norm(middle[:, None] - board.pegs(), axis=-1).min()
    assert away > board.peg_radius + robot.radius and not np.isfinite(run["touch_point"][0, :, 2]).all()
    assert np.nan_to_num(run["touch_point"][0, :, 2]).max() < 0.01  # only the floor

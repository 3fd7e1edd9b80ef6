"""Derivatives of the peg step against a naive dense equation and complex steps, and against differences of the step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from naive_pegs import residual, slopes

from serpenoid.kernels.ilqr.peg_dynamics import linearise_pegs
from serpenoid.planning import Limits, Problem, Torque, Velocity
from serpenoid.planning.solver import Planner
from serpenoid.robots import PlanarSnake
from serpenoid.robots.drives import PD
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch

LINKS, STEP = 5, 0.002
SNAKE = PlanarSnake(links=LINKS, link_length=0.13, link_mass=0.4, radius=0.02, drive=PD(20.0, 0.3, 50.0))
JOINTS = LINKS - 1
# Normal speed [m/s] and depth [m] at the peg in the middle of the step, speed along the snake [m/s].
CASES = {
    "free": (0.0, -0.01, 0.1), "sliding": (0.0, 2e-5, 0.2), "sticking": (0.0, 2e-5, 0.0),
    "opening": (0.004, 2e-5, 0.05), "arriving": (-0.1, -2e-5, 0.1), "deep": (-0.05, 1e-4, -0.1),
}  # fmt: skip


def planner_beside(depth, stiffness=1e6, links=LINKS):
    """Return a planner of one step beside a peg, with the third link parallel to x."""
    radius = 0.02
    place = (2.5 * 0.13, -(radius + 0.02 - depth))
    board = PegBoard(
        layout="list", places=(place, (0.1, 0.5)), peg_radius=radius, friction=0.5, friction_along=0.2,
        touch=PegTouch(stiffness, 300.0),
    )  # fmt: skip
    return Planner(Problem(SNAKE, board, Velocity((0.1, 0.0)) + Torque(), 1, STEP, Limits(-50.0, 50.0, None)))


def start_of(planner, speeds, along, bent=0.0):
    """Return the planner's state (centre of mass) of a chain whose head is at the origin, and q and v of its head."""
    q = np.concatenate([np.zeros(3), np.full(JOINTS, bent)])
    v = np.concatenate([[along, speeds, 0.02], 0.1 * np.sin(np.arange(JOINTS))])
    return by_center(planner.dynamics.shift, np.concatenate([q, v]), 1.0), q, v


def by_center(shift, state, sign):
    """Move a state's reference point to the centre of mass (1), or back to the head (-1)."""
    half = shift.size + 2
    angle, rate = np.cumsum(state[2:half]), np.cumsum(state[half + 2 :])
    out = state.copy()
    out[0] += sign * shift @ np.cos(angle)
    out[1] += sign * shift @ np.sin(angle)
    out[half] -= sign * shift @ (np.sin(angle) * rate)
    out[half + 1] += sign * shift @ (np.cos(angle) * rate)
    return out


def moved(shift, state, sign):
    """Return the Jacobian of `by_center` by complex steps."""
    size = state.size
    columns = [by_center(shift, state + 1e-30j * np.eye(size)[i], sign).imag / 1e-30 for i in range(size)]
    return np.array(columns).T


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_a_step(name):
    speed, depth, along = CASES[name]
    planner = planner_beside(depth)
    start, q, v = start_of(planner, speed, along)
    torque = 0.2 * np.cos(np.arange(JOINTS))
    planner.work.states[0], planner.work.controls[0] = start, torque
    linearise_pegs(*planner.referred)
    found = planner.work.jacobians[0, :, : start.size + JOINTS]
    after = by_center(planner.dynamics.shift, planner.predict(start, torque[None]), -1.0)
    scene, drive, half = planner.dynamics.scene, planner.dynamics.drive, LINKS + 2
    a, target = (after[half:] - v) / STEP, q[3:] + torque / drive.stiffness
    left = np.real(residual(scene, drive, STEP, q, v, a, target))
    assert np.abs(left).max() < 0.05 * np.abs(scene.floor.along).sum(), "the kernel solves the same equation"
    by_a = slopes(scene, drive, STEP, q, v, a, target)
    by_a[:, 3:half] += by_a[:, 2 * half :]  # the targets start from the joints
    by_a[:, 2 * half :] /= drive.stiffness
    whole = np.zeros((2 * half, by_a.shape[1]))
    whole[half:] = STEP * by_a
    whole[half:, half : 2 * half] += np.eye(half)
    whole[:half] = STEP * whole[half:]
    whole[:half, :half] += np.eye(half)
    whole[:, : 2 * half] = whole[:, : 2 * half] @ moved(planner.dynamics.shift, start, -1.0)
    expected = moved(planner.dynamics.shift, after, 1.0) @ whole
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / scale, expected / scale, atol=0.01)


def test_derivatives_along_a_knot_equal_differences():
    """Ten steps of a bent snake that slides and turns without a change of contact."""
    board = PegBoard(density=0.0, friction=0.5, friction_along=0.2)
    planner = Planner(Problem(SNAKE, board, Velocity((0.1, 0.0)), 1, 0.02, Limits(-50.0, 50.0, None)))
    start, _, _ = start_of(planner, 0.3, 0.2, 0.4)
    torque = 0.5 * np.cos(np.arange(JOINTS))
    planner.work.states[0], planner.work.controls[0] = start, torque
    linearise_pegs(*planner.referred)
    found, whole = planner.work.jacobians[0], np.concatenate([start, torque])
    for i in range(whole.size):
        ends = []
        for side in (1.0, -1.0):
            there = whole.copy()
            there[i] += side * 1e-6
            ends.append(planner.predict(there[: start.size], there[None, start.size :]))
        difference = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(found[:, i], difference, atol=0.02 * np.abs(difference).max() + 1e-6)


@pytest.mark.parametrize("damping", [0.3, 0.0])
def test_joints_without_stiffness_are_planned_by_their_torques(damping):
    stiffness = (20.0, 0.0, 20.0, 0.0)
    snake = replace(SNAKE, drive=PD(stiffness, damping, 50.0))
    planner = Planner(Problem(snake, PegBoard(density=0.0), Velocity((0.1, 0.0)), 1, STEP, Limits(-50.0, 50.0, None)))
    start, _, _ = start_of(planner, 0.3, 0.2, 0.4)
    torque = 0.5 * np.cos(np.arange(JOINTS))
    planner.work.states[0], planner.work.controls[0] = start, torque
    linearise_pegs(*planner.referred)
    found = planner.work.jacobians[0]
    for j in range(JOINTS):
        ends = [planner.predict(start, (torque + side * 1e-4 * np.eye(JOINTS)[j])[None]) for side in (1.0, -1.0)]
        difference = (ends[0] - ends[1]) / 2e-4
        assert np.abs(difference).max() > 1e-3
        np.testing.assert_allclose(found[:, start.size + j], difference, atol=0.02 * np.abs(difference).max())

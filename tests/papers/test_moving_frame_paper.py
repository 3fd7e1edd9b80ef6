"""Claims of the moving frame paper, measured small, and judged by the criteria."""

import json

import numpy as np
import pytest
from scipy.integrate import simpson

from serpenoid.configuration import changed
from serpenoid.gaits import Accordion
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Vacuum
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots import MovingFrameChain
from serpenoid.scenarios import find_scenario
from serpenoid_papers.moving_frame import agreement, cost, energy, round_trip, servo_comparison
from serpenoid_papers.moving_frame.criteria import CRITERIA
from serpenoid_papers.moving_frame.states import GRAVITY, NO_GRAVITY, states_of
from serpenoid_papers.references.moving_frame import matrix_space
from serpenoid_papers.references.moving_frame_step import torque_rollout, torque_table


def quiet(text):
    pass


@pytest.mark.parametrize("module", [energy, agreement, round_trip, servo_comparison])
def test_claims_hold_and_figures_appear(module, tmp_path):
    result = module.run(module.Config.quick(), quiet)
    findings = module.claims(result)
    assert findings
    for finding in findings:
        json.dumps(finding.measured)
        assert CRITERIA[finding.id].holds(finding.measured) is True, finding
    for picture in module.figure(result, tmp_path):
        assert picture.stat().st_size > 5_000


def test_a_wrong_coupling_would_not_conserve_energy():
    """F1's measure detects an error: scaled rates do not conserve energy to 1e-9."""
    tree = MovingFrameChain(bodies=5).tree()
    state = np.zeros(13 + 10)
    state[3], state[7:12], state[18:] = 1.0, 0.3, 1.0
    states = torque_rollout(tree, state, np.full((201, 5), 1e-6), 1e-3, NO_GRAVITY)
    energies = np.array([energy.kinetic_energy(tree, state, matrix_space(tree)) for state in states])
    assert energy.drift(energies) > 1e-9


def test_round_trip_by_a_chain_of_any_length():
    for bodies in (1, 2, 7):
        trip = round_trip.round_trip(MovingFrameChain(bodies=bodies), Accordion(), 0.005)
        assert trip.error < 1e-5


def test_torques_do_not_depend_on_where_the_tail_is_held():
    robot = MovingFrameChain(bodies=6)
    states, accelerations = states_of(Accordion().motion(robot), np.linspace(0.1, 3.9, 7))
    moved = states.copy()
    moved[:, :3] += 1.0
    moved[:, 3:7] = np.array([0.5, 0.5, -0.5, 0.5])
    here = torque_table(robot.tree(), states, accelerations, NO_GRAVITY)
    assert np.abs(torque_table(robot.tree(), moved, accelerations, NO_GRAVITY) - here).max() < 1e-12


def test_cost_is_timed_for_every_contestant(tmp_path):
    result = cost.run(cost.Config(bodies=(5, 40, 50), seconds=0.01), quiet)
    assert {"matrix form", "recursion"} <= set(result.times)
    assert all(np.all(times > 0.0) for times in result.times.values())
    assert cost.figure(result, tmp_path)[0].exists()


def test_round_trip_of_a_floating_tail():
    """The recursion under prescribed joints and the matrix form under its torques give the same motion."""
    robot, step = MovingFrameChain(bodies=8, fixed_tail=False), 0.005
    tree, motion = robot.tree(), Accordion(fold=1.0).motion(robot)
    start = np.zeros(13 + 2 * robot.joints)
    start[3] = 1.0
    count = round(2 * motion.knots[-1] / step)
    rest = Vacuum((0.0, 0.0, 0.0))
    states = np.vstack([start, prescribed_rollout(tree, rest, motion, start, 0, count, 1, 0.5 * step, NO_WRENCHES)])
    accelerations = motion_samples(motion, 0.5 * step * np.arange(count + 1))[2]
    torques = torque_table(tree, states, accelerations, NO_GRAVITY)
    found = torque_rollout(tree, start, torques, step, NO_GRAVITY)
    assert np.ptp(states[:, :3], axis=0).max() > 0.01
    assert np.abs(found - states[::2]).max() < 1e-5


def test_matrix_form_and_recursion_give_the_same_torques_under_gravity():
    scenario = changed(find_scenario("cobra")(), {"robot.bodies": 8, "world.gravity": True})
    run = scenario.run()
    half = 0.5 * scenario.step
    count, stages = run.times.size - 1, round(scenario.sample_period / half)
    states, accelerations = states_of(scenario.gait.motion(scenario.robot), half * np.arange(count * stages + 1))
    ours = torque_table(scenario.robot.tree(), states, accelerations, GRAVITY)
    assert np.abs(ours[0] - run["joint_torque"][0]).max() < 1e-9
    rows = stages * np.arange(count)[:, None] + np.arange(stages + 1)  # rows of each sample interval, ends included
    means = simpson(ours[rows], axis=1) / stages
    assert np.abs(means - run["joint_torque"][1:]).max() < 1e-9

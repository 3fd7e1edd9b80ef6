"""Random and hostile configurations of every scenario: each runs, or is rejected in one line. None crashes or hangs."""

from __future__ import annotations

import multiprocessing
import threading
import time

import numpy as np
import pytest
from fuzzing import NO_ANSWER, RAN, REFUSED, answer, survey

from serpenoid import configuration
from serpenoid.errors import InvalidValue, SerpenoidError
from serpenoid.scenarios import find_scenario

CRASHED = [
    ("slither-pegs", {"robot.module_length": 1e50}, "robot.module_length"),
    ("slither-pegs", {"controller": "open_loop", "controller.gait.offset": -1e50}, "controller.gait.offset"),
    ("sidewinding", {"gait.phase_offset": 1e50}, "gait.phase_offset"),
    ("slithering", {"gait.spatial_frequency": 1e50}, "gait.spatial_frequency"),
    ("slither", {"step": 0.0}, "step"),
    ("slither", {"robot": 5}, "robot"),
    ("slither", {"robot.drive": "x"}, None),
    ("sidewinding", {"gait": []}, "gait"),
    ("sidewinding", {"gait": [], "gait.frequency": 1.0}, "gait"),
    ("swimming", {"robot.drive.torque_limit": np.zeros(3)}, "robot.drive.torque_limit"),
    ("climb-pole", {"robot.joint_limit": 0.05}, "world.radius"),
    ("crawl-pipe", {"gait.pitch": 1000.0}, None),
    ("formation", {"robot.bodies": 4, "robot": "body_tree"}, "robot.bodies"),
    ("natrix", {"robot.neck_length": 1000.0}, None),
    ("natrix", {"robot.shell_rounding": 100.0}, None),
]


@pytest.mark.parametrize("name, changes, field", CRASHED)
def test_what_once_crashed_is_refused(name, changes, field):
    with pytest.raises(SerpenoidError) as caught:
        configuration.changed(find_scenario(name)(), changes).run()
    if field:
        assert isinstance(caught.value, InvalidValue) and caught.value.field == field


def test_an_array_for_one_of_several_words_is_refused():
    data = {"type": "slither-pegs", "world": {"contact": {"integrator": np.zeros(3)}}}
    with pytest.raises(InvalidValue) as caught:
        configuration.from_plain(data, find_scenario("slither-pegs"))
    assert caught.value.field == "world.contact.integrator"


@pytest.mark.parametrize("work, outcome", [((sum, range(10**14)), NO_ANSWER), ((time.sleep, 60.0), RAN)])
def test_a_hang_is_judged_by_processor_time(work, outcome):
    """A child that computes is a hang after 2 s of processor time; one that waits may answer later."""
    context = multiprocessing.get_context("spawn")
    connection, theirs = context.Pipe()
    child = context.Process(target=work[0], args=work[1:], daemon=True)
    child.start()
    if outcome == RAN:
        threading.Timer(4.0, theirs.send, [RAN]).start()
    assert answer(child, connection, patience=2.0) == outcome
    child.kill()
    child.join()


def assert_sound(seeds: range, children: int) -> None:
    """Try the configurations of some seeds; those that neither ran nor were refused are listed with their seeds."""
    counts, wrong = survey(seeds, children)
    assert not wrong, "\n".join(wrong)
    assert counts.total() == len(seeds)
    assert min(counts[RAN], counts[REFUSED]) > 0.1 * len(seeds), "the sample must hold sound and unsound ones"


def test_every_configuration_runs_or_is_refused_in_one_line():
    assert_sound(range(300), children=1)


@pytest.mark.full
def test_a_hundred_thousand_configurations_run_or_are_refused_in_one_line():
    assert_sound(range(1_000, 101_000), children=2)

"""Inputs of a user's classes to compiled code: invalid ones are rejected by name, valid ones are converted."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller, OwnShape
from serpenoid.control.own_shapes import formulas_of
from serpenoid.errors import InvalidValue, UnknownName, Unsupported
from serpenoid.gaits import Slithering
from serpenoid.gaits.arc import backbone_of
from serpenoid.gaits.base import Gait, polynomial, wave
from serpenoid.gaits.shapes import shape_record
from serpenoid.planning import Cost, Problem
from serpenoid.planning.solver import Planner
from serpenoid.simulation import Timing, plant_of
from serpenoid.support.kernel_inputs import chain_of, medium_of, motion_of, numbers, tree_of

ROOT = Path(sp.__file__).parent
SNAKE, PLANE = sp.robots.PlanarSnake(), sp.worlds.Plane()
J = SNAKE.joints
GOOD = wave(J, 1.0, 0.3, np.arange(J))
CURVE = polynomial(np.arange(3.0), np.zeros((2, 4, J)))
BAD_MOTIONS = {
    "more": (wave(J + 3, 1.0, 0.3, 0.0), "rate"),
    "fewer": (wave(J - 2, 1.0, 0.3, 0.0), "rate"),
    "nan": (wave(J, 1.0, np.nan, 0.0), "amplitude"),
    "infinite": (GOOD._replace(lag=np.full(J, np.inf)), "lag"),
    "huge": (GOOD._replace(rate=np.full(J, 1e50)), "rate"),
    "words": (GOOD._replace(offset=["a"] * J), "offset"),
    "scalar": (GOOD._replace(offset=0.0), "offset"),
    "start": (GOOD._replace(time_start=np.nan), "time_start"),
    "knots of nan": (CURVE._replace(knots=np.array([0.0, np.nan, 2.0])), "knots"),
    "unsorted": (CURVE._replace(knots=np.array([0.0, 2.0, 1.0])), "knots"),
    "one knot": (CURVE._replace(knots=np.zeros(1), coefficients=np.zeros((0, 4, J))), "knots"),
    "no knots": (CURVE._replace(knots=np.zeros(0)), "knots"),
    "a knot missing": (CURVE._replace(knots=np.arange(2.0)), "coefficients"),
    "no degree": (CURVE._replace(coefficients=np.zeros((2, 0, J))), "coefficients"),
    "coefficients of nan": (CURVE._replace(coefficients=np.full((2, 4, J), np.nan)), "coefficients"),
    "joints": (CURVE._replace(coefficients=np.zeros((2, 4, J + 1))), "coefficients"),
}


class Own(Gait):
    """A gait with a given motion."""

    def __init__(self, record):
        self.record = record

    def motion(self, robot):
        return self.record


@pytest.mark.parametrize("case", BAD_MOTIONS)
def test_a_gait_that_does_not_fit_is_refused_by_its_name(case):
    record, part = BAD_MOTIONS[case]
    with pytest.raises(InvalidValue) as caught:
        sp.simulate(SNAKE, PLANE, Own(record), duration=0.01)
    assert caught.value.field == f"Own.motion().{part}"


def test_what_is_no_motion_and_a_frequency_that_is_not_finite_are_refused():
    for record in (None, np.zeros(J), tuple(GOOD)):
        with pytest.raises(InvalidValue) as caught:
            motion_of(Own(record), SNAKE)
        assert caught.value.field == "Own.motion()"
    gait = Own(GOOD)
    gait.frequency = np.nan
    with pytest.raises(InvalidValue) as caught:
        motion_of(gait, SNAKE)
    assert caught.value.field == "Own.frequency"


def test_numbers_of_other_types_and_orders_become_what_compiled_code_takes():
    still = GOOD.amplitude.copy()
    still.flags.writeable = False
    odd = GOOD._replace(phase_start=0, rate=GOOD.rate.tolist(), lag=GOOD.lag.astype(np.int32), amplitude=still)
    taken = motion_of(Own(odd), SNAKE)
    for part, same in zip(taken[2:], GOOD[2:]):
        assert part.dtype == float and part.flags.carray and np.array_equal(part, same)
    assert type(taken.phase_start) is float
    assert numbers("a", np.zeros((4, 3)).T).flags.c_contiguous


def test_a_gait_that_takes_over_is_checked_as_well():
    stream = sp.stream(SNAKE, PLANE, sp.gaits.Serpenoid(), duration=0.1)
    next(stream)
    with pytest.raises(InvalidValue) as caught:
        stream.lead(Own(BAD_MOTIONS["more"][0]))
    assert caught.value.field == "Own.motion().rate"


@pytest.mark.parametrize(("part", "value"), [("mass", (1.0,) * 3), ("mass", (0.0,) * 5), ("length", (np.nan,) * 5)])
def test_a_chain_that_does_not_fit_the_joints_is_refused(part, value):
    class OddSnake(sp.robots.PlanarSnake):
        def chain(self):
            return super().chain()._replace(**{part: np.array(value)})

    with pytest.raises(InvalidValue) as caught:
        sp.simulate(OddSnake(), PLANE, sp.gaits.Serpenoid(), duration=0.01)
    assert caught.value.field == f"OddSnake.chain().{part}"


def test_a_medium_that_does_not_fit_the_links_is_refused():
    class OddPlane(sp.worlds.Plane):
        def medium_record(self, chain):
            return super().medium_record(chain)._replace(**self.other)

    chain = chain_of(SNAKE)
    for other, part in (
        ({"transverse": np.zeros(2)}, "transverse"),
        ({"kind": 9}, "kind"),
        ({"weights": [1, 1]}, "weights"),
    ):
        plane = OddPlane()
        object.__setattr__(plane, "other", other)
        with pytest.raises(InvalidValue) as caught:
            medium_of(plane, chain)
        assert caught.value.field == f"OddPlane.medium_record().{part}"


def test_a_tree_whose_parents_come_late_or_whose_arrays_do_not_fit_is_refused():
    class OddTree(sp.robots.MovingFrameChain):
        def tree(self):
            return super().tree()._replace(**self.other)

    good = sp.robots.MovingFrameChain().tree()
    late = good.parent.copy()
    late[1] = 3
    for other in (
        {"parent": late},
        {"mass": good.mass[:-1]},
        {"inertia": good.inertia * np.nan},
        {"axis": good.axis[:, :2]},
    ):
        robot = OddTree()
        object.__setattr__(robot, "other", other)
        with pytest.raises(InvalidValue) as caught:
            tree_of(robot)
        assert caught.value.field == f"OddTree.tree().{next(iter(other))}"


def test_a_robot_whose_limits_do_not_fit_its_joints_is_refused():
    class Limited(sp.robots.PlanarSnake):
        @property
        def joint_range(self):
            return np.zeros((1, 2))

    with pytest.raises(InvalidValue) as caught:
        sp.simulate(Limited(), PLANE, sp.gaits.Serpenoid(), duration=0.01)
    assert caught.value.field == "Limited.joint_range"


def test_a_plant_that_is_stepped_by_hand_refuses_commands_of_another_size():
    plant = plant_of(SNAKE, PLANE, Timing(0.1))
    plant.start(sp.Initial(), np.random.default_rng(0))
    with pytest.raises(InvalidValue) as caught:
        plant.step(Command.empty(J + 1)._replace(torque=np.zeros(J + 1)))
    assert caught.value.field == "command.position"


@dataclass(frozen=True)
class Beyond(Cost):
    """A cost that reads a state that there is not."""

    def residuals(self, knot):
        return knot.state[99]


@dataclass(frozen=True)
class Many(Cost):
    """A cost of an array."""

    def residuals(self, knot):
        return knot.state


@pytest.mark.parametrize("cost", [Beyond(), Many()])
def test_a_cost_that_reads_beyond_the_knot_or_returns_no_numbers_is_refused(cost):
    with pytest.raises(InvalidValue) as caught:
        Planner(Problem(SNAKE, PLANE, cost))
    assert caught.value.field == f"{type(cost).__name__}.residuals()"


@dataclass(frozen=True)
class Far(OwnShape):
    """A shape whose formula reads beyond its parameters for one s alone."""

    units = {"bend": "rad"}
    bend: float = 0.1

    def angle(self, s, lateral, value, integral):
        return value[0 if s < 2.0 else 10**12] * lateral

    def slopes(self, s, lateral, value, integral, by_value, by_integral):
        by_value[0] = lateral


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_formula_that_reads_beyond_its_parameters_does_not_reach_foreign_memory():
    Far().check()
    function, here = formulas_of(Far).ctypes, np.zeros((4, 1))
    pointers = [row.ctypes.data_as(function.argtypes[0]) for row in here]
    assert function(pointers[0], 3.0, 1, *(pointers[i] for i in (0, 1, 2, 3))) == 0.0


def test_a_shape_function_that_points_beyond_its_parameters_is_refused():
    class Wild(Slithering):
        def record(self, backbone, places):
            shape, address, values = super().record(backbone, places)
            return shape._replace(clock=np.array([7])), address, values

    with pytest.raises(InvalidValue) as caught:
        shape_record(Wild(), backbone_of(sp.robots.SeaSnake(), False), {"amplitude": 0, "spatial_frequency": 1})
    assert caught.value.field == "Wild.record().clock"


def test_words_that_simulate_and_sweep_do_not_have_are_refused_in_their_names(tmp_path):
    for call in (sp.simulate, sp.stream):
        with pytest.raises(UnknownName) as caught:
            call(SNAKE, PLANE, durration=1.0)
        assert call.__name__ in caught.value.kind and "duration" in str(caught.value)
    for wrong, field in (({"scenario": "slither", "over": [1]}, "over"), ({"scenario": 3, "over": {}}, "scenario")):
        with pytest.raises(InvalidValue) as caught:
            sp.sweep(store=tmp_path / "q.zarr", **wrong)
        assert caught.value.field == field


def test_a_field_that_there_is_not_and_a_class_that_is_not_finished_are_refused_in_one_line():
    with pytest.raises(UnknownName, match=r"field of Serpenoid 'ampltude' \(did you mean amplitude"):
        sp.gaits.Serpenoid(ampltude=1.0)
    with pytest.raises(Unsupported, match="start"):
        Controller()
    assert "amplitude" in inspect.signature(sp.gaits.Serpenoid).parameters
    assert Own(record=GOOD).record is GOOD  # of a class that defines the field itself


def test_counts_that_numpy_made_are_whole_numbers():
    for made in (sp.robots.PlanarSnake(links=np.int64(6)), sp.robots.SeaSnake(modules=np.int32(8))):
        assert type(made.joints) is int
    assert type(sp.worlds.PegBoard(seed=np.uint8(3)).seed) is int
    with pytest.raises(InvalidValue):
        sp.robots.PlanarSnake(links=np.bool_(True))


BORDER = {"motion", "chain", "tree", "medium_record", "environment"}  # methods of users' classes
FEEDING = ("engines", "planning", "mechanics", "control", "scenarios", "sweeps", "worlds", "estimation", "hardware")


def calls(path):
    """Calls of methods of that name on something else than the object itself."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BORDER:
            owner = node.func.value
            inside = isinstance(owner, ast.Name) and owner.id == "self" or isinstance(owner, ast.Call)
            if not inside:
                yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_records_of_users_classes_pass_the_border_and_nothing_else():
    files = [file for folder in FEEDING for file in (ROOT / folder).rglob("*.py")]
    files += [ROOT / name for name in ("simulation.py", "runtime/loop.py", "runtime/plants.py")]
    assert [call for file in files for call in calls(file)] == []

"""Shape-based compliance against a naive implementation, its Jacobian against differences, its windows at random."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from naive_shape_law import NaiveShape

from serpenoid.control.shape_compliance import SLITHERING, ShapeCompliance
from serpenoid.control.shape_parameters import Parameter, Windows
from serpenoid.gaits import Sidewinding, WindingHelix
from serpenoid.gaits.arc import backbone_of
from serpenoid.kernels.laws.shape import pass_joints, shape_places
from serpenoid.kernels.laws.tick import Sensed, law_numbers, law_start, law_tick
from serpenoid.kernels.laws.windows import step_and_integral
from serpenoid.robots import SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01
NO_IMU = np.zeros((0, 3))


def with_changes(parameters, **changes):
    """Return parameters with some fields of some of them changed."""
    return tuple(replace(p, **changes.get(p.name, {})) for p in parameters)


ALL = with_changes(
    SLITHERING,
    spatial_frequency={"sign": (1.0,), "windows": "half_wave"},
    phase={"sign": (1.0,)},
)
SIDEWINDING = (
    Parameter(
        "amplitude", mass=1.5, damping=3.0, stiffness=4.0, sign=(-1.0, 1.0), low=0.2, high=0.9, windows="half_wave"
    ),
    Parameter("spatial_frequency", mass=2.0, damping=3.0, sign=(-1.0,), low=2 * pi, high=4 * pi),
    Parameter("reversal", sign=(1.0,)),
    Parameter("front_taper", sign=(1.0,)),
    Parameter("rear_taper", sign=(1.0,)),
)
SIDEWINDS = Sidewinding(spatial_frequency=3 * pi, phase=0.0, reversal=0.3, taper=-0.4, tapered="half")
COILS = Windows("half_coil", "winding", clock="", span=pi / 7.87, slope=154.0, fresh="neighbour")
HELIX = (
    Parameter(
        "winding", initial=0.3, mass=1.0, damping=10.0, stiffness=1.0, sign=(1.0,), bias=9.0, shared=True, low=0.2,
        high=1.6, windows="half_coil", adapt_rate=0.1,
    ),
)  # fmt: skip
CASES = {
    "amplitude": ShapeCompliance(),
    "all": ShapeCompliance(parameters=ALL, dead_band=0.2, torque_limit=1.5),
    "anchors apart": ShapeCompliance(
        windows=(Windows("crests", anchor=0.5 * pi), Windows()),
        parameters=with_changes(ALL, spatial_frequency={"windows": "crests"}),
    ),
    "phase in windows": ShapeCompliance(parameters=with_changes(ALL, phase={"windows": "half_wave"})),
    "one window": ShapeCompliance(parameters=with_changes(ALL, **{p.name: {"windows": ""} for p in ALL})),
    "sidewinding": ShapeCompliance(SIDEWINDS, (Windows(),), SIDEWINDING),
    "helix": ShapeCompliance(WindingHelix(winding=0.9), (COILS,), HELIX),
    "windows that join": ShapeCompliance(
        windows=(Windows(merge_below=1.5, split_above=2.5, merge_time=0.05),), parameters=ALL
    ),
}


class Called:
    """Record and memory of a law."""

    def __init__(self, controller, robot=ROBOT):
        self.law = controller.kernel(robot, PERIOD)
        self.memory, self.target = np.zeros(law_numbers(self.law)), np.zeros(robot.joints)
        self.at, self.robot, self.still = shape_places(self.law), robot, np.zeros(robot.joints)
        law_start(self.law, self.memory)

    def tick(self, torque):
        sensed = Sensed(0.0, self.still, self.still, np.asarray(torque, dtype=float), NO_IMU, NO_IMU)
        law_tick(self.law, self.memory, sensed, self.target)
        return self.target.copy()

    def signals(self, controller):
        return controller.memory_signals(self.robot, PERIOD, self.memory)


def formula(controller, backbone):
    """Return the shape functions as printed (and corrected), independent of the compiled ones."""
    lateral, last = set(backbone.lateral), float(np.nanmax(backbone.place))

    def serpenoid(joint, value, integral):
        return value["amplitude"] * np.sin(integral["spatial_frequency"] - value["phase"])

    def helix(joint, value, integral):
        wave = np.cos if joint in lateral else np.sin
        return value["winding"] / controller.gait.ratio * wave(integral["winding"] - value["phase"])

    def crossed(joint, value, integral):
        share = backbone.place[joint] / last
        factor = 1 - value["front_taper"] * max(0, 1 - 2 * share) - value["rear_taper"] * max(0, 2 * share - 1)
        if joint in lateral:
            return factor * serpenoid(joint, value, integral)
        ahead = controller.gait.phase_offset + value["reversal"]
        phase = integral["dorsal_spatial_frequency"] - value["phase"] + ahead
        return factor * value["dorsal_amplitude"] * np.sin(phase)

    return {"Slithering": serpenoid, "WindingHelix": helix, "Sidewinding": crossed}[type(controller.gait).__name__]


@pytest.mark.parametrize("name", CASES)
def test_the_law_matches_a_naive_implementation(name):
    quick = replace(CASES[name].gait, frequency=25.0 / (2.0 * pi))  # so that windows enter and leave
    controller = replace(CASES[name], gait=quick)
    backbone = backbone_of(ROBOT, controller.gait.metres)
    joints = sorted(controller.gait.moved(backbone))
    twin = NaiveShape(controller, backbone.place, joints, formula(controller, backbone), PERIOD)
    called, rng = Called(controller), np.random.default_rng(3)
    push = np.zeros(ROBOT.joints)
    for number in range(16):
        if number % 4 == 0:
            push = 2.0 * rng.standard_normal(ROBOT.joints)
        if number:
            twin.tick(push)
        target = called.tick(push)
        assert np.allclose(target[joints], twin.angles(), atol=2e-7), number
    assert np.all(np.delete(target, joints) == 0.0)


@pytest.mark.parametrize("name", CASES)
def test_the_jacobian_is_that_of_the_shape_with_edges_held(name):
    """S14: derivatives against differences, at random states with edges also on joints, and F sigma' = tau theta'."""
    controller = CASES[name]
    called, rng = Called(controller), np.random.default_rng(7)
    for state in range(130):  # for eight configurations: more than a thousand in all
        wander(called, rng)
        if state % 3 == 0:
            put_an_edge_on_a_joint(called, rng)
        tau, rates = rng.standard_normal(ROBOT.joints), rng.standard_normal(called.at.pressed - called.at.ordered)
        clear = called.law._replace(dead_band=0.0, torque_limit=100.0, angle_limit=100.0, feels=1)
        pass_joints(clear, called.memory, called.at, -tau, True)
        force = called.memory[called.at.pressed : called.at.value].copy()
        step, sides, places = 1e-6, [], slice(called.at.ordered, called.at.pressed)
        here = called.memory[places].copy()
        for way in (1.0, -1.0):
            called.memory[places] = here + way * step * rates
            pass_joints(clear, called.memory, called.at, tau, False)
            sides.append(called.memory[called.at.target : called.at.turning].copy())
        called.memory[places] = here
        slope = (sides[0] - sides[1]) / (2.0 * step)
        assert np.isclose(slope @ tau, force @ rates, atol=1e-6 * (1 + np.abs(force @ rates)))


def wander(called, rng):
    """Run some ticks under random torques."""
    for _ in range(rng.integers(1, 20)):
        called.tick(3.0 * rng.standard_normal(ROBOT.joints))


def put_an_edge_on_a_joint(called, rng):
    """Move the windows of the last set along the body until one of their edges is on a joint."""
    at, sets, memory = called.at, called.law.windows, called.memory
    group = sets.span.size - 1
    here = slice(at.edges + group * sets.slots, at.edges + group * sets.slots + int(memory[at.count + group]))
    edges, joints = memory[here].copy(), called.law.place[called.law.moved == 1]
    memory[here] += rng.choice(joints) - edges[np.argmin(np.abs(edges - 0.5 * called.law.last))]
    heads = [step_and_integral(sets.slope[group], -edge)[1] for edge in memory[here]]
    memory[at.head + group * sets.slots : at.head + group * sets.slots + edges.size] = heads


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_push_on_each_joint_does_work_of_the_sign_that_was_asked_for(sign):
    """S14: a push does positive work on complying parameters and negative work on resisting ones."""
    controller = ShapeCompliance(parameters=with_changes(ALL, **{p.name: {"sign": (sign,), "bias": 0.0} for p in ALL}))
    for joint in ROBOT.yaw_joints:
        called = Called(controller)
        before = called.tick(np.zeros(ROBOT.joints))
        free = Called(controller)
        free.tick(np.zeros(ROBOT.joints))
        push = np.zeros(ROBOT.joints)
        push[joint] = 1.0
        after = called.tick(-push) - free.tick(np.zeros(ROBOT.joints))
        assert before.size and sign * after[joint] > 0.0


def test_the_windows_keep_their_invariants_under_random_histories():
    """S19: 1000 random histories of omega_S and Omega, backwards too."""
    controller = CASES["all"]
    called = Called(controller)
    at, slots = called.at, called.law.windows.slots
    rng = np.random.default_rng(11)
    clock = 2 * slots  # start of the state of the phase
    for history in range(1000):
        speed = rng.uniform(-3.0, 3.0)
        push = rng.standard_normal() * 4.0 * rng.standard_normal(ROBOT.joints)
        before = called.tick(push)
        for _ in range(5):
            called.memory[at.state + clock] += speed * PERIOD  # the phase moves forwards or backwards
            target = called.tick(push)
            assert np.abs(target - before).max() < 0.25, history
            before = target
            check_windows(called)


def check_windows(called):
    """Check that edges are ordered, each window spans half its own wave, and weights sum to one."""
    at, slots, memory = called.at, called.law.windows.slots, called.memory
    first, count = int(memory[at.first + 1]), int(memory[at.count + 1])
    edges = memory[at.edges + slots : at.edges + slots + count]
    assert 2 <= count <= slots and edges[0] < -0.2 and np.all(np.diff(edges) > 0.0)
    slot = np.mod(np.arange(first, first + count), slots)
    waves = memory[at.state + slots : at.state + 2 * slots][slot] + called.law.admittance.nominal[1]
    assert np.allclose(np.diff(edges) * waves[:-1], pi, atol=1e-9)
    weights = memory[at.weight + slots : at.weight + slots + count]  # at the last joint
    assert abs(weights.sum() - 1.0) < 1e-9 and weights.min() > -1e-12


def test_targets_are_continuous_when_windows_come_and_go():
    """S19: targets do not jump when windows enter or leave, because halving the step halves the largest change."""
    changes = []
    for period in (0.01, 0.005):
        law = CASES["all"].kernel(ROBOT, period)
        called = Called(CASES["all"])
        called.law = law
        law_start(law, called.memory)
        rng = np.random.default_rng(5)
        history = np.repeat(2.0 * rng.standard_normal((40, ROBOT.joints)), round(0.2 / period), axis=0)
        targets = np.array([called.tick(push) for push in history])
        changes.append(np.abs(np.diff(targets, axis=0)).max())
    assert changes[1] < 0.62 * changes[0]


def test_a_window_that_comes_back_has_its_values():
    """S19: the wave runs backwards, and windows that had left at the tail return unchanged."""
    controller = ShapeCompliance(parameters=with_changes(SLITHERING, amplitude={"bias": 0.0}))
    called, rng = Called(controller), np.random.default_rng(2)
    at, slots = called.at, called.law.windows.slots
    for _ in range(300):
        called.tick(rng.standard_normal(ROBOT.joints))
    rearmost = int(called.memory[at.first + 1] + called.memory[at.count + 1]) - 1
    clock, still = at.drift + 2, np.zeros(ROBOT.joints)
    kept, shape, phase = called.memory[at.state + rearmost % slots], called.tick(still), called.memory[clock]
    for _ in range(300):  # forwards: the rear windows leave
        called.tick(still)
    assert int(called.memory[at.first + 1] + called.memory[at.count + 1]) - 1 < rearmost
    how = called.law.admittance
    called.law = called.law._replace(admittance=how._replace(drift=-how.drift))
    while called.memory[clock] > phase:
        back = called.tick(still)
    assert int(called.memory[at.first + 1] + called.memory[at.count + 1]) - 1 == rearmost
    assert abs(called.memory[at.state + rearmost % slots] - kept) < 0.05 * abs(kept)
    assert np.abs(back - shape)[16] < 0.05


@pytest.mark.parametrize(("name", "broken"), [("amplitude", 4), ("sidewinding", 5)])
def test_a_reading_that_is_no_number_holds_the_command_and_says_so(name, broken):
    called = Called(CASES[name])
    for _ in range(5):
        before = called.tick(np.full(ROBOT.joints, 0.3))
    torque = np.full(ROBOT.joints, 0.3)
    torque[broken] = np.nan
    assert np.array_equal(called.tick(torque), before)
    assert called.signals(CASES[name])["law_held"].value == 1.0
    after = called.tick(np.full(ROBOT.joints, 0.3))
    assert np.isfinite(after).all() and not np.array_equal(after, before)
    assert called.signals(CASES[name])["law_held"].value == 0.0

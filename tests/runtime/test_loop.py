"""The one loop: laws with memory and signals, seeds, delays, scripts, streams, plants that are not simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller, HeldTorque, Observation, Signal
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import Serpenoid, Undulation
from serpenoid.robots import PlanarSnake
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.runtime.events import Event
from serpenoid.runtime.plant import Plant
from serpenoid.worlds import FreeSpace, Plane


@dataclass(frozen=True)
class Shaky(Controller):
    """Torques that are drawn anew at every tick, and how often it was asked."""

    size: float = 0.1
    """of the torques [N m]"""

    def start(self, robot, period, rng):
        return ShakyLaw(self, robot, period, rng)


class ShakyLaw:
    def __init__(self, controller, robot, period, rng):
        self.controller, self.joints, self.period, self.rng, self.asked = controller, robot.joints, period, rng, 0

    def __call__(self, observation):
        self.asked += 1
        self.torque = self.controller.size * self.rng.standard_normal(self.joints)
        return Command.empty(self.joints)._replace(torque=self.torque)

    def changed(self, controller):
        self.controller = controller

    def signals(self):
        return {
            "asked": Signal(self.asked, "", "how often the law was asked"),
            "drawn": Signal(self.torque, "N m", "the drawn values", ("joint",)),
        }


def same(one, other):
    """Return whether two runs contain the same numbers."""
    return set(one.variables) == set(other.variables) and all(
        np.array_equal(one[name], other[name], equal_nan=True) for name in one.variables
    )


def test_a_law_keeps_its_memory_to_itself_and_its_signals_are_recorded(tmp_path):
    controller = Shaky()
    runs = [sp.simulate(PlanarSnake(), Plane(), controller, 0.2, seed=3) for _ in range(2)]
    assert same(*runs)
    run = sp.Trajectory.load(runs[0].save(tmp_path / "run.zarr"))
    np.testing.assert_array_equal(run["asked"], np.arange(1, 22))
    np.testing.assert_array_equal(run["drawn"], run["command_torque"])
    assert run.variables["drawn"][0] == ("tick", "joint") and run.unit("drawn") == "N m"
    np.testing.assert_allclose(run["tick"], 0.01 * np.arange(21))
    assert run.dataset["asked"].sizes == {"tick": 21}


def test_seeds_repeat_and_differ():
    robot = PlanarSnake(sensors=Sensors(joint_position=Sensor(noise=0.01)))
    start = Initial(scatter=0.1)
    runs = [sp.simulate(robot, Plane(), Shaky(), 0.1, seed=seed, initial=start) for seed in (3, 3, 4)]
    assert same(runs[0], runs[1])
    for name in ("joint_position", "sensed_joint_position", "drawn"):
        assert not np.array_equal(runs[0][name][0], runs[2][name][0]), name
    assert same(runs[0], sp.repeat(runs[0]))


def test_start_sensors_and_law_draw_from_streams_of_their_own():
    """Random draws of one do not change those of the others."""
    plain = sp.simulate(PlanarSnake(), Plane(), Shaky(), 0.1, seed=5)
    noisy = PlanarSnake(sensors=Sensors(joint_velocity=Sensor(noise=0.01, bias=0.1)))
    other = sp.simulate(noisy, Plane(), Shaky(), 0.1, seed=5, initial=Initial(scatter=0.2))
    np.testing.assert_array_equal(plain["drawn"], other["drawn"])


def test_a_delay_holds_commands_back():
    run = sp.simulate(PlanarSnake(), FreeSpace(), HeldTorque((0.2,) * 4), 0.1, delay=3)
    np.testing.assert_array_equal(run["joint_torque"][:4], 0.0)  # means until each sample
    np.testing.assert_allclose(run["joint_torque"][4:], 0.2)
    np.testing.assert_array_equal(run["command_torque"], 0.2)


def test_a_command_of_the_wrong_size_is_refused():
    @dataclass(frozen=True)
    class Short(Controller):
        def start(self, robot, period, rng):
            return lambda observation: Command.empty(robot.joints - 1)

    with pytest.raises(InvalidValue, match="command.position"):
        sp.simulate(PlanarSnake(), FreeSpace(), Short(), 0.1)


class Echo(Plant):
    """A plant without simulation: its joints are at their targets."""

    has_truth: ClassVar[bool] = False

    def start(self, initial, rng):
        self.tick, self.position = 0, np.zeros(self.robot.joints)
        return self.observe()

    def observe(self):
        nothing = np.zeros(self.robot.joints)
        sensed = {"joint_position": self.position, "joint_velocity": nothing, "joint_torque": nothing}
        return Observation(self.tick * self.period, sensed)

    def step(self, command):
        self.tick, self.position = self.tick + 1, np.nan_to_num(command.position)
        return self.observe()


def test_any_plant_runs_gaits_and_laws():
    plant = Echo(PlanarSnake(), 0.02)
    gait = Serpenoid(amplitude=0.5, frequency=1.0)
    run = sp.run_loop(plant, gait, 1.0)
    assert run.complete and run.times.size == 51
    wanted = 0.5 * np.sin(2.0 * np.pi * run.times[:-1, None] - gait.spatial_frequency * np.arange(4) / 4)
    np.testing.assert_allclose(run["joint_position"][1:], wanted, atol=1e-12)
    assert sp.run_loop(plant, Shaky(), 0.2)["asked"][-1] == 11


def test_a_law_that_needs_the_truth_is_refused_where_there_is_none():
    from serpenoid.planning import Problem, RecedingHorizon

    with pytest.raises(Unsupported, match="true pose"):
        sp.run_loop(Echo(PlanarSnake(), 0.01), RecedingHorizon(Problem(PlanarSnake(), Plane())), 1.0)


def test_one_tick_at_a_time_is_the_same_run():
    for controller in (Serpenoid(frequency=1.3), Shaky()):
        run = sp.simulate(PlanarSnake(), Plane(), controller, 0.3)
        stream = sp.stream(PlanarSnake(), Plane(), controller, 0.3)
        samples = list(stream)
        np.testing.assert_allclose([sample.time for sample in samples], run.times)
        for name in run.variables:  # a compiled call rounds its last state
            np.testing.assert_allclose(stream.trajectory()[name], run[name], rtol=1e-9, atol=1e-9)


def test_samples_off_the_ticks():
    run = sp.simulate(PlanarSnake(), Plane(), Shaky(), 0.105, control_period=0.01, sample_period=0.003)
    np.testing.assert_allclose(run.times, 0.003 * np.arange(36))
    np.testing.assert_allclose(run.ticks, 0.01 * np.arange(11))
    gait = sp.simulate(PlanarSnake(), Plane(), Serpenoid(), 0.105, control_period=0.02, sample_period=0.003)
    np.testing.assert_allclose(gait.times, 0.003 * np.arange(36))


@pytest.mark.parametrize("robot", [PlanarSnake(), sp.robots.Natrix()], ids=["driven", "prescribed"])
def test_a_gait_takes_over_without_a_jump_and_the_recording_repeats(robot):
    world = FreeSpace()
    first = Undulation(amplitude=0.25, frequency=1.0)
    stream = sp.stream(robot, world, first, 1.0, sample_period=0.001)
    angles, rates = [], []
    for sample in stream:
        angles.append(sample.command.position)
        rates.append(sample.command.velocity)
        if abs(sample.time - 0.3) < 1e-9:
            stream.change("controller.frequency", 2.0)
        if abs(sample.time - 0.6) < 1e-9:
            stream.lead(Undulation(amplitude=0.1, frequency=0.5))
    angles, rates = np.array(angles), np.array(rates)
    fastest = np.abs(rates).max()
    assert np.abs(np.diff(angles, axis=0)).max() < 1.5e-3 * fastest
    assert np.abs(np.diff(rates, axis=0)).max() < 0.05 * fastest
    run = stream.trajectory()
    assert run.complete and same(run, sp.repeat(run))


def test_phase_goes_on_when_the_frequency_changes():
    robot, stream = PlanarSnake(), None
    stream = sp.stream(robot, FreeSpace(), Serpenoid(amplitude=0.5, frequency=1.0, spatial_frequency=-1.2), 3.0)
    for sample in stream:
        if abs(sample.time - 0.25) < 1e-9:
            stream.change("controller.frequency", 2.0)
        last = sample
    phase = 2.0 * np.pi * (0.25 + 2.0 * (3.0 - 0.25))  # cycles before and after the change
    np.testing.assert_allclose(last.command.position, 0.5 * np.sin(phase + 0.3 * np.arange(4)), atol=1e-9)


def test_a_changed_world_and_controller_are_rows_of_the_script():
    script = [Event(5, "world.friction_transverse", 0.3), Event(8, "controller.size", 0.5)]
    run = sp.simulate(PlanarSnake(), Plane(), Shaky(), 0.2, script=script)
    plain = sp.simulate(PlanarSnake(), Plane(), Shaky(), 0.2)
    np.testing.assert_array_equal(run["joint_position"][:6], plain["joint_position"][:6])
    assert not np.array_equal(run["joint_position"][7], plain["joint_position"][7])
    np.testing.assert_allclose(run["drawn"][8:], 5.0 * plain["drawn"][8:])
    assert same(run, sp.repeat(run))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event(0, "world.colour", 1.0), "colour"),
        (Event(0, "weather", 1.0), "what"),
        (Event(0, "push.9", (1.0, 0, 0, 0, 0, 0)), "a link from 0 to 4"),
        (Event(0, "push.0", (1.0, 0, 0)), "6 numbers"),
        (Event(-1, "push.0", (1.0, 0, 0, 0, 0, 0)), "tick"),
        (Event(0, "robot.links", 7), "keeps its joints"),
        (Event(0, "world.smoothing", -1.0), "world.smoothing"),
    ],
)
def test_bad_rows_of_a_script(event, words):
    with pytest.raises(sp.SerpenoidError, match=words):
        sp.simulate(PlanarSnake(), Plane(), Shaky(), 0.1, script=[event])


def test_a_plant_starts_again_without_a_trace():
    from serpenoid.simulation import Timing, plant_of

    plant = plant_of(PlanarSnake(), Plane(), Timing(0.1))
    runs = [sp.run_loop(plant, Shaky(), 0.1, seed=2) for _ in range(2)]
    assert same(*runs)


def test_a_stream_keeps_only_the_latest():
    stream = sp.stream(PlanarSnake(), Plane(), Shaky(), 1.0, keep=20)
    times = [sample.time for sample in stream]
    assert len(times) == 101
    run = stream.trajectory()
    np.testing.assert_allclose(run.times, 0.81 + 0.01 * np.arange(20))
    assert run.ticks.size == 20


@pytest.mark.parametrize("controller", [Shaky(), Serpenoid()], ids=["law", "gait"])
def test_a_stream_that_is_left_in_the_middle_repeats(controller):
    stream = sp.stream(PlanarSnake(), Plane(), controller, 1.0, sample_period=0.005)
    for sample in stream:
        if sample.time > 0.0999:
            break
    stream.push(1, (0.1, 0.0, 0.0))  # acts on what would have come next
    run = stream.trajectory()
    again = sp.repeat(run)
    assert not run.complete and not again.complete
    assert same(run, again) and same(run, sp.repeat(again))


def test_a_law_may_use_its_arrays_again_and_change_what_it_reads():
    @dataclass(frozen=True)
    class Reuses(Controller):
        def start(self, robot, period, rng):
            command, count = Command.empty(robot.joints), np.zeros(1)

            def law(observation):
                seen = observation.joint_position
                seen += 1.0  # its own copy
                count[0] += 1.0
                command.torque[:] = 0.01 * count
                return command

            law.signals = lambda: {"count": Signal(count[0:1], "", "ticks so far", ("one",))}
            return law

    run = sp.simulate(PlanarSnake(), FreeSpace(), Reuses(), 0.1, delay=2)
    np.testing.assert_allclose(run["command_torque"][:, 0], 0.01 * np.arange(1, 12))
    np.testing.assert_array_equal(run["count"][:, 0], np.arange(1, 12))
    assert np.abs(run["joint_position"]).max() < 0.5


@dataclass(frozen=True)
class Says(Controller):
    """Returns a given command, with signals of the given names."""

    names: tuple[str, ...] = ()
    answer: object = "empty"

    def start(self, robot, period, rng):
        law = lambda observation: Command.empty(robot.joints) if isinstance(self.answer, str) else self.answer  # noqa: E731
        law.signals = lambda: {name: Signal(1.0) for name in self.names}
        return law


@pytest.mark.parametrize("name", ["joint_position", "time", "tick", "command_torque", "work_drive"])
def test_a_signal_cannot_take_the_name_of_a_variable(name):
    with pytest.raises(InvalidValue, match="signal"):
        sp.simulate(PlanarSnake(), FreeSpace(), Says((name,)), 0.1)


@pytest.mark.parametrize("answer", [None, np.zeros(4), 3.0])
def test_what_is_no_command_is_refused_in_one_line(answer):
    with pytest.raises(InvalidValue, match="command"):
        sp.simulate(PlanarSnake(), FreeSpace(), Says((), answer), 0.1)


def test_a_refused_change_leaves_the_stream_as_it_was():
    stream = sp.stream(PlanarSnake(), Plane(), Serpenoid(), 0.3)
    next(stream)
    for what, value in (("controller.frequenzy", 1.0), ("push.9", (0.0,) * 6), ("push.0", (0, 0, 1.0, 0, 0, 0))):
        with pytest.raises(sp.SerpenoidError):
            stream.change(what, value)
    assert not stream.loop.script
    assert len(list(stream)) == 30


@dataclass(frozen=True)
class Accelerates(Controller):
    """Command joint accelerations alone."""

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(acceleration=np.zeros(robot.joints))


def test_commands_that_a_drive_cannot_take_are_refused():
    prescribed = PlanarSnake(drive=sp.robots.Prescribed())
    with pytest.raises(Unsupported, match="torques"):
        sp.simulate(prescribed, FreeSpace(), HeldTorque((0.1,) * 4), 0.1)
    with pytest.raises(Unsupported, match="accelerations"):
        sp.simulate(PlanarSnake(), FreeSpace(), Accelerates(), 0.1)
    with pytest.raises(InvalidValue, match="robot.drive"):
        sp.simulate(sp.robots.Natrix(drive=sp.robots.PD()), FreeSpace(), sp.control.RollStabiliser(), 0.1)


def test_a_gait_has_no_delay_but_can_be_held_to_the_clock():
    from time import monotonic

    with pytest.raises(InvalidValue, match="delay"):
        sp.simulate(PlanarSnake(), FreeSpace(), Serpenoid(), 0.1, delay=2)
    sp.simulate(PlanarSnake(), FreeSpace(), Serpenoid(), 0.1)
    start = monotonic()
    sp.simulate(PlanarSnake(), FreeSpace(), Serpenoid(), 0.2, realtime=True, sample_period=0.01)
    assert monotonic() - start >= 0.15  # no test of speed: the clock may not run ahead


def test_a_gait_on_any_plant_can_be_changed():
    run = sp.run_loop(Echo(PlanarSnake(), 0.02), Serpenoid(), 1.0, script=[Event(10, "controller.amplitude", 0.1)])
    assert np.abs(run["joint_position"][40:]).max() < 0.11 < np.abs(run["joint_position"][:9]).max()


def test_the_planner_plans_from_what_is_sensed():
    from serpenoid.scenarios.mpc import PredictiveControl

    noisy = PlanarSnake(sensors=Sensors(joint_position=Sensor(noise=0.1)))
    runs = [PredictiveControl(robot=robot, duration=0.1, settle=0.05).run() for robot in (PlanarSnake(), noisy)]
    assert not np.array_equal(runs[0]["command_torque"], runs[1]["command_torque"])


def test_a_rule_that_may_end_a_run_reads_no_sensor():
    """With readings that come late: the same with a rule that is never met."""
    from serpenoid.robots.sensors import Sensors
    from serpenoid.runtime.stop_rules import LeaveArea

    robot = sp.robots.PlanarSnake(sensors=Sensors(delay=0.03))
    law = sp.control.OpenLoop(sp.gaits.Serpenoid(), rates=True)
    free, ruled = (
        sp.simulate(robot, sp.worlds.Plane(), law, 0.2, stop=stop)
        for stop in (None, LeaveArea((-9.0, -9.0), (9.0, 9.0)))
    )
    np.testing.assert_array_equal(free["sensed_joint_position"], ruled["sensed_joint_position"])


def test_a_scenario_with_a_script_is_not_run_in_lanes():
    from serpenoid.runtime.events import Event
    from serpenoid.scenarios.slither import Slither

    class Pushed(Slither):
        def script(self):
            return (Event(0, "push.1", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),)

    assert Slither.batch([Slither(duration=0.1)]) is not None
    assert Pushed.batch([Pushed(duration=0.1)]) is None


@pytest.mark.parametrize(
    "robot, world, gait, what, value",
    [
        (PlanarSnake(links=4), Plane(), Serpenoid(), "robot.link_mass", (0.2, 0.2, 0.2, 2.0)),
        (PlanarSnake(links=4), Plane(), Serpenoid(), "robot.link_length", 0.25),
        (sp.robots.Natrix(), sp.worlds.WaterSurface(), sp.gaits.Undulation(), "robot.head.mass", 0.5),
    ],
    ids=["mass", "length", "natrix"],
)
def test_a_robot_that_changes_stays_where_it_is_and_the_books_balance(robot, world, gait, what, value):
    run = sp.simulate(robot, world, gait, 0.2, script=[Event(10, what, value)])
    way = np.linalg.norm(np.diff(run["base_pose"][:, :3], axis=0), axis=1)
    assert way[9] < 1.5 * way[8]  # the step that ends in the sample of the change
    assert sp.analysis.energy_balance(run).residual < 1e-6

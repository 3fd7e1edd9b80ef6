"""Invalid runs: every odd input of simulate, stream and run_loop ends in one line that names it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller, Idle, OpenLoop, Signal
from serpenoid.engines.base import Initial
from serpenoid.errors import SerpenoidError
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.robots.drives import PD
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.simulation import Timing, plant_of
from serpenoid.worlds import FreeSpace, Plane

WAVE = Serpenoid(frequency=1.0)
STILL = (0.0,) * 6


class Answers(Controller):
    """A law that gives the same answer at every tick, and signals by the number of the tick."""

    def __init__(self, answer, signals=None):
        self.answer, self.told = answer, signals or (lambda tick: {})

    def start(self, robot, period, rng):
        controller = self

        class Law:
            asked = 0

            def __call__(self, observation):
                self.asked += 1
                return controller.answer

            def signals(self):
                return controller.told(self.asked)

        return Law()


class NoLaw(Controller):
    def start(self, robot, period, rng):
        return 3


def refused(call, words):
    with pytest.raises(SerpenoidError, match=words) as found:
        call()
    assert "\n" not in str(found.value)


def simulated(robot=None, world=None, controller=WAVE, duration=0.05, **options):
    return sp.simulate(robot or PlanarSnake(), world or Plane(), controller, duration, **options)


RUNS = {
    "robot": ({"robot": "snake"}, "robot = 'snake'"),
    "robot's class": ({"robot": PlanarSnake}, "robot ="),
    "world": ({"world": "plane"}, "world = 'plane'"),
    "world's class": ({"world": Plane}, "world ="),
    "controller": ({"controller": "gait"}, "controller = 'gait'"),
    "controller's class": ({"controller": Serpenoid}, "a Gait or a Controller"),
    "empty controller": ({"controller": ""}, "controller = ''"),
    "plain function": ({"controller": print}, "a Gait or a Controller"),
    "no law": ({"controller": NoLaw()}, "NoLaw.start"),
    "no duration": ({"duration": None}, "duration = None"),
    "duration in words": ({"duration": "1"}, "duration = '1'"),
    "duration NaN": ({"duration": nan}, "duration = nan"),
    "endless": ({"duration": inf}, "duration = inf"),
    "backwards": ({"duration": -1.0}, "from 1e-07 to 1e.06 s"),
    "no step": ({"step": 0.0}, "step = 0.0"),
    "sample period": ({"sample_period": 0.0015}, "a multiple of the step"),
    "delay below 0": ({"controller": Idle(), "delay": -1}, "delay = -1"),
    "half a delay": ({"controller": Idle(), "delay": 1.5}, "delay = 1.5"),
    "seed below 0": ({"seed": -1}, "seed = -1"),
    "half a seed": ({"seed": 1.5}, "seed = 1.5"),
    "no seed": ({"seed": None}, "seed = None"),
    "seed in words": ({"seed": "a"}, "seed = 'a'"),
    "initial": ({"initial": {"scatter": 0.1}}, "initial ="),
    "initial's class": ({"initial": Initial}, "an Initial"),
    "engine": ({"engine": print}, "unknown engine"),
    "stop rule": ({"stop": "x"}, "a LeaveArea"),
    "stop rule's class": ({"stop": LeaveArea}, "a LeaveArea"),
    "progress": ({"progress": "x"}, "progress = 'x'"),
    "no script": ({"script": None}, "script = None"),
    "script in words": ({"script": "abc"}, "rows Event"),
    "script of numbers": ({"script": [1]}, "rows Event"),
    "script of tuples": ({"script": [(0, "push.0", STILL)]}, "rows Event"),
    "one event": ({"script": Event(0, "push.0", STILL)}, "rows Event"),
    "half a tick": ({"script": [Event(0.5, "push.0", STILL)]}, "tick = 0.5"),
    "no target": ({"script": [Event(0, None, 1)]}, "what = None"),
    "no digit": ({"script": [Event(0, "push.\u00b2", STILL)]}, "links counted from 0"),
    "endless digits": ({"script": [Event(0, f"push.{'9' * 5000}", STILL)]}, "links counted from 0"),
    "push of words": ({"script": [Event(0, "push.0", ("1",) * 6)]}, "push.0 = '1'"),
    "push NaN": ({"script": [Event(0, "push.0", (nan,) * 6)]}, "push.0 = nan"),
    "push in words": ({"script": [Event(0, "push.0", "abcdef")]}, "6 numbers"),
    "controller becomes a word": ({"script": [Event(0, "controller", "x")]}, "cannot become"),
    "push after the end": ({"script": [Event(3, "push.0", STILL)], "duration": 0.02}, "script = .*ticks up to 2"),
    "medium none": ({"script": [Event(0, "world.medium", None)]}, "unknown medium"),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_cannot_be(name):
    options, words = RUNS[name]
    refused(lambda: simulated(**options), words)


NOTHING = Command.empty(4)
ANSWERS = {
    "none": (None, "command = None"),
    "a number": (3, "command = 3"),
    "an array": (np.zeros(4), "a Command"),
    "short": (Command.empty(3), "command.position"),
    "two axes": (Command(*np.zeros((4, 1, 4))), "command.position"),
    "infinite": (NOTHING._replace(torque=np.full(4, inf)), "command.torque"),
    "words": (NOTHING._replace(torque=np.array(list("abcd"))), "command.torque"),
    "a word": (NOTHING._replace(velocity="abcd"), "command.velocity"),
    "nothing in one": (NOTHING._replace(torque=None), "command.torque"),
    "ragged": (NOTHING._replace(torque=[1, [2], 3, 4]), "command.torque"),
    "complex": (NOTHING._replace(torque=np.full(4, 1j)), "command.torque"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_no_command(name):
    answer, words = ANSWERS[name]
    refused(lambda: simulated(controller=Answers(answer)), words)


SIGNALS = {
    "no dictionary": (lambda tick: 3, "signals"),
    "no signal": (lambda tick: {"a": 1.0}, "signal a = 1.0"),
    "names that change": (lambda tick: {f"a{tick}": Signal(1.0)}, "the same at every tick"),
    "a size that changes": (lambda tick: {"a": Signal(np.zeros(tick), dims=("k",))}, "the same at every tick"),
    "no dims": (lambda tick: {"a": Signal(np.zeros(3))}, "one for each axis"),
    "dims of a number": (lambda tick: {"a": Signal(1.0, dims=("joint",))}, "one for each axis"),
    "a word": (lambda tick: {"a": Signal("x")}, "signal a = 'x'"),
    "joints": (lambda tick: {"a": Signal(np.zeros(3), dims=("joint",))}, "4 long in joint"),
    "two sizes": (
        lambda tick: {"a": Signal(np.zeros(3), dims=("k",)), "b": Signal(np.zeros(4), dims=("k",))}, "3 long in k",
    ),
    "on time": (lambda tick: {"a": Signal(np.zeros(3), dims=("time",))}, "signal a"),
    "a number as name": (lambda tick: {3: Signal(1.0)}, "signal = 3"),
    "a path as name": (lambda tick: {"a/b": Signal(1.0)}, "signal = 'a/b'"),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNALS)
def test_signals_that_cannot_be_recorded(name):
    signals, words = SIGNALS[name]
    refused(lambda: simulated(controller=Answers(NOTHING, signals)), words)


def streamed(act=next, duration=0.05, **options):
    stream = sp.stream(PlanarSnake(), Plane(), WAVE, duration, **options)
    next(stream)
    return act(stream)


STREAMS = {
    "keep 0": (lambda: streamed(keep=0), "keep = 0"),
    "keep in words": (lambda: streamed(keep="3"), "keep = '3'"),
    "no duration": (lambda: streamed(duration=None), "duration = None"),
    "endless backwards": (lambda: streamed(duration=-inf), "duration = -inf"),
    "endless without samples": (lambda: streamed(duration=inf, sample_period=0.0), "sample_period = 0.0"),
    "nothing changes": (lambda: streamed(lambda run: run.change(None, 1)), "what = None"),
    "frequency NaN": (lambda: streamed(lambda run: run.change("controller.frequency", nan)), "frequency = nan"),
    "no gait": (lambda: streamed(lambda run: run.lead(None)), "cannot become"),
    "no force": (lambda: streamed(lambda run: run.push(0, None)), "3 numbers"),
    "force in words": (lambda: streamed(lambda run: run.push(0, ("a", "b", "c"))), "push = 'a'"),
    "no moment": (lambda: streamed(lambda run: run.push(0, (1.0, 0.0, 0.0), None)), "3 numbers"),
    "no link": (lambda: streamed(lambda run: run.push(-1, (1.0, 0.0, 0.0))), "links counted from 0"),
    "after the end": (lambda: streamed(lambda run: [list(run), run.push(0, (1.0, 0.0, 0.0))]), "is over"),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_cannot_be(name):
    refused(*STREAMS[name])


def plant(**options):
    made = plant_of(PlanarSnake(), FreeSpace(), Timing(1.0))
    return SimulatedPlant(made.engine, **{"period": 0.01, "sample_period": 0.01, **options}) if options else made


LOOPS = {
    "no plant": (lambda: sp.run_loop(None, WAVE, 0.1), "a Plant"),
    "an engine": (lambda: sp.run_loop(plant().engine, WAVE, 0.1), "a Plant"),
    "no controller": (lambda: sp.run_loop(plant(), None, 0.1), "controller = None"),
    "endless": (lambda: sp.run_loop(plant(), Idle(), inf), "duration = inf"),
    "backwards": (lambda: sp.run_loop(plant(), Idle(), -1.0), "duration = -1.0"),
    "delay in words": (lambda: sp.run_loop(plant(), Idle(), 0.1, delay="2"), "delay = '2'"),
    "stride below 0": (lambda: sp.run_loop(plant(), Idle(), 0.1, stride=-1), "stride = -1"),
    "attributes": (lambda: sp.run_loop(plant(), Idle(), 0.1, attributes=3), "attributes = 3"),
    "no engine": (lambda: SimulatedPlant(None, 0.01, 0.01), "engine = None"),
    "period of no steps": (lambda: plant(period=0.0), "period = 0.0"),
    "period of half a step": (lambda: plant(period=0.0105), "a multiple of the step"),
    "nothing to repeat": (lambda: sp.repeat("run.zarr"), "a Trajectory"),
    "sensor": (lambda: Sensors(joint_position=0.1), "a Sensor"),
    "noise": (lambda: Sensor(noise=nan), "noise = nan"),
    "a crossed area": (lambda: LeaveArea((1.0, 1.0), (0.0, 0.0)), "high"),
    "an area of words": (lambda: LeaveArea("ab", (0.0, 0.0)), "low"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_cannot_be(name):
    refused(*LOOPS[name])


def test_numbers_of_numpy_are_numbers(tmp_path):
    run = simulated(seed=np.int64(3), script=[Event(np.int64(1), "push.0", STILL)], duration=np.float64(0.02))
    assert sp.repeat(sp.Trajectory.load(run.save(tmp_path / "run.zarr"))).complete


@dataclass(frozen=True)
class Trap:
    """A dataclass that has nothing to do with runs; making one would be noticed."""

    def __post_init__(self):
        raise RuntimeError("made")


HERE = f"{__name__}:Trap"
RECORDINGS = {
    "another robot": ("robot", {"type": "serpenoid.worlds.plane:Plane"}),
    "a stranger as robot": ("robot", {"type": HERE}),
    "a stranger as gait": ("controller", {"type": HERE}),
    "no robot": ("robot", 5),
    "no world": ("world", None),
    "no script": ("script", "nonsense"),
    "no rows": ("script", "5"),
    "another row": ("script", '[{"tick": 0}]'),
    "a number as row": ("script", "[5]"),
    "a stranger takes over": ("script", json.dumps([{"tick": 0, "what": "controller", "value": {"type": HERE}}])),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_that_cannot_be_repeated(name):
    run, (part, value) = simulated(duration=0.02), RECORDINGS[name]
    if part == "script":
        run.attributes["script"] = value
    else:
        run.attributes["configuration"] = json.dumps({**run.configuration, part: value})
    refused(lambda: sp.repeat(run), f"^{part} = ")


def test_a_drive_that_is_changed_is_repeated():
    run = simulated(duration=0.04, script=[Event(2, "robot.drive", PD(stiffness=5.0))])
    assert np.array_equal(sp.repeat(run)["joint_position"], run["joint_position"])
    assert not np.array_equal(simulated(duration=0.04)["joint_position"], run["joint_position"])


@pytest.mark.parametrize("controller", [WAVE, OpenLoop(WAVE, rates=True)], ids=["gait", "law"])
def test_a_push_shows_from_the_sample_at_its_tick_on(controller):
    for tick in (1, 2):  # on the way, and at the last moment
        script = [Event(tick, "push.0", (1.0, *STILL[1:]))]
        pushed, still = (simulated(None, None, controller, 0.02, script=rows)["accelerometer"] for rows in (script, ()))
        assert [np.array_equal(a, b) for a, b in zip(pushed, still)] == [sample < tick for sample in range(3)]


def test_rows_that_did_not_act_are_left_out_of_what_a_stream_leaves():
    push = (1.0, *STILL[1:])
    going = sp.stream(PlanarSnake(), Plane(), WAVE, 1.0, script=[Event(1, "push.0", push), Event(50, "push.0", STILL)])
    for _ in range(5):
        next(going)
    assert [row["tick"] for row in json.loads(going.trajectory().attributes["script"])] == [1]
    assert np.array_equal(sp.repeat(going.trajectory())["base_pose"], going.trajectory()["base_pose"])

"""Live run on emulated modules: the table, manual command and release of a module, gains, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from studio_tools import open_studio, settled, until

from serpenoid.errors import HardwareFault, InvalidValue, Unsupported
from serpenoid.gaits import Serpenoid
from serpenoid.hardware.motor_plant import CLAIMED
from serpenoid.robots import SeaSnake
from serpenoid.robots.cascade import Cascade
from serpenoid.scenarios.presets import Slithering
from serpenoid.scenarios.recorded import repeat
from serpenoid.scenarios.slither import Slither
from serpenoid.studio.live import KEPT, open_stream
from serpenoid.studio.module_stream import TwinStream

SLOW = Slither(gait=Serpenoid(amplitude=0.4, frequency=0.5, spatial_frequency=-5.6))


@pytest.fixture
def run():
    found = TwinStream(SLOW, keep=500)
    yield found
    found.close()
    assert not CLAIMED


@pytest.fixture
def cascade():
    found = TwinStream(Slithering(robot=SeaSnake(modules=8, drive=Cascade())), keep=500)
    yield found
    found.close()


def go(run, seconds):
    for _ in range(round(seconds / run.timing.sample_period)):
        next(run)
    while run.seen < run.plant.recorded_samples:  # the samples of the soft start
        next(run)


def test_a_run_on_modules_holds_as_long_a_time_as_others():
    found = open_stream(Slithering(robot=SeaSnake(modules=8)), modules=True)
    try:
        assert found.modules.keep * found.timing.sample_period == pytest.approx(KEPT)
    finally:
        found.close()


def test_one_module_is_led_by_hand_and_given_back(run):
    go(run, 0.5)
    sent = []
    transmit = run.modules.transmit
    run.modules.transmit = lambda command: (sent.append(command.position.copy()), transmit(command))
    run.modules.lead(1, 0.7)
    go(run, 3.0)
    rows = run.readings()
    assert [row[-1] for row in rows].count("by hand") == 1 and rows[1][2] == pytest.approx(0.7, abs=0.1)
    assert sent[-1][1] == 0.7 and np.ptp(np.array(sent)[-200:, 0]) > 0.3  # the others follow their law
    run.modules.lead(1, None)
    go(run, 2.0)
    steps = np.abs(np.diff(sent, axis=0))
    assert not run.modules.returning.any() and steps.max() <= run.modules.safety.most_speed * 0.01
    np.testing.assert_allclose(sent[-1], run.loop.running.ticks[-1].command.position[-1])
    with pytest.raises(InvalidValue, match="angle"):
        run.modules.lead(1, 3.0)


def test_what_was_seen_is_a_recording_that_says_what_it_is(run):
    go(run, 1.0)
    run.push(2, (0.0, 0.1, 0.0))
    run.change("controller.amplitude", 0.3)
    go(run, 6.0)
    assert len(run.loop.running.ticks) <= 500 and len(run.plant.log) <= 500
    found = run.trajectory()
    assert {"joint_position", "module_voltage", "tick_delay"} <= set(found.variables) and found.times.size > 100
    with pytest.raises(InvalidValue, match="modules"):
        repeat(found)


def test_gains_that_a_drive_cannot_have_are_refused(run):
    assert (run.gains["position_kp"] == 3.0).all()
    go(run, 0.5)
    with pytest.raises(Unsupported):
        run.set_gains({"position_kp": 12.0}, [0])
    go(run, 0.5)
    assert (run.gains["position_kp"] == 3.0).all() and run.modules.fault is None


def test_gains_that_a_module_cannot_have_do_not_end_the_run(cascade):
    go(cascade, 0.2)
    with pytest.raises(InvalidValue) as error:
        cascade.set_gains({"position_kp": 1e9}, [0])
    go(cascade, 0.2)
    assert error.value.field == "position.kp" and cascade.modules.fault is None


def test_one_module_has_gains_of_its_own(cascade):
    """Check that each joint, held by the floor's friction, is off by its torque over its gain."""
    joints = cascade.modules.robot.joints
    cascade.set_gains({"position_kp": 5.0, "position_ki": 0.0}, [2])
    assert cascade.gains["position_kp"].tolist() == [30.0 if j != 2 else 5.0 for j in range(joints)]
    go(cascade, 0.2)
    for joint in (2, 4):
        cascade.modules.lead(joint, 0.3)
    go(cascade, 4.0)
    for joint, gain in ((2, 5.0), (4, 30.0)):
        angle, torque = cascade.readings()[joint][2:4]
        assert abs(torque) > 0.1 and gain * (0.3 - angle) == pytest.approx(torque, rel=0.3)
    cascade.set_gains({"position_kp": 30.0, "position_ki": 2.0}, range(joints))
    assert cascade.plant.robot.drive == Cascade()


def test_a_run_that_is_held_ends_in_its_line():
    run = TwinStream(replace(SLOW, gait=Serpenoid(amplitude=0.9, frequency=3.0)), keep=500)
    with pytest.raises(HardwareFault, match="rate|jump"):
        go(run, 1.0)
    run.close()


def test_the_page_shows_modules_and_commands_one(tmp_path):
    with open_studio(tmp_path) as studio:
        studio.post(studio.modules.command, True)
        assert settled(studio) and "modules" in studio.said
        studio.runs.set_scenario(SLOW)
        studio.modules.twin.value = True
        studio.drive.free.value = True
        studio.post(studio.runs.start_live)
        assert until(lambda: "SA002" in studio.modules.table.content), studio.said
        assert studio.modules.gains["position_kp"].value == 3.0
        studio.modules.choice.value, studio.modules.angle.value = "SA003", 0.5
        studio.post(studio.modules.command, True)
        assert until(lambda: "by hand" in studio.modules.table.content)
        studio.post(studio.modules.send_gains)
        studio.modules.gains["position_kp"].value = 5.0
        studio.post(studio.modules.send_gains)
        assert until(lambda: "PD does not have module gains" in studio.said)
        studio.post(studio.end_live)
        assert settled(studio) and studio.run is not None and not CLAIMED
        assert "SA002" not in studio.modules.table.content and not studio.modules.gains

"""Repeated recordings: bit for bit, with changed fields, by sp.repeat() and by `serpenoid run --from`."""

import json

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import configuration
from serpenoid.cli import main
from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.runtime.events import Event
from serpenoid.scenarios.recorded import Recorded
from serpenoid.scenarios.slither import Slither
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.trajectory import Trajectory

SHORT = Slither(duration=0.3)


def same(one, other):
    assert set(one.variables) == set(other.variables)
    for name in one.variables:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def from_file(run, folder, *flags):
    """Repeat a recording with `serpenoid run --from`."""
    run.save(folder / "run.zarr")
    assert main(["run", "--from", str(folder / "run.zarr"), "--out", str(folder / "again.zarr"), *flags]) == 0
    return Trajectory.load(folder / "again.zarr")


def by_a_program(**changes):
    robot, world, gait = SHORT.parts()
    return sp.simulate(robot, world, gait, 0.3, seed=2**40, **changes)


def test_a_recording_holds_one_configuration():
    run = SHORT.run()
    assert "scenario" not in run.attributes
    assert configuration.from_plain(run.configuration["scenario"], Slither) == SHORT
    assert "scenario" not in by_a_program().configuration


@pytest.mark.parametrize("make", [SHORT.run, by_a_program])
def test_repeat_and_run_from_give_the_same_bits(tmp_path, make):
    run = make()
    same(run, sp.repeat(run))
    again = from_file(run, tmp_path)
    same(run, again)
    assert again.configuration == run.configuration and again.attributes["script"] == run.attributes["script"]


def test_fields_of_the_scenario_change_and_the_rest_stays(tmp_path):
    run, faster = SHORT.run(), {"gait.frequency": 2.5}
    again = sp.repeat(run, faster)
    same(again, configuration.changed(SHORT, faster).run())
    same(again, from_file(run, tmp_path, "--gait.frequency", "2.5"))
    with pytest.raises(UnknownName):
        sp.repeat(run, {"gait.speed": 1.0})


def test_parts_of_a_program_change_and_what_acted_acts_again(tmp_path):
    script = [Event(5, "controller.amplitude", 0.4), Event(20, "push.1", (0.0, 0.5, 0.0, 0.0, 0.0, 0.0))]
    run = by_a_program(script=script)
    again = sp.repeat(run, {"world.friction_transverse": 0.5, "duration": 0.1})
    assert [row["tick"] for row in json.loads(again.attributes["script"])] == [5]
    assert again.configuration["world"]["friction_transverse"] == 0.5 and again.times[-1] == pytest.approx(0.1)
    same(again, from_file(run, tmp_path, "--world.friction_transverse", "0.5", "--duration", "0.1"))


@pytest.mark.parametrize("scenario", [Slither(), SlitherPegs()])
def test_a_run_saved_from_the_studio_repeats_to_the_bit(tmp_path, scenario):
    import serpenoid.hardware  # noqa: F401  before the emulator, which imports it
    from serpenoid.studio.live import Live

    live = Live(scenario, lambda text: None, speed=np.inf).start()
    while live.latest is None or live.latest.time < 0.2:
        assert live.running
    live.push(2, np.array([0.0, 0.2, 0.0]), 0.05)
    start = live.latest.time
    while live.latest.time < start + 0.2:
        assert live.running
    run = live.trajectory()
    live.stop()
    assert "push.2" in run.attributes["script"]
    for again in (sp.repeat(run), from_file(run, tmp_path)):
        assert set(again.variables) == set(run.variables)
        for name, (dims, values, *_) in run.variables.items():
            np.testing.assert_array_equal(again[name][-len(values) :], values, err_msg=f"{name} {dims}")


def test_what_cannot_be_made_again_is_refused_by_both(tmp_path, capsys):
    run = SHORT.run()
    run.attributes["unrepeatable"] = ["controller"]
    with pytest.raises(InvalidValue):
        sp.repeat(run)
    assert main(["run", "--from", str(run.save(tmp_path / "run.zarr"))]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_recorded_run_is_a_scenario_of_its_parts():
    found = Recorded.of(by_a_program(delay=0, control_period=0.02))
    assert (found.robot, found.world, found.controller) == SHORT.parts()
    assert found.seed == 2**40 and found.control_period == 0.02 and found.duration == 0.3

"""Runs in the page: one set of controls, previews, kept and stopped runs, and views of long runs."""

from functools import partial

import numpy as np
import pytest
from runs import made_run
from studio_tools import open_studio, raw_client, settled, until

from serpenoid import configuration
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios import find_scenario
from serpenoid.studio.driving import ACTIONS
from serpenoid.worlds import Plane

SLITHER = find_scenario("slither")()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stage")
    made_run(PlanarSnake(links=4), Plane(), duration=1.0).save(folder / "made.zarr")
    with open_studio(folder) as found:
        yield found


def test_one_set_of_controls_shows_what_the_live_run_has(studio):
    """Check that sliders, keys and gait changes act on the same fields, which the Run tab shows."""
    runs, drive = studio.runs, studio.drive
    studio.post(runs.choose, "slither")
    studio.post(runs.moved, "gait.amplitude", 0.4)
    studio.post(runs.start_live)
    assert until(lambda: studio.live is not None and studio.live.latest is not None)
    studio.post(drive.drive, ACTIONS[4])  # tighten
    assert settled(studio) and until(lambda: studio.live.controller.amplitude == pytest.approx(0.455))
    assert runs.controls.handles["gait.amplitude"].value == pytest.approx(0.455)
    assert runs.scenario.gait.amplitude == pytest.approx(0.455)
    for _ in range(20):
        studio.post(drive.drive, ACTIONS[4])  # beyond the usual range
    assert settled(studio) and until(lambda: studio.live.controller.amplitude > 1.2)
    assert runs.controls.handles["gait.amplitude"].value == pytest.approx(studio.live.controller.amplitude)
    studio.post(drive.lead, "undulation")
    assert settled(studio) and until(lambda: type(studio.live.controller).__name__ == "Undulation")
    assert runs.others is not None and not runs.controls.folders["gait"].visible and drive.gait.value == "undulation"
    own = studio.live.controller.frequency
    studio.post(runs.moved, "gait.frequency", 0.3)  # of the scenario's gait, which is not active
    studio.post(runs.other_moved, "amplitude", 0.2)
    assert settled(studio) and until(lambda: studio.live.controller.amplitude == 0.2)
    assert studio.live.controller.frequency == own
    studio.post(runs.moved, "robot.links", 9)  # refused during the run
    assert until(lambda: runs.controls.handles["robot.links"].value == 5) and runs.scenario.robot.links == 5
    studio.post(runs.end)
    assert settled(studio) and studio.said.endswith("stopped") and runs.controls.folders["gait"].visible


def test_choices_of_parts_stand_at_the_top_with_presets(studio):
    studio.post(studio.runs.choose, "slither-pegs")
    assert settled(studio)
    top, handles = studio.runs.top, studio.runs.controls.handles
    parts = [handles[name] for name in ("controller", "robot", "engine")]
    assert all(handle._impl.parent_container_id == top._impl.uuid for handle in parts)
    assert "slithering_aw" in handles["controller"].options
    studio.post(studio.runs.moved, "controller", "slithering_aw")
    assert settled(studio) and studio.runs.controls.handles["controller"].value == "slithering_aw"
    studio.post(studio.runs.choose, "slither")
    assert settled(studio) and until(lambda: "controller" not in studio.runs.controls.handles)
    assert studio.runs.controls.handles["gait"]._impl.parent_container_id == top._impl.uuid


def starts(studio):
    """Return whether a preview is on the stage."""
    return studio.stage is not None and studio.run is None and studio.live is None


def test_preview_and_clear_come_at_any_time_and_nothing_computed_is_lost(tmp_path):
    with open_studio(tmp_path) as studio, raw_client(studio):
        studio.drive.free.value = True
        for interrupt in (
            partial(studio.runs.choose, "natrix"), studio.runs.preview, studio.clear_stage, studio.runs.start_live,
        ):  # fmt: skip
            studio.post(studio.runs.choose, "slither")
            studio.post(studio.runs.start_live)
            assert until(lambda: studio.live is not None and studio.begun and studio.live.latest.time > 0.2)
            before = studio.files.count
            studio.post(interrupt)
            assert settled(studio) and studio.files.count == before + 1
        studio.post(studio.files.replay)
        assert settled(studio) and any(studio.run is held for held in studio.files.kept.values())
        studio.post(studio.runs.preview)
        assert until(lambda: starts(studio))
        studio.post(studio.runs.find, "natrix")
        assert settled(studio) and studio.runs.scenario_name == "slither"  # a search does not change the choice
        studio.post(studio.clear_stage)
        assert settled(studio) and studio.stage is None and studio.run is None


def test_a_start_that_fails_leaves_the_scene(studio, monkeypatch):
    studio.post(studio.files.play)
    assert settled(studio) and studio.run is not None
    shown = studio.stage
    monkeypatch.setattr("serpenoid.studio.live.open_stream", lambda *_: 1 / 0)
    studio.post(studio.start_live, SLITHER)
    assert until(lambda: studio.live is None and "ZeroDivisionError" in studio.said)
    assert studio.stage is shown and studio.run is not None


def test_a_whole_run_is_stopped_and_shown_as_far_as_it_came(studio):
    long = configuration.changed(SLITHER, {"duration": 3000.0, "sample_period": 0.1})
    studio.post(studio.work.start, long, "long")
    assert until(lambda: studio.work.running and "%" in studio.said)
    studio.post(studio.runs.end)
    assert until(lambda: not studio.work.running)
    assert settled(studio) and studio.said.endswith("stopped") and 0.0 < studio.run.duration < 3000.0


def test_a_run_that_is_computed_does_not_interrupt_a_live_one(studio):
    studio.post(studio.start_live, SLITHER)
    assert until(lambda: studio.live is not None and studio.begun)
    short = configuration.changed(SLITHER, {"duration": 1.0, "settle": 0.0})
    before = studio.files.count
    studio.post(studio.work.start, short, "short")
    assert until(lambda: studio.files.count == before + 1) and settled(studio)
    assert studio.live is not None and studio.live.running and "short" in studio.files.computed.value
    studio.playback.speed.value = 2.0
    assert until(lambda: studio.live.speed == 2.0)
    studio.post(studio.end_live)
    assert settled(studio)


def test_a_long_run_is_seen_near_the_robot_and_the_camera_reaches_all_of_it(studio):
    run = made_run(PlanarSnake(links=4), Plane(), duration=1.0)
    dims, pose, unit, meaning = run.variables["link_pose"]
    far = pose.copy()
    far[:, :, 0] -= 4000.0 * run.times[:, None]
    run.variables["link_pose"] = (dims, far, unit, meaning)
    studio.post(studio.show_run, run, "far", False)
    assert settled(studio) and studio.playback.follow.value and studio.travels
    home, whole = studio.cameras.home, studio.cameras.whole
    assert np.linalg.norm(home.position - far[0, :, :3].mean(axis=0)) < 5.0
    reach = np.linalg.norm(whole.position - far[[0, -1], 0, :3], axis=1).max()
    assert reach > 1000.0 and studio.server.initial_camera.far > reach and studio.cameras.far > reach
    studio.post(studio.playback.scrub, 1.0)
    assert settled(studio)
    floor = next(node for node in studio.stage.others if node.name.endswith("/floor"))
    assert abs(floor.position[0] - far[-1, :, 0].mean()) < 0.3 * max(studio.stage.scene.floor.size)
    assert studio.stage.scene.floor.cell <= 0.2

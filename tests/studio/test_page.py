"""The studio as a server: live and played runs, protected against foreign clients."""

import json
import re
import socket
from contextlib import ExitStack
from functools import partial

import numpy as np
import pytest
import viser
from runs import made_run
from studio_tools import open_studio, raw_client, send, settled, tell_camera, until, update
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from serpenoid import configuration
from serpenoid.cli import main
from serpenoid.gaits import GAITS, Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.runtime.events import Event
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.recorded import repeat
from serpenoid.studio.camera import place
from serpenoid.studio.driving import ACTIONS
from serpenoid.studio.guard import allows
from serpenoid.studio.live import Live, open_stream
from serpenoid.sweeps import sweep
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Plane

SLITHER = find_scenario("slither")()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    made_run(PlanarSnake(links=4), Plane(), duration=1.0).save(folder / "made.zarr")
    with open_studio(folder) as found:
        yield found


@pytest.fixture(scope="module")
def live():
    said = []
    run = Live(SLITHER, said.append, speed=float("inf")).start()
    assert until(lambda: run.latest is not None and run.latest.time > 0.2)
    yield run
    run.stop()
    assert not said


def test_a_live_run_takes_changes_without_a_jump_and_repeats_to_the_bit(live):
    targets = []
    look = partial(
        live.act,
        lambda run: targets.append(run.plant.engine.motion_command(run.plant.number, run.loop.running.law.motion)),
    )
    look()
    live.change(configuration.changed(SLITHER, {"gait.amplitude": 0.4, "world.friction_transverse": 0.4}).parts())
    look()
    live.lead(Serpenoid(frequency=1.0))
    look()
    assert until(lambda: len(targets) == 3)
    for name in ("position", "velocity"):  # equal also at the time of each change
        values = [getattr(command, name) for command in targets]
        assert values[1] == pytest.approx(values[0], abs=1e-9) and values[2] == pytest.approx(values[1], abs=1e-9)
    live.push(2, np.array([0.0, 0.5, 0.0]), 0.1)
    start = live.latest.time
    assert until(lambda: live.latest.time > start + 1.0)
    live.paused = True
    run = live.trajectory()
    rows = json.loads(run.attributes["script"])
    assert {row["what"] for row in rows[:3]} == {"world.friction_transverse", "controller.amplitude", "controller"}
    assert [row["value"][1] for row in rows if row["what"] == "push.2"] == [0.5, 0.0]  # pushed, then released
    again = repeat(run)
    for name in ("joint_position", "link_pose", "joint_torque"):
        assert np.array_equal(again[name][-run.times.size :], run[name]), name
    live.paused = False


def seven_links(stage):
    return stage is not None and len(stage.links) == 7


def shows_a_goal(stage):
    return stage is not None and any(thing.name == "goal/0" for thing in stage.scene.things)


def test_the_chosen_scenario_is_shown_before_it_runs_once_somebody_looks(tmp_path):
    with open_studio(tmp_path) as studio:
        assert settled(studio) and studio.stage is None
        with raw_client(studio):
            assert until(lambda: studio.stage is not None)
            started = SLITHER.run()["link_pose"][0]
            assert studio.stage.poses == pytest.approx(started, abs=1e-12) and studio.run is None
            studio.post(studio.runs.moved, "robot.links", 7)
            assert until(lambda: seven_links(studio.stage))
            studio.post(studio.runs.choose, "mpc")  # a planner is named and its goal shown, but it is not started
            assert until(lambda: shows_a_goal(studio.stage))
            studio.post(studio.files.write)
            assert settled(studio) and "nothing to save" in studio.said


class Scripted(type(SLITHER)):
    engine = "planar"

    def script(self):
        return (Event(20, "controller.amplitude", 0.3),)


def test_nothing_of_a_scene_has_the_name_of_what_the_last_one_had(tmp_path):
    """Check that stages have different names; a page that receives both at once draws neither."""
    run, names = made_run(PlanarSnake(), Plane(obstacles=(Disc((-1.0, 0.5), 0.1),)), duration=0.1), []
    with open_studio(tmp_path) as studio:
        for _ in range(2):
            studio.post(studio.set_start, run)
            assert settled(studio)
            names.append({node.name for node in (*studio.stage.solids, *studio.stage.others)})
    assert not names[0] & names[1]


def test_a_live_run_has_the_script_and_the_engine_of_its_scenario():
    run = open_stream(Scripted())
    for _ in range(19):
        next(run)
    assert run.engine == "planar" and run.loop.controller.amplitude == SLITHER.gait.amplitude
    run.change("world.friction_transverse", 0.4)
    while run.loop.tick < 25:
        next(run)
    assert run.loop.controller.amplitude == 0.3 and [event.tick for event in run.loop.script] == [18, 20]


def test_what_is_refused_is_said_and_the_run_goes_on():
    said = []
    run = Live(SLITHER, said.append).start()
    assert until(lambda: run.latest is not None)
    run.change(configuration.changed(SLITHER, {"robot.links": 9}).parts())
    run.push(99, np.ones(3), 0.1)
    assert until(lambda: len(said) == 2) and run.running
    assert "keeps its joints" in said[0] and "link from 0 to 4" in said[1]
    run.stop()


def test_a_scenario_runs_live_in_the_page_and_is_driven_and_saved(studio):
    studio.drive.free.value = True
    studio.post(studio.runs.start_live)
    assert until(lambda: studio.stage is not None and studio.live.latest.time > 0.3)
    for action in ACTIONS:
        studio.post(studio.drive.drive, action)
    studio.post(studio.drive.next_gait)
    assert settled(studio) and until(lambda: studio.live.jobs.empty())
    assert type(studio.live.controller) is GAITS[list(studio.drive.gaits)[1]]
    studio.post(studio.drive.lead, "serpenoid")
    assert settled(studio) and until(lambda: studio.live.jobs.empty())
    studio.files.name.value = "mine"
    studio.post(studio.files.write)
    assert settled(studio) and "mine.zarr" in studio.said
    saved = Trajectory.load(studio.library.folder / "mine.zarr")
    fields = {row["what"] for row in json.loads(saved.attributes["script"])}
    names = ("frequency", "offset", "amplitude", "spatial_frequency")
    assert {f"controller.{name}" for name in names} <= fields
    studio.post(studio.end_live)
    assert settled(studio) and studio.live is None and studio.run is not None and studio.playhead.duration > 0.3
    assert np.array_equal(repeat(saved)["link_pose"][-saved.times.size :], saved["link_pose"])


def test_a_moved_control_acts_on_the_live_run_and_a_bad_one_is_put_back(studio):
    studio.post(studio.runs.start_live)
    assert until(lambda: studio.live is not None and studio.live.latest is not None)
    studio.post(studio.runs.moved, "gait.amplitude", 0.31)
    assert until(lambda: studio.live.controller.amplitude == 0.31)
    studio.post(studio.runs.moved, "settle", 5.9)
    assert settled(studio) and "settle" in studio.said
    studio.post(studio.runs.moved, "robot.link_inertia", "many words")
    assert settled(studio) and "link_inertia" in studio.said
    assert studio.runs.controls.handles["robot.link_inertia"].value == "none"
    studio.post(studio.end_live)
    assert settled(studio)


def test_saved_runs_play_with_a_ghost_and_charts_follow(studio):
    studio.post(studio.files.list)
    assert settled(studio)
    studio.files.choice.value = "made.zarr"
    studio.post(studio.files.play)
    assert settled(studio)
    studio.post(studio.files.ghost)
    assert settled(studio) and studio.ghost is not None
    studio.post(studio.playback.scrub, 0.5)
    assert settled(studio)
    slot = studio.charts.slots[0]
    assert [line["label"] for line in slot.plot.series[1:3]] == ["joint_0", "joint_1"]
    assert [line["label"] for line in slot.plot.series[4:6]] == ["joint_0, ghost", "joint_1, ghost"]
    assert slot.plot.legend["show"] and slot.plot.legend["live"]
    upright = np.isfinite(slot.plot.data[-1])
    assert slot.plot.data[0][upright] == pytest.approx([0.5, 0.5], abs=1e-3)  # only the playhead
    assert studio.stage.links[0].position == pytest.approx(studio.run["link_pose"][50, 0, :3])
    studio.overlays.torque.value = studio.overlays.chassis.value = studio.overlays.head.value = True
    studio.overlays.paint.choice.value = "joint_position"
    studio.post(studio.show_moment, True)
    assert settled(studio) and {"torque", "chassis", "head", "center"} <= set(studio.overlays.handles)
    assert len({tuple(colour) for colour in studio.stage.painted}) > 2
    arrows, colours = studio.overlays.legend.content.splitlines()
    assert re.match(r"torque: 0.1 m for \S+ N m", arrows) and colours == "colours: -0.4 blue to 0.4 red, rad"
    studio.overlays.paint.choice.value = studio.overlays.paint.choice.options[0]
    studio.post(studio.show_moment, True)
    assert settled(studio) and [tuple(c) for c in studio.stage.painted] == studio.stage.scene.colours


def test_what_help_lists_has_its_control_and_nothing_else_has(studio, capsys):
    for name in find_all():
        assert main(["run", name, "--help"]) == 0
        listed = set(re.findall(r"^  --(\S+)", capsys.readouterr().out, re.MULTILINE))
        studio.post(studio.runs.choose, name)
        assert settled(studio)
        handles = studio.runs.controls.handles
        assert listed - {"out", "overwrite", "html", "plot", "module"} == set(handles)
        assert all(handle.hint and handle.label for handle in handles.values())
    studio.post(studio.runs.choose, "slither")
    assert settled(studio)


def test_a_search_finds_scenarios_by_what_they_do(studio):
    studio.post(studio.runs.find, "pushes")
    assert settled(studio) and set(studio.runs.choice.options) < set(find_all())
    studio.post(studio.runs.find, "no such words")
    assert settled(studio) and "no scenario" in studio.said
    studio.post(studio.runs.find, "")
    studio.post(studio.runs.choose, "slither")
    assert settled(studio) and set(studio.runs.choice.options) == set(find_all())


def find_all():
    from serpenoid.scenarios import SCENARIOS

    return SCENARIOS


def test_a_cell_of_a_sweep_plays(studio):
    over = {"gait.frequency": "1:2:3", "gait.amplitude": "0.4:0.8:2"}
    short = configuration.changed(SLITHER, {"duration": 1.0, "settle": 0.0})
    sweep(short, over, studio.library.folder / "swept.zarr")
    studio.post(studio.sweeps.list)
    studio.post(studio.sweeps.draw)
    assert settled(studio) and studio.sweeps.image is not None
    box = studio.sweeps.map.axes.get_window_extent()
    corner = (box.x1 - 2) / studio.sweeps.map.size[0], 1.0 - (box.y1 - 2) / studio.sweeps.map.size[1]
    fields = studio.sweeps.map.pick(*corner)
    assert fields == {"gait.frequency": 2.0, "gait.amplitude": 0.8}
    studio.post(studio.sweeps.pick, fields)
    assert until(lambda: studio.run is not None)
    cell = configuration.changed(short, {"gait.frequency": 2.0, "gait.amplitude": 0.8}).run()
    assert studio.run["link_pose"] == pytest.approx(cell["link_pose"])
    assert [handle.value for handle in studio.sweeps.sliders.values()] == [2.0, 0.8]
    assert until(lambda: studio.sweeps.image is not None)  # the map is behind the run
    studio.sweeps.sliders["gait.frequency"].value = 1.4  # snaps to the nearest value of the sweep
    studio.post(studio.sweeps.moved, "gait.frequency")
    assert settled(studio) and studio.sweeps.sliders["gait.frequency"].value == 1.5
    assert studio.sweeps.fields() == {"gait.frequency": 1.5, "gait.amplitude": 0.8}
    studio.sweeps.against.value = "front against power"
    studio.post(studio.sweeps.draw)
    assert settled(studio) and set(studio.sweeps.map.pick(0.5, 0.5)) == set(fields)


def test_a_run_that_diverges_stops_with_a_message_and_the_studio_lives_on(studio):
    studio.post(studio.start_live, SLITHER)
    assert until(lambda: studio.live is not None and studio.live.latest is not None)
    studio.post(studio.runs.moved, "robot.joint_damping", 100.0)
    assert until(lambda: studio.live is None and "diverged" in studio.said)
    studio.post(studio.runs.choose, "slither")
    studio.post(studio.files.play)
    assert settled(studio) and "samples" in studio.said


def test_only_values_in_range_arrive(studio):
    speed, loop, choice, time = (studio.playback.speed, studio.playback.loop, studio.runs.choice, studio.playback.time)
    links = studio.runs.controls.handles["robot.links"]
    before = [handle.value for handle in (loop, choice, links)]
    with raw_client(studio) as client:
        for value in (10.1, 0.0, -1.0, float("nan"), float("inf"), "2", None, [1.0], True, 1e300):
            update(client, speed, value)
        for value in (1, "yes", None):
            update(client, loop, value)
        for value in ("nothing", 3, "../slither"):
            update(client, choice, value)
        for value in (5.5, 10**9, -1):
            update(client, links, value)
        update(client, speed, 3.0, max=100.0, update_cb=[])
        send(client, "GuiUpdateMessage", uuid=speed._impl.uuid, updates={"removed": True})
        send(client, "GuiUpdateMessage", uuid="unknown", updates={"value": 1})
        send(client, "ShareUrlRequest")
        update(client, studio.files.name, "x" * 10_000)
        update(client, speed, 2.5)
        assert until(lambda: speed.value == 2.5)
    assert [handle.value for handle in (loop, choice, links)] == before
    assert speed.max == 10.0 and len(studio.files.name.value) < 100 and time.value <= time.max
    assert studio.server._share_tunnel is None


def test_clicks_and_keys_made_by_hand_push_and_press_nothing_that_is_not_there(studio):
    studio.post(studio.start_live, SLITHER)
    assert until(lambda: studio.live is not None and studio.stage is not None and studio.live.latest is not None)
    link, nothing = studio.stage.solids[2]._impl.name, float("nan")
    with raw_client(studio) as client:
        for name, ray in ((link, (nothing,) * 3), (link, (0, 0, -1)), (link, (1e300, 1e300, 0)), ("/x", (1, 0, 0))):
            send(
                client, "SceneNodeClickMessage", name=name, instance_index=None, ray_origin=(0.0, 0.0, 1.0),
                ray_direction=ray, screen_pos=(0.5, 0.5), modifier=None, owner="",
            )  # fmt: skip
        send(client, "CommandTriggerMessage", uuid="unknown")
        update(client, studio.playback.speed, 1.5)
        assert until(lambda: studio.playback.speed.value == 1.5)
    assert settled(studio) and studio.live.running and studio.live.trajectory().attributes["script"] == "[]"
    studio.post(studio.end_live)
    assert settled(studio)


def test_a_number_that_is_typed_has_its_limits_too(studio):
    number = studio.server.gui.add_number("gain", 0.5, min=0.0)
    for value, taken in ((0.7, True), (7.0, True), (-0.1, False), (float("nan"), False), ("1", False), (True, False)):
        assert allows(number, value) is taken, value
    number.remove()


def test_messages_that_are_no_messages_end_only_their_own_connection(studio):
    with raw_client(studio) as client:
        client.send(b"\xff\xff nonsense")
        assert until(lambda: not studio.server.get_clients(), 20.0)
    with raw_client(studio) as client:
        update(client, studio.playback.speed, 1.5)
        assert until(lambda: studio.playback.speed.value == 1.5)


def test_twenty_clients_come_and_one_leaves(studio):
    with ExitStack() as stack:
        clients = [stack.enter_context(raw_client(studio)) for _ in range(20)]
        assert until(lambda: len(studio.server.get_clients()) == 20)
        studio.post(studio.files.play)
        assert settled(studio)
        clients[7].close()
        assert until(lambda: len(studio.server.get_clients()) == 19)
        frame = studio.frame
        update(clients[3], studio.playback.speed, 2.0)
        assert until(lambda: studio.playback.speed.value == 2.0 and studio.frame > frame + 5)
        assert len(clients[12].recv(timeout=10)) > 0


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost.evil.example:8080", "null"])
def test_pages_of_other_sites_are_not_let_in(studio, origin):
    address, subprotocols = studio.address.replace("http", "ws"), [f"viser-v{viser.__version__}"]
    with pytest.raises(InvalidStatus), connect(address, origin=origin, subprotocols=subprotocols):
        pass
    with connect(address, origin=studio.address.rstrip("/"), subprotocols=subprotocols) as client:
        assert len(client.recv(timeout=10)) > 0


def test_a_camera_is_believed_once_it_is_where_it_was_sent(studio):
    """Check that a following camera ignores outdated reports of a slow page."""
    cameras, target = studio.cameras, np.array([0.5, 0.0, 0.0])
    assert until(lambda: not studio.server.get_clients())
    with raw_client(studio) as client:
        browser = max(studio.server.get_clients())
        assert until(lambda: browser in cameras.sights)  # it is welcomed in a separate thread
        studio.post(cameras.look, np.array([0.5, -2.0, 1.0]), target)
        assert settled(studio)
        away = cameras.sights[browser].away.copy()
        tell_camera(client, (9.0, 9.0, 9.0), (0.0, 0.0, 0.0))  # sent before
        tell_camera(client, (float("nan"), 9.0, 9.0), (0.0, 0.0, 0.0))
        # A page reports more than once: if its welcome is late, the view is commanded again meanwhile.
        assert until(lambda: tell_camera(client, target + away, target) or cameras.sights[browser].sent is None)
        assert cameras.sights[browser].away == pytest.approx(away)
        zoomed = target + 2.0 * away  # by the user
        assert until(
            lambda: tell_camera(client, zoomed, target) or cameras.sights[browser].away == pytest.approx(2.0 * away)
        )
        tell_camera(client, target + 2.0 * away, target, width=400)  # a panel takes half of the view
        assert until(lambda: cameras.sights[browser].away == pytest.approx(4.0 * away))
    assert until(lambda: browser not in cameras.sights)


def test_a_browser_that_has_left_is_let_go_without_a_word(studio, recwarn):
    assert until(lambda: not studio.server.get_clients())
    with raw_client(studio):
        handle = max(studio.server.get_clients().items())[1]
    assert until(lambda: not studio.server.get_clients())
    place(handle, np.ones(3), np.zeros(3))
    assert not [warning for warning in recwarn if "closed connection" in str(warning.message)]


def test_bad_starts_are_one_line(studio, tmp_path, capsys):
    port = studio.server.get_port()
    assert main(["studio", str(tmp_path), "--port", str(port)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"serpenoid: port = {port}: must be ") and "--port" in line
    (tmp_path / "file").write_text("")
    for words, part in (
        ([str(tmp_path / "file")], "is a file"), (["--port", "0"], "port"), (["--host", "203.0.113.7"], "host"),
        (["a", "b"], "one folder"), (["--host", "no such host"], "host"),
    ):  # fmt: skip
        assert main(["studio", *words]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1 and part in lines[0]


def test_it_is_bound_to_this_machine_unless_told_otherwise(studio, capsys):
    from serpenoid.studio.server import close_server, free_port, open_server

    assert studio.address.startswith("http://127.0.0.1:")
    server = open_server("0.0.0.0", free_port())
    close_server(server)
    assert "warning" in capsys.readouterr().err
    with socket.socket() as probe, pytest.raises(OSError):
        probe.connect(("127.0.0.1", server.get_port()))

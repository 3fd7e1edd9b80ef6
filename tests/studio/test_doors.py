"""Access to the studio: only its own pages, only files of its folder, and file texts shown verbatim."""

import json
import os
import re
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import viser
from runs import made_run
from studio_tools import open_studio, raw_client, settled, until, update
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import serpenoid.studio
from serpenoid.errors import InvalidValue
from serpenoid.robots import PlanarSnake
from serpenoid.studio import export_html, scene_of
from serpenoid.studio.guard import is_own
from serpenoid.studio.plain_text import plain_text
from serpenoid.studio.server import close_server, free_port, open_server
from serpenoid.studio.world_objects import MOST_SHAPES
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Plane

SCRIPT = '<iframe srcDoc="<script>parent.ran=1</script>">{ran} [x](javascript:ran) `a` **b**'


def own(host, port, named, origin=None):
    """Return whether a server accepts a request with these headers."""
    given = {"Host": named, "Origin": origin}
    every = {name: [value] if isinstance(value, str) else value or [] for name, value in given.items()}
    return is_own(SimpleNamespace(get_all=every.get), host, port)


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("127.0.0.1", "127.0.0.1:8080"), ("127.0.0.1", "localhost:8080"), ("localhost", "[::1]:8080"),
        ("192.168.0.7", "192.168.0.7:8080"), ("lab.example", "LAB.example:8080"), ("0.0.0.0", "192.168.0.7:8080"),
        ("0.0.0.0", "localhost:8080"), ("::", "[fe80::1]:8080"),
    ],
)  # fmt: skip
def test_own_pages_are_let_in_by_the_host_and_port_alone(host, named):
    assert own(host, 8080, named) and own(host, 8080, named, f"http://{named}")
    name = named.rpartition(":")[0]
    for origin in (f"http://{name}:8081", f"http://{name}", f"https://{named}", "http://evil.example", "null", "",
                   f"http://{named}.evil.example", "http://evil.example:8080", [f"http://{named}"] * 2):  # fmt: skip
        assert not own(host, 8080, named, origin)
    others = ("evil.example:8080", "127.0.0.1.evil.example:8080", f"{name}:8081", name, "", f"{named}.evil.example")
    for other in others:
        assert not own(host, 8080, other) and not own(host, 8080, other, f"http://{other}")


def test_a_server_of_all_addresses_checks_pages_too(capsys):
    port = free_port()
    server = open_server("0.0.0.0", port)
    address, subprotocols = f"ws://127.0.0.1:{port}", [f"viser-v{viser.__version__}"]
    try:
        for origin in ("http://evil.com", f"http://localhost:{port}", "http://127.0.0.1:1", "null"):
            with pytest.raises(InvalidStatus), connect(address, origin=origin, subprotocols=subprotocols):
                pass
        with connect(address, origin=f"http://127.0.0.1:{port}", subprotocols=subprotocols) as client:
            assert len(client.recv(timeout=10)) > 0
    finally:
        close_server(server)


def shown(markdown):
    """Convert escaped markdown to plain text: remove backslashes, resolve character references."""
    return re.sub(r"\\(.)|&#(\d+);", lambda found: found[1] or chr(int(found[2])), markdown)


@pytest.mark.parametrize("text", [SCRIPT, "a\n\nexport const x = 1", "export const x", "import 'x'", "a & &lt; c", ""])
def test_plain_text_means_nothing_to_a_page(text):
    found = plain_text(text)
    assert shown(found) == " ".join(text.split())
    assert "\n" not in found and not re.match("import|export", found)
    assert not re.search(r"(?<!\\)[<>{}\[\]`*]", found)


def test_all_text_that_pages_take_as_markdown_is_plain_or_our_own():
    """Check the few places that set markdown of a page: each passes plain text, or text that no file contains."""
    own_words = (
        "NO_TABLE",
        "STYLE",
        '""',
        "map_html(",
        "mark_html(",
        "table_of(",
        'add_markdown("',
        "Keys: {keys}",
        "scenario.__doc__",
        "= text",
    )
    for path in Path(serpenoid.studio.__file__).parent.glob("*.py"):
        for line in path.read_text().splitlines():
            if re.search(r"add_markdown\(|add_html\(|\.content = ", line):
                assert "plain_text(" in line or any(word in line for word in own_words), f"{path.name}: {line}"


def hostile_run():
    """Return a run whose unit, names and title are scripts."""
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.2)
    dims, values, _, _ = run.variables["joint_torque"]
    run.variables["joint_torque"] = (dims, values, SCRIPT, SCRIPT)
    run.labels["joint"] = (SCRIPT, "</script><script>ran=1</script>")
    return run


def test_scripts_in_a_recording_reach_neither_page(tmp_path):
    hostile_run().save(tmp_path / "run.zarr")
    page = export_html(Trajectory.load(tmp_path / "run.zarr"), tmp_path / "page.html").read_text()
    assert "<iframe" not in page and "<script>ran" not in page
    with open_studio(tmp_path) as studio:
        studio.post(studio.files.play)
        assert settled(studio)
        studio.overlays.paint.choice.value = "joint_torque"
        assert until(lambda: "colours" in studio.overlays.legend.content, 10.0)
        assert "<iframe" not in studio.overlays.legend.content.replace("\\<", "")


def test_a_browser_reads_no_file_outside_of_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    os.mkfifo(inside / "pipe.csv")
    (inside / "pegs.csv").write_text("0,0.5\n0.5,0.5\n")
    (tmp_path / "secret.csv").write_text("0,0.5\nthe secret\n")
    with open_studio(inside) as studio, raw_client(studio) as client:
        studio.post(studio.runs.choose, "slither-pegs")
        assert settled(studio)
        frame = studio.frame
        for name in (str(tmp_path / "secret.csv"), "../secret.csv", "pipe.csv", "/dev/zero", "/etc/passwd"):
            studio.said = ""
            update(client, studio.runs.controls.handles["world.file"], name)
            assert until(lambda: studio.said, 10.0)
            assert "the secret" not in studio.said and "root:" not in studio.said
            assert studio.runs.scenario.world.file == ""
        update(client, studio.runs.controls.handles["world.file"], "pegs.csv")
        assert until(lambda: studio.runs.scenario.world.file == str(inside / "pegs.csv"), 10.0)
        assert studio.frame > frame


def test_a_damaged_sweep_is_named_and_the_studio_opens(tmp_path):
    (tmp_path / "broken.zarr").mkdir()
    attributes = {"kind": "sweep", "schema_version": 1, "configuration": 5, "configuration_hash": "x"}
    text = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes})
    (tmp_path / "broken.zarr" / "zarr.json").write_text(text)
    with open_studio(tmp_path) as studio:
        assert "broken.zarr" in studio.said
        assert settled(studio)


def test_poses_that_do_not_fit_the_robot_are_refused_once(tmp_path):
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.2)
    plain = run.configuration
    plain["robot"]["links"] = 5
    run.attributes["configuration"] = json.dumps(plain)
    with pytest.raises(InvalidValue) as caught:
        scene_of(run)
    assert caught.value.field == "link_pose"


def test_a_recording_is_read_while_the_page_goes_on(tmp_path, monkeypatch):
    """Check that slow loading does not stop the frames, and that a failure is reported."""
    made_run(PlanarSnake(links=3), Plane(), duration=0.2).save(tmp_path / "run.zarr")
    wait, scene = threading.Event(), scene_of
    monkeypatch.setattr("serpenoid.studio.open_panel.quick_scene", lambda run: wait.wait(60.0) and scene(run))
    with open_studio(tmp_path) as studio:
        studio.post(studio.files.play)
        assert until(lambda: "loading" in studio.said)
        frame = studio.frame
        assert until(lambda: studio.frame > frame + 5) and studio.run is None
        wait.set()
        assert settled(studio) and studio.run is not None
        monkeypatch.setattr("serpenoid.studio.open_panel.quick_scene", lambda run: 1 / 0)
        studio.post(studio.files.play)
        assert settled(studio) and "ZeroDivisionError" in studio.said


def test_of_many_obstacles_the_nearest_are_drawn_and_the_page_says_so():
    far = tuple(Disc((5.0 + 0.5 * (i % 100), 5.0 + 0.5 * (i // 100)), 0.1) for i in range(MOST_SHAPES))
    near = Disc((0.0, 0.5), 0.1)
    scene = scene_of(made_run(PlanarSnake(links=3), Plane(obstacles=(*far, near)), duration=0.2))
    places = [thing.mesh.vertices[:, :2].mean(axis=0) for thing in scene.things]
    assert len(scene.things) < MOST_SHAPES and min(np.linalg.norm(np.subtract(places, (0.0, 0.5)), axis=1)) < 0.01
    assert str(MOST_SHAPES) in scene.note and scene.note in scene.title

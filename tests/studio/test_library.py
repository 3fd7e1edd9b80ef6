"""The studio's folder: files inside are found, files outside are refused, nothing is unpickled."""

import json
import os
import sys

import numpy as np
import pytest
from runs import made_run

from serpenoid.errors import FileProblem
from serpenoid.robots import PlanarSnake
from serpenoid.studio.library import Library
from serpenoid.worlds import Plane

RUN = made_run(PlanarSnake(links=3), Plane(), duration=0.1)


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    RUN.save(inside / "one.zarr")
    RUN.save(inside / "more" / "two.zarr")
    RUN.save(tmp_path / "outside.zarr")
    (inside / "notes.txt").write_text("not a run")
    (inside / "link.zarr").symlink_to(tmp_path / "outside.zarr")
    (inside / "same.zarr").symlink_to(inside / "one.zarr")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "circle").symlink_to(inside / "circle")
    return inside


def test_what_was_saved_is_listed_and_links_out_are_not(folder):
    found = Library(folder).entries()
    assert [(entry.name, entry.kind) for entry in found] == [
        ("more/two.zarr", "trajectory"), ("one.zarr", "trajectory"), ("same.zarr", "trajectory"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["../outside.zarr", "link.zarr", "folder/outside.zarr", "more/../../outside.zarr", "", ".", "circle", "a\0b"],
)
def test_names_that_lead_out_are_refused(folder, name):
    library = Library(folder)
    for way in (library.trajectory, library.sweep, lambda n: library.new(n, ".zarr")):
        if name == "circle" and way not in (library.trajectory, library.sweep):
            continue
        with pytest.raises(FileProblem):
            way(name)


def test_absolute_names_are_refused(folder):
    with pytest.raises(FileProblem, match="outside"):
        Library(folder).trajectory(str(folder.parent / "outside.zarr"))
    with pytest.raises(FileProblem, match="outside"):
        Library(folder).new("/elsewhere", ".html")


def test_a_link_inside_of_a_run_that_leads_out_is_refused(folder):
    place = folder / "one.zarr" / "joint_torque"
    place.rename(folder.parent / "taken")
    place.symlink_to(folder.parent / "taken")
    with pytest.raises(FileProblem, match="link out"):
        Library(folder).trajectory("one.zarr")


def test_runs_open_and_nothing_is_unpickled(folder):
    seen = []
    sys.addaudithook(lambda event, _: seen.append(event) if event.startswith("pickle.") else None)
    run = Library(folder).trajectory("more/two.zarr")
    assert np.array_equal(run["link_pose"], RUN["link_pose"])
    assert not seen


def test_new_files_take_no_place_that_holds_something_else(folder):
    library = Library(folder)
    assert library.new("seen", ".zarr") == folder / "seen.zarr"
    assert library.new("one.zarr", ".zarr") == folder / "one-2.zarr"  # a trajectory is not replaced
    with pytest.raises(FileProblem, match="more"):
        library.new("more", "")
    with pytest.raises(FileProblem, match="is a file"):
        Library(folder / "notes.txt")
    with pytest.raises(FileProblem, match="no such folder"):
        Library(folder / "nothing")


@pytest.mark.parametrize(
    "name",
    ["one.zarr/joint_position/new", "one.zarr/new", ".hidden", "more/.hidden", "new.zarr/", "a//b", "a/", "x" * 5000],
)
def test_names_that_nobody_would_find_again_are_refused(folder, name):
    before = sorted(folder.rglob("*"))
    for suffix in (".zarr", ".html", ".png"):
        with pytest.raises(FileProblem) as caught:
            Library(folder).new(name, suffix)
        assert len(str(caught.value)) < 200 + len(str(folder))
    assert sorted(folder.rglob("*")) == before


def test_pages_name_regular_files_of_the_folder_alone(folder):
    library = Library(folder)
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder.parent / "secret").write_text("0,1")
    (folder / "way out").symlink_to(folder.parent / "secret")
    assert library.file("notes.txt") == library.file(str(folder / "notes.txt")) == folder / "notes.txt"
    outside = ("way out", "../secret", str(folder.parent / "secret"), "/etc/passwd")
    for name in (*outside, "pipe", "zero", "more", "x" * 999):
        with pytest.raises(FileProblem):
            library.file(name)


@pytest.mark.parametrize("world", [
    {"type": "serpenoid.worlds.peg_board:PegBoard", "layout": "csv", "file": "SECRET"},
    {"type": "serpenoid.worlds.scene:Scene", "path": "SECRET", "text": ""},
])  # fmt: skip
def test_a_recording_that_names_a_file_outside_is_refused_and_the_file_stays_unread(folder, world):
    secret = folder.parent / "secret"
    os.mkfifo(secret)  # opening it would block
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.1)
    plain = {**run.configuration, "world": world}
    run.attributes["configuration"] = json.dumps(plain).replace("SECRET", str(secret))
    run.save(folder / "three.zarr")
    with pytest.raises(FileProblem, match="outside"):
        Library(folder).trajectory("three.zarr")


def test_a_pipe_inside_of_a_run_is_refused(folder):
    chunk = folder / "one.zarr" / "time" / "c" / "0"
    chunk.unlink()
    os.mkfifo(chunk)
    with pytest.raises(FileProblem, match="not a regular file"):
        Library(folder).trajectory("one.zarr")

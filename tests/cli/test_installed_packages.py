"""Third-party packages installed by pip: their entry points, and a broken one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid
from serpenoid.cli import main
from serpenoid.support import plugins

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'^```(?:toml|python) title="(tiny-snakes/.*?)"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE))
COMMANDS = re.search(r'^```text title="tiny-snakes"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE).group(1).splitlines()
ADDED = {"scenarios": "tiny-race", "robots": "tiny-snake", "worlds": "syrup", "gaits": "ripple", "controllers": "rest"}
BROKEN = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "broken-snakes"
version = "1.0"

[tool.setuptools]
py-modules = ["broken_snakes"]

[project.entry-points."serpenoid.commands"]
stumble = "broken_snakes:stumble"

[project.entry-points."serpenoid.robots"]
stump = "broken_snakes:Stump"
"""
TOML = """
schema = 1
scenario = "slither"
duration = 0.5
robot = "tiny-snake"
world = "syrup"

[gait]
type = "ripple"
amplitude = 0.1
"""


def install(folder, target):
    """Build and install a package with pip, offline."""
    words = ["install", "-q", "--no-build-isolation", "--no-deps", "--no-index", "--target", str(target), str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder on the Python path with the package of the docs page."""
    base = tmp_path_factory.mktemp("packages")
    for name, text in FILES.items():
        (base / name).parent.mkdir(exist_ok=True)
        (base / name).write_text(text)
    install(base / "tiny-snakes", base / "installed")
    return base / "installed"


@pytest.fixture(scope="module")
def broken(tmp_path_factory, installed):
    """Return a folder whose module cannot be imported."""
    base = tmp_path_factory.mktemp("broken")
    (base / "pyproject.toml").write_text(BROKEN)
    (base / "broken_snakes.py").write_text("open('imported', 'w')\nraise OSError('no such\\nlibrary')\n")
    install(base, base / "installed")
    return base / "installed"


def called(words, folder, *path):
    """Run `serpenoid WORDS` in a folder, with further folders on the Python path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, Path(serpenoid.__file__).parents[1]]))}
    command = [sys.executable, "-P", "-m", "serpenoid", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_page_run(line, installed, tmp_path):
    words = line.split()[1:]
    short = ["--duration", "1"] if words[0] != "greet" else []
    ended = called([*words, *short], tmp_path, installed)
    assert ended.returncode == 0, ended.stderr
    if words[0] == "greet":
        assert ended.stdout == "hello world\n"


def test_names_stand_in_list_and_help(installed, tmp_path):
    found = called(["list"], tmp_path, installed)
    assert found.returncode == 0 and found.stderr == ""
    groups, title = {}, ""
    for line in found.stdout.splitlines():
        title = title if line.startswith(" ") else line
        groups.setdefault(title, []).append(line)
    for kind, name in ADDED.items():
        assert any(line.split()[0] == name for line in groups[kind]), kind
    assert any(line.startswith("  syrup ") and line.endswith("A viscous plane.") for line in groups["worlds"])
    assert re.search(r"^  greet +print a greeting$", called(["--help"], tmp_path, installed).stdout, re.MULTILINE)
    assert "tiny-race" in called(["run", "--help"], tmp_path, installed).stdout


def test_a_file_and_a_recording_open_them(installed, tmp_path):
    (tmp_path / "race.toml").write_text(TOML)
    first = called(["run", "--from", "race.toml", "--out", "first.zarr"], tmp_path, installed)
    assert first.returncode == 0, first.stderr
    again = called(["run", "--from", "first.zarr", "--out", "again.zarr"], tmp_path, installed)
    assert again.returncode == 0, again.stderr
    runs = [serpenoid.Trajectory.load(tmp_path / name) for name in ("first.zarr", "again.zarr")]
    assert runs[0]["joint_position"].shape[1] == 3
    assert (runs[0]["joint_position"] == runs[1]["joint_position"]).all()


def test_a_recording_opens_nothing_that_is_not_installed(installed, tmp_path):
    assert called(["run", "tiny-race", "--duration", "0.5", "--out", "run.zarr"], tmp_path, installed).returncode == 0
    (tmp_path / "tiny_snakes.py").write_text("open('imported', 'w')\n")
    ended = called(["run", "--from", "run.zarr"], tmp_path, tmp_path)  # a module of that name that no package lists
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert not (tmp_path / "imported").exists()


def test_a_broken_package_is_one_line(installed, broken, tmp_path):
    found = called(["list"], tmp_path, installed, broken)
    assert found.returncode == 0 and "syrup" in found.stdout and "stump" not in found.stdout
    assert found.stderr.count("\n") == 1 and found.stderr.startswith("serpenoid: warning: stump of broken-snakes")
    for words in (["stumble"], ["run", "slither", "--robot", "stump"]):
        ended = called(words, tmp_path, installed, broken)
        assert ended.returncode == 2 and "Traceback" not in ended.stderr
        assert ended.stderr.startswith("serpenoid: warning: ") and ended.stderr.count("\n") == 2


def test_what_has_a_name_of_ours_loads_no_package(installed, broken, tmp_path):
    for words in (["--help"], ["run", "slither", "--duration", "0.5"], ["run", "--help"]):
        ended = called(words, tmp_path, installed, broken)
        lines = [line for line in ended.stderr.splitlines() if "first start only" not in line]  # compiled here or not
        assert ended.returncode == 0 and not lines, ended.stderr
    assert not (tmp_path / "imported").exists()


def test_a_run_of_ours_does_not_look_for_packages(monkeypatch, tmp_path):
    def refused(kind):
        raise AssertionError(f"serpenoid.{kind} was looked up")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plugins, "entries", refused)
    assert main(["run", "slither", "--duration", "1", "--gait", "serpenoid", "--out", "run.zarr"]) == 0
    assert main(["run", "--from", "run.zarr"]) == 0
    assert main(["show", "run.zarr"]) == 0

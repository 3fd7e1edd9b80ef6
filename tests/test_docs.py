"""Names in README and docs must exist: links, pictures, commands, files, variables."""

import importlib
import inspect
import re
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from serpenoid.analysis.bodies import part_of
from serpenoid.cli import commands
from serpenoid.control import Command, Controller
from serpenoid.control.turning import InertialTurning
from serpenoid.robots.sensors import Sensor, Sensors

ROOT = Path(__file__).parent.parent
PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.exists()
]


def page_name(page):
    """Return the path of a page from the root, since names repeat between folders."""
    return page.relative_to(ROOT).as_posix()


LARGEST_PICTURE, LARGEST_FILM = 300_000, 2_000_000  # bytes


def named(pattern, text):
    """Everything that a pattern finds in code: indented blocks, fenced blocks and words in backticks."""
    text = re.sub(r"```(?:bibtex|text)\n.*?```", "", text, flags=re.DOTALL)  # citations and output are not commands
    fenced = re.findall(r"```[^\n]*\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    indented = [line for line in text.splitlines() if line.startswith("    ")]
    return [match for piece in (*fenced, *inline, *indented) for match in re.findall(pattern, piece)]


def words(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_and_pictures_exist(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", words(page)):
        if re.match(r"(https?:|mailto:|#)", target):
            continue
        place = page.parent / target.partition("#")[0]
        assert place.exists(), f"{page.name} points to {target}"
        if place.suffix in (".png", ".svg", ".jpg", ".gif"):
            most = LARGEST_FILM if place.suffix == ".gif" else LARGEST_PICTURE
            assert place.stat().st_size < most, f"{target} is too large"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_exist(page):
    added = re.findall(r'"serpenoid.commands"\]\n(\w+) = ', words(page))  # by a package that the page shows
    for command in named(r"(?<!import )(?<!a )\bserpenoid ([a-z]+)", words(page)):
        assert command in [*commands(), *added], f"{page.name} names serpenoid {command}"
    rules = re.findall(r"^([a-z-]+):", words(ROOT / "Makefile"), re.MULTILINE)
    for rule in named(r"(?:^|\s)make ([a-z-]+)", words(page)):
        assert rule in rules, f"{page.name} names make {rule}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_files_and_names_of_the_package_exist(page):
    package = ROOT / "src" / "serpenoid"
    text = "\n".join(line for line in words(page).splitlines() if "became" not in line)  # names that files once had
    for name in named(r"\b((?:[a-z_]+/)+[a-z_0-9]+\.(?:py|md|toml))\b", text):
        assert any((base / name).exists() for base in (ROOT, ROOT / "src", package, page.parent)), (
            f"{page.name} names {name}"
        )
    for module, attribute in named(r"\b(?:sp|serpenoid)\.([a-z]+)\.([A-Za-z_]+)", words(page)):
        found = importlib.import_module(f"serpenoid.{module}")
        there = hasattr(found, attribute) or find_spec(f"serpenoid.{module}.{attribute}")
        assert there, f"{page.name} names serpenoid.{module}.{attribute}"


def test_readme_shows_a_picture_at_once():
    first = words(ROOT / "README.md").splitlines()[:12]
    assert any(line.startswith("![") for line in first)


def table_of_variables(section="Variables of a trajectory"):
    """Return name -> (dimensions, unit) of a table in docs/reference/variables.md."""
    text = words(ROOT / "docs" / "reference" / "variables.md").partition(f"## {section}")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-zA-Z_]+)` \| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE)
    return {name: (dims.strip(), unit.strip()) for name, dims, unit in rows}


NOISY = Sensors(joint_position=Sensor(noise=0.01))


class Everything(Controller):
    """Commands all that can be commanded."""

    def start(self, robot, period, rng):
        return lambda observation: Command(*np.zeros((4, robot.joints)))


def test_variables_are_those_of_the_engines():
    import serpenoid as sp

    swim, plane, push = sp.gaits.Undulation(), sp.worlds.Plane(medium="viscous"), sp.scenarios.find_scenario("push")
    runs = [
        sp.simulate(sp.robots.PlanarSnake(), plane, sp.gaits.Serpenoid(frequency=1.0), duration=0.05),
        sp.simulate(sp.robots.PlanarSnake(drive=sp.robots.SeriesElastic()), sp.worlds.FreeSpace(), swim, duration=0.05),
        sp.simulate(sp.robots.Natrix(), sp.worlds.FreeSpace(), swim, duration=0.05),
        sp.simulate(sp.robots.Natrix(), sp.worlds.WaterSurface(), swim, duration=0.05),
        sp.simulate(sp.robots.SeaSnake(), sp.worlds.DeepWater(), swim, duration=0.05),
        push(duration=0.05).run(),
        sp.simulate(sp.robots.SeaSnake(drive=sp.robots.Cascade()), sp.worlds.Floor(), swim, duration=0.05),
        sp.simulate(sp.robots.PlanarSnake(sensors=NOISY), sp.worlds.FreeSpace(), Everything(), duration=0.05),
    ]
    with sp.hardware.twin(sp.robots.PlanarSnake(), plane, realtime=False) as modules:
        runs.append(sp.run_loop(modules, sp.control.OpenLoop(sp.gaits.Serpenoid(0.1)), 0.05))
    worlds = {type(part_of(run, "world")): run for run in runs[:-1]}
    touched = {world for world in sp.worlds.WORLDS.values() if issubclass(world, sp.worlds.ContactWorld)}
    assert set(worlds) == set(sp.worlds.WORLDS.values()) - touched | {sp.worlds.Floor}
    for world, run in worlds.items():
        assert world.describes().keys() <= run.variables.keys()
    table = table_of_variables()
    assert set(table) == set().union(*(run.variables for run in runs))
    for run in runs:
        for name, (dims, _, unit, _) in run.variables.items():
            assert " ".join(dims) in table[name][0].removesuffix(" in the plane").split(", or "), name
            assert (unit or "-") == table[name][1], name


def test_the_table_of_variables_is_that_of_the_catalogue():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        tool = importlib.import_module("variable_table")
    finally:
        sys.path.pop(0)
    page = words(tool.PAGE)
    assert page == tool.written(page), "docs/reference/variables.md is out of date; run: python tools/variable_table.py"


def controllers():
    """Every controller of the package that a user can name."""
    import serpenoid as sp

    shown = [getattr(room, name) for room in (sp.control, sp.planning) for name in room.__all__]
    kinds = [kind for kind in shown if inspect.isclass(kind) and issubclass(kind, Controller)]
    return {kind for kind in kinds if not inspect.isabstract(kind)}


def recorded_signals():
    """Signals of every controller, by its class: from a law's memory, or as a short run has recorded them."""
    import serpenoid as sp

    robot, memory, swim = sp.robots.SeaSnake(), np.zeros(20_000), sp.gaits.Undulation()
    presets = sp.control.ShapeCompliance.presets()
    turning = replace(presets["sidewinding_ac"](), turning=InertialTurning())
    laws = [
        *(make() for make in presets.values()), turning, sp.control.JointAdmittance(), sp.control.OpenLoop(),
        sp.control.CentralPatternGenerator(), sp.control.OpenLoop(), sp.control.Learned(record_inputs=True),
        sp.control.LearnedJoints(),
    ]  # fmt: skip
    for law in laws:
        for name, signal in law.memory_signals(robot, 0.01, memory).items():
            yield type(law), name, ("tick", *signal.dims), signal.unit
        yield type(law), None, (), ""
    snake, plane = sp.robots.PlanarSnake(), sp.worlds.FreeSpace()
    planner = sp.planning.SamplingPlanner(samples=2, horizon=0.02, interval=0.02)
    pushed = sp.scenarios.find_scenario("push-to")()
    runs = [
        sp.scenarios.find_scenario("mpc")(duration=0.02).run(),
        sp.simulate(sp.robots.Natrix(), plane, sp.control.RollStabiliser(swim), 0.02),
        sp.simulate(snake, plane, sp.control.HeldTorque((0.1,) * 4), 0.02),
        sp.simulate(snake, plane, sp.control.TorqueWave(), 0.02),
        sp.simulate(snake, plane, sp.control.OpenLoop(sp.gaits.Serpenoid(frequency=1.0), rates=True), 0.02),
        sp.simulate(snake, plane, sp.control.Idle(), 0.02),
        sp.simulate(sp.robots.SeaSnake(), sp.worlds.Floor(), sp.control.AlongRoute(), 0.02),
        sp.simulate(snake, sp.worlds.Plane(), sp.control.JointPID(sp.gaits.Serpenoid(frequency=1.0)), 0.02),
        sp.simulate(sp.robots.Natrix(), sp.worlds.WaterSurface(), sp.control.Gaze(swim), 0.02),
        sp.simulate(sp.robots.SeaSnake(), sp.worlds.PegBoard(), planner, 0.04),
        sp.simulate(sp.robots.SeaSnake(), sp.worlds.PegBoard(), sp.planning.ContactPlanner(), 0.04),
        sp.simulate(
            *pushed.parts(), 0.04, initial=pushed.initial(), step=0.004, control_period=0.02, sample_period=0.02
        ),
    ]
    for run in runs:
        kind = type(part_of(run, "controller"))
        yield kind, None, (), ""
        for name, (dims, _, unit, _) in run.variables.items():
            if dims[0] == "tick" and not name.startswith("command_"):
                yield kind, name, dims, unit


def test_signals_are_those_of_the_laws():
    table, used, asked = table_of_variables("Signals of laws"), set(), set()
    for kind, name, dims, unit in recorded_signals():
        asked.add(kind)
        if name is None:
            continue
        row = {
            "shape": "shape_PARAMETER", "force": "force_PARAMETER", "edge": "edge_WINDOWS", "joined": "joined_WINDOWS",
        }.get(name.partition("_")[0], name)  # fmt: skip
        assert " ".join(dims) in table[row][0].split(", or ") and table[row][1] in (unit or "-", "its own"), name
        used.add(row)
    assert used == set(table)
    assert asked == controllers()


def test_worlds_with_contacts_add_the_same_variables():
    """Check that one row represents all in the table."""
    import serpenoid as sp

    for world in sp.worlds.WORLDS.values():
        if issubclass(world, sp.worlds.ContactWorld):
            assert world.describes() == sp.worlds.Floor.describes(), world

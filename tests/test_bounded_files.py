"""Files that ask for too much: pictures, counts, models of models, names and units. Each is rejected in a line."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from serpenoid import Trajectory, sweep
from serpenoid.control import Command, Controller, Signal
from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.hardware.hebi_gains import check_gains
from serpenoid.plotting import joints
from serpenoid.plotting.style import write
from serpenoid.robots import PlanarSnake, load
from serpenoid.simulation import simulate
from serpenoid.sweeps import failures, open_sweep
from serpenoid.worlds import PegBoard, Plane, Scene

PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30_000).to_bytes(4, "big") * 2
MODEL = "<mujoco>{}<worldbody><geom size='1'/></worldbody></mujoco>"
PARTS = {
    "picture": "<asset><texture name='t' type='2d' file='picture.png'/></asset>",
    "numbers": "<size nuser_geom='1000000000'/>",
    "keys": "<size nkey='1000000000'/>",
    "mesh": "<asset><mesh name='m' builtin='supersphere' params='20000 1 1'/></asset>",
    "itself": "<asset><model name='k' file='itself.xml'/></asset>",
}


@pytest.mark.parametrize("name", PARTS)
def test_a_model_that_fills_the_memory_is_refused_before_it_is_compiled(tmp_path, name):
    (tmp_path / "picture.png").write_bytes(PICTURE)
    path = tmp_path / f"{name}.xml"
    path.write_text(MODEL.format(PARTS[name]))
    with pytest.raises(FileProblem, match="must"):
        load(path)
    with pytest.raises(InvalidValue) as caught:
        Scene(str(path))
    assert caught.value.field == "path"


def test_pegs_far_beyond_a_board_and_gains_of_too_many_modules_are_refused(tmp_path):
    pegs, gains = tmp_path / "pegs.csv", tmp_path / "gains.xml"
    pegs.write_text("1e300,1e300\n-1e300,1\n")
    with pytest.raises(FileProblem):
        PegBoard(layout="csv", file=str(pegs))
    gains.write_text(f"<group_gains><control_strategy>{'4 ' * 1000}</control_strategy></group_gains>")
    with pytest.raises(FileProblem, match="200"):
        check_gains(gains)


@dataclass(frozen=True)
class Telling(Controller):
    """A law with one signal."""

    signal: Signal = Signal(1.0)

    def start(self, robot, period, rng):
        return TellingLaw(self.signal, robot.joints)


class TellingLaw:
    """Command nothing and record the signal."""

    def __init__(self, signal, count):
        self.signal, self.count = signal, count

    def __call__(self, observation):
        return Command.empty(self.count)

    def signals(self):
        return {"own": self.signal}


@pytest.mark.parametrize(
    "signal", [Signal(1.0, "a\nb"), Signal(1.0, 5), Signal(1.0, "", None), Signal(np.zeros(2), "", "", (1,))]
)
def test_a_signal_whose_texts_could_not_be_read_again_is_refused(signal):
    with pytest.raises(InvalidValue) as caught:
        simulate(PlanarSnake(), Plane(), Telling(signal), duration=0.1)
    assert caught.value.field == "signal own"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    run = simulate(PlanarSnake(), Plane(), Telling(), duration=0.1)
    return run.save(tmp_path_factory.mktemp("saved") / "run.zarr")


def with_unit(store, unit):
    """Change the unit of the joints' angles."""
    place = store / "joint_position" / "zarr.json"
    head = json.loads(place.read_text())
    head["attributes"]["units"] = unit
    place.write_text(json.dumps(head))


def test_a_unit_is_a_line_and_no_formula(saved, tmp_path):
    with_unit(saved, "$\\frac{$")
    assert write(joints(Trajectory.load(saved)).figure, tmp_path / "a.png").is_file()
    for unit in ("\x1b[31m", "a\nb", "x" * 10**6):
        with_unit(saved, unit)
        with pytest.raises(FileProblem) as caught:
            Trajectory.load(saved)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["a\0b.zarr", "x" * 400 + ".zarr"])
def test_a_name_that_no_file_can_have_is_refused(saved, name):
    with_unit(saved, "rad")
    with pytest.raises(FileProblem):
        Trajectory.load(saved).save(name)
    with pytest.raises(FileProblem):
        Trajectory.load(name)


@pytest.mark.parametrize("values", [5, None])
def test_values_of_a_swept_field_that_are_no_list_are_refused(tmp_path, values):
    with pytest.raises(InvalidValue) as caught:
        sweep("slither", {"gait.frequency": values}, tmp_path / "s.zarr")
    assert caught.value.field == "gait.frequency"


def test_files_beside_the_markers_of_a_sweep_are_no_markers(tmp_path):
    store = tmp_path / "s.zarr"
    sweep("slither", {"gait.frequency": [1.0], "duration": [1.0]}, store)
    for name in ("x", "²", "9" * 30, "77"):
        (store / "chunks" / "marker" / f"c.{name}.0").write_text("")
    assert open_sweep(store).attrs["chunks"]["done"] == 1
    assert not list(failures(store))


def test_values_that_no_figure_can_draw_are_refused(tmp_path):
    run = simulate(PlanarSnake(links=3), Plane(), duration=0.1)
    dims, values, unit, meaning = run.variables["center_of_mass"]
    run.variables["center_of_mass"] = (dims, np.full_like(values, 1e308), unit, meaning)
    with pytest.raises(FileProblem, match="center_of_mass"):
        Trajectory.load(run.save(tmp_path / "run.zarr"))


@pytest.mark.parametrize("name", ["x" * 400, "a\0b"])
def test_a_sweep_under_a_name_that_the_system_refuses_is_one_line(name, tmp_path):
    with pytest.raises(FileProblem):
        sweep("slither", {"gait.frequency": [1.0]}, tmp_path / name)

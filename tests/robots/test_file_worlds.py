"""Gravity, friction and media of MJCF files: a warning states that worlds are chosen separately from robots."""

import warnings

import pytest

from serpenoid.robots import PlanarSnake, load, write_model

CHAIN = """<mujoco>{option}<worldbody>{floor}<body name="a"><freejoint/><geom size="0.1"{friction}/>
<body name="b"><joint name="j"/><geom size="0.1"{friction}/></body></body></worldbody></mujoco>"""
ROUGH = ' friction="0.3 0.005 0.0001"'
CASES = {
    "moon": ({"option": '<option gravity="0 0 -1.62"/>'}, "--world.gravity 1.62"),
    "ice": ({"friction": ROUGH}, "--world.friction 0.3"),
    "ice on a default floor": ({"friction": ROUGH, "floor": '<geom type="plane" size="1 1 1"/>'}, "--world.friction 1"),
    "water": ({"option": '<option density="1000"/>'}, "density 1000 kg/m^3"),
    "oil": ({"option": '<option viscosity="0.5"/>'}, "viscosity 0.5 Pa s"),
    "wind": ({"option": '<option wind="3 4 0"/>'}, "wind of 5 m/s"),
}


def warnings_of(path):
    """Return the lines that loading a robot warns in."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        load(path)
    return [str(warning.message) for warning in given]


def write(path, **parts):
    """Write a robot of two bodies with parts of its world."""
    path.write_text(CHAIN.format(**{"option": "", "floor": "", "friction": "", **parts}))
    return path


@pytest.mark.parametrize("name", CASES)
def test_one_line_names_the_setting_and_its_flag(name, tmp_path):
    parts, named = CASES[name]
    (line,) = warnings_of(write(tmp_path / "robot.xml", **parts))
    assert named in line and "\n" not in line


def test_a_file_that_states_none_of_it_loads_without_a_word(tmp_path):
    assert warnings_of(write(tmp_path / "robot.xml")) == []
    assert warnings_of(write_model(PlanarSnake(), tmp_path / "snake.xml")) == []


def test_a_planar_snake_gets_the_flags_of_the_plane(tmp_path):
    path = write_model(PlanarSnake(), tmp_path / "snake.xml")
    path.write_text(path.read_text().replace("<option ", '<option density="900" '))
    (line,) = warnings_of(path)
    assert "--world.medium fluid --world.density 900" in line

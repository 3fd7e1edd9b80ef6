"""Configurations that come with the package, and fields of named items by dotted names."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
import pytest

from serpenoid import configuration
from serpenoid.control import OpenLoop, ShapeCompliance
from serpenoid.errors import InvalidValue, UnknownName, Unsupported
from serpenoid.robots import PlanarSnake, SeaSnake


@dataclass(frozen=True)
class Holder:
    """Something with a controller."""

    controller: ShapeCompliance | OpenLoop = ShapeCompliance()
    """the controller"""


@pytest.mark.parametrize("name", ShapeCompliance.presets())
def test_every_configuration_runs_on_the_snake(name):
    controller = ShapeCompliance.presets()[name]()
    law = controller.kernel(SeaSnake(), 0.01)
    assert law.windows.slots >= 1 and name in ShapeCompliance.presets()
    held = configuration.changed(Holder(), {"controller": name.replace("_", "-")})
    assert held.controller == controller


def test_the_default_is_amplitude_compliance():
    assert ShapeCompliance.presets()["slithering_a"]() == ShapeCompliance()


def test_a_changed_file_is_another_controller(tmp_path):
    path = tmp_path / "mine.toml"
    source = ShapeCompliance.presets()["slithering_aw"].args[0].read_text()
    path.write_text(source.replace("bias = 3.0", "bias = 1.5"))
    mine = ShapeCompliance.read(path)
    assert configuration.get(mine, "parameters.amplitude.bias") == 1.5
    path.write_text(source + "\n[[parameters]]\nname = 'speed'\n")
    with pytest.raises(UnknownName, match="speed"):
        ShapeCompliance.read(path)


def test_parameters_are_fields_by_their_names():
    names = [field.name for field in configuration.walk(Holder())]
    assert "controller.parameters.amplitude.bias" in names and "controller.windows.half_wave.span" in names
    assert "controller.parameters.amplitude.name" not in names
    changed = configuration.changed(
        Holder(), {"controller.parameters.amplitude.bias": 1.0, "controller.windows.half_wave.span": 2.0 * pi}
    )
    assert configuration.get(changed, "controller.parameters.amplitude.bias") == 1.0
    assert configuration.get(changed, "controller.windows.half_wave.span") == 2.0 * pi
    assert changed.controller.parameters[1:] == Holder().controller.parameters[1:]
    with pytest.raises(InvalidValue, match=r"^controller.parameters.amplitude.mass = -1.0"):
        configuration.changed(Holder(), {"controller.parameters.amplitude.mass": -1.0})
    for wrong in (
        "controller.parameters.speed.mass",
        "controller.parameters.amplitude.speed",
        "controller.parameters.x",
    ):
        with pytest.raises(UnknownName):
            configuration.changed(Holder(), {wrong: 1.0})
        with pytest.raises(UnknownName):
            configuration.get(Holder(), wrong)


def test_numbers_of_a_tuple_are_fields_by_their_place():
    field = "controller.parameters.amplitude.sign.0"
    changed = configuration.changed(Holder(), {field: -0.5, "controller.parameters.amplitude.bias": 1.0})
    assert configuration.get(changed, field) == -0.5 and changed.controller.parameters[0].sign == (-0.5,)
    assert changed.controller.parameters[0].bias == 1.0
    with pytest.raises(InvalidValue, match=r"^controller.parameters.amplitude.sign"):
        configuration.changed(Holder(), {field: -2.0})
    for wrong in ("controller.parameters.amplitude.sign.1", "controller.parameters.amplitude.sign.x"):
        with pytest.raises(UnknownName):
            configuration.changed(Holder(), {wrong: 0.5})
        with pytest.raises(UnknownName):
            configuration.get(Holder(), wrong)


def test_a_robot_in_the_plane_cannot_sidewind():
    for name in ("helix", "sidewinding_ac"):
        with pytest.raises(Unsupported):
            ShapeCompliance.presets()[name]().kernel(PlanarSnake(), 0.01)


def test_a_helix_window_is_half_a_coil():
    """S41, pi sqrt(r^2 + p^2) of (4.12): one window while rolling, four or five when wound round 7 to 9 cm."""
    span = ShapeCompliance.presets()["helix"]().windows[0].span
    for winding in (0.3, 1.08, 1.33):
        ratio = winding / (2.0 * np.sin(0.064 * winding))
        p = 1.0 / ((ratio**2 + 1.0) * winding)
        assert np.isclose(span / winding, pi * np.hypot(ratio * p, p), rtol=0.002)
    body = 17 * 0.064
    assert span / 0.3 > body and 3 <= np.ceil(body / (span / 1.08)) <= np.ceil(body / (span / 1.33)) <= 5

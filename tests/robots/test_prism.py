"""Outer shapes: areas, orientation, and refused input."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.robots.prism import Prism, regular_polygon, rounded_triangle, section_integrals


def test_the_shell_of_the_parameter_set():
    section = rounded_triangle(0.04, 0.022)
    area, first_y, first_z = section_integrals(np.array(section))
    assert len(section) == 18
    assert area == pytest.approx(8127.5e-6, abs=5e-8)
    assert abs(first_y) < 1e-18 and abs(first_z) < 1e-18


def test_a_regular_polygon_has_its_area():
    area = section_integrals(np.array(regular_polygon(24, 0.04069)))[0]
    assert area == pytest.approx(0.5 * 24 * 0.04069**2 * np.sin(2 * np.pi / 24))


def test_a_clockwise_section_is_turned_round():
    square = ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0))
    prism = Prism(0, 0.0, 2.0, square)
    assert prism.volume == pytest.approx(2.0)
    assert section_integrals(prism.polygon())[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "section",
    [
        ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)),  # a bow tie
        ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 0.0), (0.0, 1.0)),  # a vertex on another edge
        ((0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)),  # the same vertex twice
        ((0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0)),  # an edge that turns back on itself
        ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)),  # no area
        ((0.0, 0.0), (1.0, 0.0)),
        ((0.0, 0.0), (1.0, float("nan")), (0.0, 1.0)),
        ("a", "b", "c"),
    ],
)
def test_what_is_no_simple_polygon_is_refused_in_one_line(section):
    with pytest.raises(InvalidValue) as error:
        Prism(0, 0.0, 1.0, section)
    assert error.value.field == "section" and "\n" not in str(error.value)


def test_an_empty_range_is_refused():
    with pytest.raises(InvalidValue, match="end"):
        Prism(0, 1.0, 1.0, regular_polygon(3, 1.0))

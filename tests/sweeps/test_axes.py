"""Axes: parsing of text, and invalid input."""

from __future__ import annotations

import numpy as np
import pytest
from toy_scenario import Toy

from serpenoid.errors import InvalidValue, SerpenoidError, UnknownName
from serpenoid.scenarios import find_scenario
from serpenoid.sweeps.axes import axes_of


def values(field, text, sampled=False):
    (axis,) = axes_of(Toy(), {field: text}, sampled)
    return axis.at(np.arange(axis.size))


def test_linear_range_has_decimal_steps_and_exact_ends():
    assert values("gait.frequency", "0.1:3.0:30") == [round(0.1 * i, 1) for i in range(1, 31)]
    assert values("gait.lag", "0.5pi:4pi:36")[-1] == 4 * np.pi
    assert values("gait.lag", "0.5pi:4pi:36")[0] == 0.5 * np.pi
    assert values("gait.frequency", "2:1:3") == [2.0, 1.5, 1.0]
    assert values("gait.frequency", "2:5:1") == [2.0]


def test_logarithmic_range_has_equal_factors():
    found = np.array(values("gait.frequency", "log:0.01:100:5"))
    np.testing.assert_allclose(found[1:] / found[:-1], 10.0, rtol=1e-12)
    assert (found[0], found[-1]) == (0.01, 100.0)


def test_lists_names_and_python_values():
    assert values("gait.frequency", "3,1,2") == [3.0, 1.0, 2.0]
    assert values("medium", "viscous,dry") == ["viscous", "dry"]
    assert values("seed", "1:9:5") == [1, 3, 5, 7, 9]
    assert values("gait.frequency", np.linspace(1, 2, 3)) == [1.0, 1.5, 2.0]


def test_whole_numbers_between_are_drawn_evenly():
    (axis,) = axes_of(Toy(), {"seed": "1:4"}, True)
    drawn = axis.between((np.arange(4000) + 0.5) / 4000)
    assert [drawn.count(i) for i in (1, 2, 3, 4)] == [1000] * 4


@pytest.mark.parametrize(
    ("field", "text", "error"),
    [
        ("gait.frequenzy", "1:2:3", UnknownName),
        ("gait", "1:2:3", InvalidValue),
        ("gait.frequency", "1:2", InvalidValue),
        ("gait.frequency", "1:2:0", InvalidValue),
        ("gait.frequency", "1:2:-3", InvalidValue),
        ("gait.frequency", "1:2:3:4", InvalidValue),
        ("gait.frequency", "1:1:3", InvalidValue),
        ("gait.frequency", "1:inf:3", InvalidValue),
        ("gait.frequency", "log:0:1:3", InvalidValue),
        ("gait.frequency", "log:-1:1:3", InvalidValue),
        ("gait.frequency", "1,,2", InvalidValue),
        ("gait.frequency", "", InvalidValue),
        ("gait.frequency", "fast,slow", InvalidValue),
        ("gait.frequency", "1,2,1", InvalidValue),
        ("gait.frequency", [], InvalidValue),
        ("medium", "dry,wet", InvalidValue),
        ("medium", "1:2:3", InvalidValue),
        ("seed", "0:1:3", InvalidValue),
        ("gait.frequency", "-1:6:8", InvalidValue),
        ("gait.frequency", "6:0:8", InvalidValue),
        ("gait.frequency", "1,2,-3", InvalidValue),
    ],
)
def test_refused_in_one_line_that_names_the_field(field, text, error):
    with pytest.raises(error) as caught:
        axes_of(Toy(), {field: text}, sampled=False)
    assert field.split(".")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_axis_is_refused():
    with pytest.raises(SerpenoidError, match="over"):
        axes_of(Toy(), {}, sampled=False)


def test_an_end_that_is_taken_with_another_axis_or_a_value_inside_is_no_mistake():
    slither = find_scenario("slither")()
    with pytest.raises(InvalidValue, match="settle = 8.0"):
        axes_of(slither, {"settle": "1:8:3"}, sampled=False)
    assert axes_of(slither, {"settle": "1:8:3", "duration": "6:12:2"}, sampled=False)
    assert axes_of(Toy(), {"gait.frequency": "1,-1,2"}, sampled=False)
    with pytest.raises(InvalidValue, match="gait.frequency = -1.0: must be above 0"):
        axes_of(Toy(), {"gait.frequency": "-1:2"}, sampled=True)

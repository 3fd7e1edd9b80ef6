"""The catalogue of variables: rows that a table can show, labels by name, rows of third parties."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid import variables
from serpenoid.errors import InvalidValue
from serpenoid.trajectory import LABELS
from serpenoid.variables import VARIABLES, add_variable, describe, label


@pytest.mark.parametrize("name", VARIABLES)
def test_a_row_is_complete(name):
    row = VARIABLES[name]
    assert row.dims[0] in ("time", "tick")
    assert set(row.dims[1:]) <= {"joint", "link", "contact", *LABELS}
    assert row.meaning and "|" not in row.meaning + row.unit and "[" not in row.meaning


def test_arrays_are_labelled_by_their_names():
    found = label({"gyroscope": np.zeros((2, 3, 3)), "momentum_angular": np.zeros(2), "heave": np.zeros(2)})
    assert found["gyroscope"][0] == ("time", "link", "axis") and found["gyroscope"].unit == "rad/s"
    assert found["momentum_angular"].dims == ("time",)
    assert label({"momentum_angular": np.zeros((2, 3))})["momentum_angular"].dims == ("time", "axis")


def test_readings_follow_from_the_quantity():
    row = describe("sensed_joint_torque")
    assert row.dims == ("tick", "joint") and row.unit == "N m"


def test_a_third_party_adds_its_own(monkeypatch):
    monkeypatch.setattr(variables, "VARIABLES", dict(VARIABLES))
    with pytest.raises(InvalidValue):
        label({"salinity": np.zeros(2)})
    add_variable("salinity", "time", "kg/m^3", "salt in the water at the head")
    add_variable("salinity", "time", "kg/m^3", "salt in the water at the head")
    assert label({"salinity": np.zeros(2)})["salinity"].unit == "kg/m^3"
    with pytest.raises(InvalidValue):
        add_variable("salinity", "time", "", "something else")

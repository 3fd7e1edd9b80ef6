"""Offsets into MuJoCo's structs: computed from its own description, and refused where the public API differs."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from serpenoid.engines.contact.mujoco_offsets import TESTED, THREE_BALLS, Layout, address, check_layout, layout, struct
from serpenoid.errors import SerpenoidError

HINGES = """
<mujoco><option noslip_iterations="7"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1">
<joint type="hinge" axis="0 1 0"/><geom type="capsule" size="0.05 0.3" pos="0.2 0 0"/>
<body pos="0.5 0 0"><joint type="hinge" axis="0 0 1"/><geom size="0.1"/></body></body></worldbody></mujoco>"""
BOXES = """
<mujoco><option noslip_iterations="5"/><worldbody><geom type="plane" size="2 2 1"/>
<body pos="0 0 0.09"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
<body pos="0.5 0 0.08"><freejoint/><geom type="box" size="0.2 0.1 0.1"/></body></worldbody></mujoco>"""


def forward(xml: str):
    """A model and its data after some steps."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 5)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("xml", [THREE_BALLS, HINGES, BOXES])
def test_offsets_are_right_for_several_models(xml):
    check_layout(layout(), *forward(xml))


def test_contacts_read_by_address_are_those_of_the_public_api():
    at, (_, data) = layout(), forward(BOXES)
    first = ctypes.c_int64.from_address(address(data.energy) - at.energy + at.contacts).value
    assert data.ncon >= 8
    for k, contact in enumerate(data.contact):
        place = first + k * at.stride
        np.testing.assert_array_equal((ctypes.c_double * 3).from_address(place + at.point), contact.pos)
        np.testing.assert_array_equal((ctypes.c_double * 9).from_address(place + at.frame), contact.frame)
        np.testing.assert_array_equal((ctypes.c_int * 2).from_address(place + at.shapes), contact.geom)


@pytest.mark.parametrize("field", Layout._fields)
def test_a_wrong_offset_is_refused(field):
    wrong = layout()._replace(**{field: getattr(layout(), field) + 8})
    with pytest.raises(SerpenoidError, match=re.escape(TESTED)) as error:
        check_layout(wrong, *forward(BOXES))
    assert "\n" not in str(error.value)


def test_an_unknown_type_or_field_is_refused(monkeypatch):
    monkeypatch.setattr("serpenoid.engines.contact.mujoco_offsets.TYPES", {})
    layout.cache_clear()
    struct.cache_clear()
    try:
        with pytest.raises(SerpenoidError, match=re.escape(TESTED)):
            layout()
    finally:
        layout.cache_clear()
        struct.cache_clear()


def test_the_range_in_the_error_is_that_of_the_package():
    assert f'"mujoco-core[rendering]{TESTED}"' in (Path(__file__).parents[3] / "pyproject.toml").read_text()

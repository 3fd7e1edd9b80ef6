"""Recordings of release 0.1 still open, and repeat with the same numbers."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import configuration
from serpenoid.support.upgrades import upgrade
from serpenoid.trajectory import Trajectory

FOLDER = Path(__file__).parent / "recordings"
RECORDS = {record["name"]: record for record in json.loads((FOLDER / "release_0_1.json").read_text())}


def recording(record):
    """A trajectory with the attributes of an old recording."""
    known = {"schema_version": 1, "seed": record["seed"], "unrepeatable": record["unrepeatable"]}
    plain = {name: json.dumps(upgrade(record[name])) for name in ("configuration", "scenario")}
    return Trajectory(np.zeros(1), {}, {}, {**known, **plain})


@pytest.mark.parametrize("name", RECORDS)
def test_a_recording_of_0_1_repeats(name):
    record = RECORDS[name]
    planned = name.startswith("mpc")
    with pytest.warns(UserWarning, match="planner took steps of first order") if planned else nullcontext():
        repeated = sp.repeat(recording(record))
    for run in (repeated, configuration.from_plain(upgrade(record["scenario"]), Any).run()):
        if planned:
            assert run.complete and run.times.size > 10  # its planner takes other steps now
            continue
        np.testing.assert_allclose(run["joint_position"][-1], record["joint_position"], atol=1e-9)
        np.testing.assert_allclose(run["center_of_mass"][-1], record["center_of_mass"], atol=1e-9)


def test_a_folder_of_0_1_opens_and_repeats():
    old = Trajectory.load(FOLDER / "slither_0_1.zarr")
    run = sp.repeat(old)
    np.testing.assert_allclose(run["joint_position"], old["joint_position"], atol=1e-12)
    np.testing.assert_allclose(run["joint_velocity"], old["joint_velocity"], atol=1e-9)


def test_a_folder_of_0_1_has_its_summary():
    old = Trajectory.load(FOLDER / "slither_0_1.zarr")
    scenario = configuration.from_plain(json.loads(old.attributes["scenario"]), Any)
    found, now = scenario.summary(old), scenario.summary(sp.repeat(old))
    for name in ("speed", "power", "cost_of_transport"):
        assert found[name].value == pytest.approx(now[name].value, rel=2e-3)

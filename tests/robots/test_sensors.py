"""Sensors: each imperfection separately, and its random stream."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Observation
from serpenoid.hardware.hebi_fields import TOLD
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.robots.sensors import ALWAYS_SENSED, SENSED, Readings, Sensor, Sensors, short_name
from serpenoid.variables import VARIABLES

PERIOD = 0.01


def readings(sensors, seed=1):
    return Readings(sensors, PERIOD, np.random.default_rng(seed))


def series(sensors, ticks=2000, seed=1):
    """Readings (ticks, 3) of a quantity that is its tick number."""
    made = readings(sensors, seed)
    return np.array([made.take(k, lambda name, k=k: np.full(3, float(k)))("joint_position") for k in range(ticks)])


def test_ideal_sensors_read_the_quantity():
    assert Sensors().ideal
    np.testing.assert_array_equal(series(Sensors(), 5), np.arange(5.0)[:, None] * np.ones(3))


def test_noise_is_white_and_of_its_size():
    error = series(Sensors(joint_position=Sensor(noise=0.2))) - np.arange(2000.0)[:, None]
    assert abs(error.std() - 0.2) < 0.01
    assert abs(np.corrcoef(error[1:, 0], error[:-1, 0])[0, 1]) < 0.08
    assert abs(np.corrcoef(error[:, 0], error[:, 1])[0, 1]) < 0.08


def test_a_bias_stays_for_a_run_and_differs_between_runs_and_sensors():
    error = series(Sensors(joint_position=Sensor(bias=0.5)), 10) - np.arange(10.0)[:, None]
    assert np.ptp(error, axis=0).max() < 1e-12 and np.ptp(error[0]) > 0.01
    other = series(Sensors(joint_position=Sensor(bias=0.5)), 10, seed=2) - np.arange(10.0)[:, None]
    assert not np.allclose(error[0], other[0])


def test_resolution():
    found = series(Sensors(joint_position=Sensor(noise=0.3, resolution=0.25)), 50)
    np.testing.assert_allclose(found / 0.25, np.round(found / 0.25), atol=1e-12)


@pytest.mark.parametrize(("period", "delay"), [(0.0, 0.03), (0.05, 0.0), (0.04, 0.03)])
def test_rate_and_delay(period, delay):
    found = series(Sensors(period=period, delay=delay), 40)[:, 0]
    every, age = max(1, round(period / PERIOD)), round(delay / PERIOD)
    wanted = [max(0, k - age) // every * every for k in range(40)]
    np.testing.assert_array_equal(found, wanted)


def test_a_held_reading_is_one_reading():
    sensors = Sensors(joint_position=Sensor(noise=0.1), period=0.05)
    found = series(sensors, 20)[:, 0]
    np.testing.assert_array_equal(found[:5], found[0])
    assert found[5] != found[4]


def test_kinds_do_not_share_their_noise():
    sensors = Sensors(joint_position=Sensor(noise=0.1), gyroscope=Sensor(noise=0.1))
    one, other = readings(sensors), readings(sensors)
    for k in range(3):
        one.take(k, lambda name: np.zeros(2))("gyroscope")
    source = (made.take(9, lambda name: np.zeros(2)) for made in (one, other))
    np.testing.assert_array_equal(*(reading("joint_position") for reading in source))


def test_the_motors_have_encoders_of_their_own():
    made = readings(Sensors(motor_position=Sensor(noise=0.1)))
    source = made.take(0, lambda name: np.zeros(2))
    assert np.abs(source("motor_position")).min() > 0.0 and not np.any(source("joint_position"))


@pytest.mark.parametrize("name", SENSED)
def test_what_is_sensed_has_a_variable_and_a_property(name):
    row = SENSED[name]
    assert VARIABLES[name].dims[1] in ("joint", "link")
    assert isinstance(getattr(Observation, name), property)
    assert not row.feedback or row.feedback in TOLD
    assert not row.signal or row.signal in VARIABLES
    assert name in ALWAYS_SENSED or not row.always


def test_noise_and_compiled_laws_know_only_what_is_sensed():
    noisy = [field.name for field in fields(Sensors) if isinstance(field.default, Sensor)]
    assert [name for name in SENSED if name in noisy] == noisy
    assert set(Sensed._fields[1:]) <= {short_name(name) for name in SENSED}


def test_a_quantity_that_is_to_be_recorded_is_where_its_sensor_is_not_ideal(monkeypatch):
    monkeypatch.setitem(SENSED, "gyroscope", SENSED["gyroscope"]._replace(recorded=True))
    for sensors, there in ((Sensors(gyroscope=Sensor(noise=0.1)), True), (Sensors(joint_position=Sensor(0.1)), False)):
        robot = sp.robots.PlanarSnake(sensors=sensors)
        run = sp.simulate(robot, sp.worlds.FreeSpace(), sp.control.Idle(), 0.02)
        assert ("sensed_gyroscope" in run) == there and "sensed_joint_position" in run
        if there:
            assert run.variables["sensed_gyroscope"][0] == ("tick", "link", "axis")
            assert np.abs(run["sensed_gyroscope"][..., 0]).max() > 0.0

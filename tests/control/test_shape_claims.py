"""Identities of the thesis: shape bases, one attractor, windows that do not interfere, windows of half a wave."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from serpenoid.control import Observation, Parameter, ShapeCompliance
from serpenoid.kernels.laws.shape import shape_places
from serpenoid.kernels.laws.windows import place_windows, step_and_integral
from serpenoid.robots import SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01


def still_observation(time, torque):
    still = np.zeros(ROBOT.joints)
    return Observation(time, {"joint_position": still, "joint_velocity": still, "joint_torque": torque})


def test_the_serpenoid_is_a_sum_of_shape_bases():
    """S12: (3.6) with its two misprints corrected, against the angles of the rigid law."""
    rigid = ShapeCompliance.presets()["slithering_a"]().rigid()
    rng = np.random.default_rng(0)
    s = np.arange(0, 18, 2) / 18
    for _ in range(20):
        mean, amplitude, wave, phase = rng.uniform([-0.2, 0.1, 2 * pi, 0], [0.2, 1.0, 4 * pi, 6])
        gait = replace(rigid.gait, amplitude=amplitude, spatial_frequency=wave, phase=phase, offset=mean)
        law = replace(rigid, gait=gait).start(ROBOT, PERIOD, None)
        angles = law(still_observation(0.0, np.zeros(18))).position[::2]
        sigma = (mean, amplitude * np.cos(phase), -amplitude * np.sin(phase))
        assert np.allclose(angles, sigma[0] + sigma[1] * np.sin(wave * s) + sigma[2] * np.cos(wave * s), atol=1e-12)


@pytest.mark.parametrize("constants", [(1.5, 3.0, 4.0), (2.0, 1.0, 1.0), (1.0, 10.0, 1.0), (0.1, 3.0, 3.0)])
def test_admittance_returns_to_its_one_attractor(constants):
    """S13: pulses and random states against an integration, and the way back from a hundred states."""
    mass, damping, stiffness = constants
    carry, push = Parameter("a", mass=mass, damping=damping, stiffness=stiffness).over_period(PERIOD)
    rng = np.random.default_rng(5)
    forces = np.where(np.arange(300) < 100, 2.0, 0.0)
    for state in rng.standard_normal((5, 2)):
        here = state.copy()
        for force in forces:
            here = carry.reshape(2, 2) @ here + push * force
        end = state
        for span, force in (((0.0, 1.0), 2.0), ((1.0, 3.0), 0.0)):
            slope = lambda t, y, f=force: [y[1], (f - damping * y[1] - stiffness * y[0]) / mass]  # noqa: E731
            end = solve_ivp(slope, span, end, rtol=1e-10, atol=1e-12).y[:, -1]
        assert np.allclose(here, end, atol=1e-6)
    back = rng.standard_normal((2, 100))
    for _ in range(12_000):
        back = carry.reshape(2, 2) @ back
    assert np.abs(back).max() < 1e-4


def test_sigmoid_windows_do_not_interfere_and_gaussian_ones_do():
    """S17, omega_S = 4 pi, 4 pi, 2 pi over 1/4, 1/4, 1/2 body; the local wave number in the middle half of each."""
    edges, waves = np.array([0.0, 0.25, 0.5, 1.0]), np.array([4.0, 4.0, 2.0]) * pi
    for k in range(3):
        a, b = edges[k], edges[k + 1]
        s = np.linspace(a + (b - a) / 4, b - (b - a) / 4, 50)
        steps = [np.array([step_and_integral(200.0, x - edge)[0] for x in s]) for edge in edges[1:3]]
        sigmoid = waves[0] * (1 - steps[0]) + waves[1] * (steps[0] - steps[1]) + waves[2] * steps[1]
        assert np.abs(sigmoid / waves[k] - 1).max() <= 0.01
        width = np.diff(edges) / 2 / np.sqrt(2 * np.log(2))  # half as high where a window ends
        gaussian = np.sum(waves * np.exp(-0.5 * ((s[:, None] - 0.5 * (edges[1:] + edges[:-1])) / width) ** 2), axis=1)
        assert np.abs(gaussian / waves[k] - 1).max() >= 0.05


def test_a_window_that_grows_couples_five_joints_after_three():
    """S18, omega_S from 3 pi to 1.8 pi; and three windows with the values of Fig. 4.4 fill the body."""
    controller = ShapeCompliance.presets()["slithering_aw"]()
    low = tuple(replace(p, low=0.5 * pi) if p.name == "spatial_frequency" else p for p in controller.parameters)
    law = replace(controller, parameters=low).start(ROBOT, PERIOD, None)
    at, slots = shape_places(law.record), law.record.windows.slots
    s = law.record.place[::2]

    def edges_with(values):
        for window, value in enumerate(values):
            law.memory[at.state + slots + window % slots] = value - 3 * pi
        place_windows(law.record, law.memory, at, 1)
        first, count = (int(law.memory[place + 1]) for place in (at.first, at.count))
        edges = law.memory[at.edges + slots : at.edges + slots + count]
        return edges[-first : -first + 4]

    for wave, joints in ((3 * pi, 3), (1.8 * pi, 5)):
        edges = edges_with([wave])
        assert edges[0] == 0.0 and np.isclose((edges[1] - edges[0]) * wave, pi, atol=1e-9)
        assert np.sum((s >= edges[0]) & (s < edges[1] - 1e-9)) == joints
    assert np.allclose(edges_with([4 * pi, 4 * pi, 2 * pi]), [0.0, 0.25, 0.5, 1.0], atol=1e-9)

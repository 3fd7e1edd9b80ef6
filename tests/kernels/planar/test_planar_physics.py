"""Physical axioms of the planar chain: energy, momentum, invariance, the sign of dissipation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planar_cases import MEDIA, driven, led, model_in, prescribed, random_state, slack
from planar_kernels import implicit_step, momentum

from serpenoid.gaits import Serpenoid
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.chain import forward_dynamics, planar_model, planar_work
from serpenoid.kernels.planar.implicit import implicit_work
from serpenoid.kernels.planar.inverse import kinetic_energy
from serpenoid.kernels.planar.media import reaction
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane

LINKS = 5


def energy(model, state):
    return sum(kinetic_energy(model, planar_work(model.shift.size), state))


def shares(model, state):
    """Return the sum over the links of the magnitudes of their momenta: linear, and angular about the origin."""
    half = state.size // 2
    angle, rate = np.cumsum(state[2:half]), np.cumsum(state[half + 2 :])
    place = state[:2] + model.arm @ np.c_[np.cos(angle), np.sin(angle)]
    speed = state[half : half + 2] + model.arm @ (rate[:, None] * np.c_[-np.sin(angle), np.cos(angle)])
    mass = model.chain.mass
    linear = (mass * np.linalg.norm(speed, axis=1)).sum()
    lever = np.abs(place[:, 0] * speed[:, 1] - place[:, 1] * speed[:, 0]) * mass
    return linear, (lever + np.abs(model.chain.inertia * rate)).sum()


def test_free_chain_keeps_energy_and_momentum():
    model = model_in(None, LINKS, joint_damping=0.0)
    start = random_state(np.random.default_rng(1), LINKS)
    states, diverged = driven(model, slack(LINKS - 1), start, 0, 1e-3, 10_000, 1000)
    assert diverged == -1
    first, work = np.array(momentum(model, planar_work(LINKS), start)), planar_work(LINKS)
    linear, angular = shares(model, start)
    for state in states:
        assert abs(energy(model, state) / energy(model, start) - 1.0) < 1e-8
        change = np.abs(np.array(momentum(model, work, state)) - first)
        assert change[:2].max() < 1e-12 * linear and change[2] < 1e-12 * angular


def test_fluid_without_drag_keeps_kinetic_and_added_energy_and_momentum():
    model = model_in("calm", LINKS, joint_damping=0.0)
    start = random_state(np.random.default_rng(2), LINKS, 0.5)
    states, _ = driven(model, slack(LINKS - 1), start, 0, 2.5e-4, 8000, 1000)
    drift = [energy(model, state) / energy(model, start) - 1.0 for state in states]
    assert np.abs(drift).max() < 1e-8
    assert kinetic_energy(model, planar_work(LINKS), start)[1] > 0.5 * energy(model, start)
    first = np.array(momentum(model, planar_work(LINKS), start))
    np.testing.assert_allclose(momentum(model, planar_work(LINKS), states[-1]), first, atol=1e-8 * np.abs(first).max())


def test_a_fluid_without_the_velocity_terms_of_its_added_mass_creates_energy():
    chain = PlanarSnake(links=LINKS, joint_damping=0.0).chain()
    world = Plane("fluid", drag_longitudinal=0.0, drag_transverse=0.0, added_mass_velocity_terms=False)
    model = planar_model(chain, world.medium_record(chain))
    start = random_state(np.random.default_rng(2), LINKS, 0.5)
    states, _ = driven(model, slack(LINKS - 1), start, 0, 2.5e-4, 2000, 100)
    trail = np.array([energy(model, state) for state in states]) / energy(model, start)
    assert np.nanmax(trail) > 1.1


@kernel
def drag_power(model, link, vl, vt, turn):
    fl, ft, moment = reaction(model.medium, link, model.chain.length[link], vl, vt, turn)
    return fl * vl + ft * vt + moment * turn


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(MEDIA), st.sampled_from([1, 4]), st.floats(-50, 50), st.floats(-50, 50), st.floats(-50, 50)
)  # fmt: skip
def test_drag_never_adds_energy(medium, stations, vl, vt, turn):
    assert drag_power(model_in(medium, LINKS, stations), 0, vl, vt, turn) <= 0.0


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(MEDIA), st.integers(0, 2**31), st.floats(0.01, 3.0))
def test_passive_chain_loses_energy(medium, seed, speed):
    model = model_in(medium, LINKS)
    state = random_state(np.random.default_rng(seed), LINKS, speed)
    states, _ = driven(model, slack(LINKS - 1), state, 0, 1e-3, 20, 1)
    trail = [energy(model, state), *(energy(model, s) for s in states)]
    assert np.all(np.diff(trail) <= 1e-9 * trail[0])


@pytest.mark.parametrize("medium", [None, *MEDIA])
def test_change_of_world_frame(medium):
    model = model_in(medium, LINKS, 2)
    rng = np.random.default_rng(5)
    state, torque = random_state(rng, LINKS), rng.normal(size=LINKS - 1)
    turn, shift = 0.7, np.array([3.0, -2.0])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved, half = state.copy(), LINKS + 2
    moved[:2] = rotation @ state[:2] + shift
    moved[2] += turn
    moved[half : half + 2] = rotation @ state[half : half + 2]
    here, there = np.empty(half), np.empty(half)
    forward_dynamics(model, planar_work(LINKS), state, torque, here)
    forward_dynamics(model, planar_work(LINKS), moved, torque, there)
    here[:2] = rotation @ here[:2]
    np.testing.assert_allclose(there, here, rtol=1e-11, atol=1e-11 * np.abs(here).max())


def test_implicit_step_conserves_linear_momentum_on_a_coarse_step():
    model, space = model_in(None, LINKS), implicit_work(LINKS)
    rng = np.random.default_rng(6)
    state = random_state(rng, LINKS)
    start = state[LINKS + 2 : LINKS + 4].copy()
    for _ in range(100):
        after = np.empty_like(state)
        implicit_step(model, space, state, rng.uniform(-1, 1, LINKS - 1), 0.02, 1, after)
        state = after
    np.testing.assert_array_equal(state[LINKS + 2 : LINKS + 4], start)


@pytest.mark.parametrize("medium", [None, *MEDIA])
def test_implicit_step_converges_to_the_same_motion(medium):
    model, space = model_in(medium, LINKS), implicit_work(LINKS)
    start, torque = random_state(np.random.default_rng(7), LINKS, 0.3), np.full(LINKS - 1, 0.05)
    held = slack(LINKS - 1)._replace(feedforward=torque, drive=led(slack(LINKS - 1).motion, 0, 0, 1.0).drive)
    exact = driven(model, held, start, 0, 1e-4, 500, 500)[0][-1]
    errors = []
    for substeps in (50, 100, 200):
        after = np.empty_like(start)
        implicit_step(model, space, start, torque, 0.05, substeps, after)
        errors.append(np.abs(after - exact).max())
    assert errors[2] < 1e-3 * np.abs(exact).max()
    assert errors[1] < 0.3 * errors[0] and errors[2] < 0.3 * errors[1]  # second order


@pytest.mark.parametrize(("smoothing", "least"), [(1e-2, 1e-6), (1e-3, 0.5), (1e-5, 0.5)])
def test_implicit_step_is_bounded_under_stiff_friction(smoothing, least):
    """The chain comes to rest.

    Where friction switches within a step, it jitters by the effect of friction in that time.
    """
    model, space = model_in("dry", LINKS), implicit_work(LINKS)
    model.medium.smoothing[:] *= smoothing / Plane().eps
    state = random_state(np.random.default_rng(8), LINKS, 0.1)
    for _ in range(300):
        after = np.empty_like(state)
        implicit_step(model, space, state, np.zeros(LINKS - 1), 0.01, 2, after)
        state = after
        assert np.abs(state[LINKS + 2 :]).max() < 1.5
    assert np.abs(state[LINKS + 2 :]).max() < least


@pytest.mark.parametrize("medium", ["dry", "fluid"])
def test_stiff_drive_approaches_prescribed_joints(medium):
    model = model_in(medium, LINKS)
    motion = Serpenoid(amplitude=0.2, frequency=1.0).motion(PlanarSnake())
    start = np.zeros(2 * (LINKS + 2))
    start[3 : LINKS + 2] = motion.amplitude * np.sin(motion.lag)
    start[LINKS + 5 :] = motion.rate * motion.amplitude * np.cos(motion.lag)
    exact = prescribed(model, motion, start, 0, 5e-5, 4000, 4000)[0][-1]
    tracked = driven(model, led(motion, 500.0, 1.0, 1e9), start, 0, 5e-5, 4000, 4000)[0][-1]
    np.testing.assert_allclose(tracked[:3], exact[:3], atol=2e-3)


def test_divergence_names_its_step_and_leaves_nan():
    model = model_in("dry", LINKS)
    wild = led(Serpenoid().motion(PlanarSnake()), 1e9, 1e9, 1e12)
    states, diverged = driven(model, wild, np.zeros(2 * (LINKS + 2)), 10, 1e-2, 100, 1)
    assert diverged >= 10
    assert np.isfinite(states[: diverged - 10]).all() and np.isnan(states[diverged - 10 :]).all()

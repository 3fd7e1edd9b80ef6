"""The named gaits against their own formulas, joint by joint; taper, helix, winding, and robots with too few joints."""

from dataclasses import fields

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import (
    GAITS,
    ConicalSidewinding,
    LinearProgression,
    Rolling,
    RollingHelix,
    RollIntoHelix,
    Sidewinding,
    Slithering,
    Swimming,
    along_body,
)
from serpenoid.gaits.modular import ModularGait
from serpenoid.gaits.transition import Lead
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix, PlanarSnake, SeaSnake
from serpenoid.worlds.coil import fit_coil
from serpenoid.worlds.initial_pose import links_of

ROBOT = SeaSnake()
TIMES = np.linspace(0.0, 9.0, 91)
PLACE = ROBOT.arc_positions / ROBOT.length
LATERAL = np.arange(18) % 2 == 0
MODULAR = {name: gait for name, gait in GAITS.items() if issubclass(gait, ModularGait)}


def wave(amplitude, spatial, frequency, shift=0.0):
    """A sin(spatial s - 2 pi f t + shift), s from snout to tail, (times, joints), joint by joint."""
    angles = np.zeros((TIMES.size, 18))
    for joint in range(18):
        for i, t in enumerate(TIMES):
            angles[i, joint] = amplitude * np.sin(spatial * PLACE[joint] - 2 * np.pi * frequency * t + shift)
    return angles


def on_body(phase):
    """Spatial frequency and phase of a wave with so much phase from snout to tail."""
    return along_body(ROBOT, phase)


FORMULAS = {
    "linear": (LinearProgression(0.4, frequency=0.7, offset=0.1, **on_body(-12.0)),
               np.where(LATERAL, 0.1, wave(0.4, -12.0, 0.7))),
    "slither": (Slithering(0.8, frequency=0.3, offset=-0.1, **on_body(9.0)),
                np.where(LATERAL, wave(0.8, 9.0, 0.3) - 0.1, 0.0)),
    "swim": (Swimming(0.3, frequency=1.1, **on_body(6.0)), np.where(LATERAL, wave(0.3, 6.0, 1.1), 0.0)),
    "sidewind": (Sidewinding(0.6, 0.2, frequency=0.4, phase_offset=2.0, reversal=1.0, **on_body(9.0)),
                 np.where(LATERAL, wave(0.6, 9.0, 0.4), wave(0.2, 9.0, 0.4, 3.0))),
    "cone": (ConicalSidewinding(taper=0.5),
             np.where(LATERAL, wave(0.5, 3 * np.pi, 0.5), wave(0.25, 3 * np.pi, 0.5, 0.75 * np.pi))
             * (1 - 0.5 * PLACE)),
    "half cone": (ConicalSidewinding(taper=-0.5, tapered="half"),
                  np.where(LATERAL, wave(0.5, 3 * np.pi, 0.5), wave(0.25, 3 * np.pi, 0.5, 0.75 * np.pi))
                  * np.minimum(1 - 0.5 * (1 - np.arange(18) / 8.5), 1.0)),
    "roll": (Rolling(0.3, 0.6), np.where(LATERAL, 0.3 * np.cos(-2 * np.pi * 0.6 * TIMES)[:, None],
                                         0.3 * np.sin(-2 * np.pi * 0.6 * TIMES)[:, None])),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_a_gait_is_its_own_formula(name):
    gait, expected = FORMULAS[name]
    np.testing.assert_allclose(motion_samples(gait.motion(ROBOT), TIMES)[0], expected, atol=1e-12)


@pytest.mark.parametrize("name", MODULAR)
def test_few_parameters_lead_all_joints(name):
    assert len(fields(MODULAR[name])) <= 9


def helix_angles(amplitude, torsion, frequency, times):
    """(4.17): cosine on lateral joints, sine on dorsal ones."""
    phase = torsion * ROBOT.arc_positions - 2 * np.pi * frequency * times[:, None]
    return amplitude * np.where(LATERAL, np.cos(phase), np.sin(phase))


def test_the_helix_is_4_17_with_the_amplitude_of_its_curvature():
    r, p, m = 0.09, 0.012, 0.064
    kappa, tau = r / (r * r + p * p), p / (r * r + p * p)
    amplitude = 2 * kappa / tau * np.sin(tau * m)
    gait = RollingHelix(radius=r, pitch=2 * np.pi * p, frequency=0.3)
    angles = motion_samples(gait.motion(ROBOT), TIMES)[0]
    np.testing.assert_allclose(angles, helix_angles(amplitude, tau, 0.3, TIMES), atol=1e-12)
    # (4.12), solved for radius and pitch, gives them back
    back = 1.0 / (((amplitude / (2 * np.sin(tau * m))) ** 2 + 1) * tau)
    assert back == pytest.approx(p) and amplitude / (2 * np.sin(tau * m)) * back == pytest.approx(r)


@pytest.mark.parametrize("hand", [1.0, -1.0])
def test_joints_of_the_helix_lie_on_it(hand):
    gait = RollingHelix(radius=0.1, pitch=hand * 0.08)
    shape = motion_samples(gait.motion(ROBOT), np.zeros(1))[0][0]
    coil = fit_coil(links_of(ROBOT, shape).place[1:])
    assert coil.radius == pytest.approx(0.1, rel=0.05)
    assert abs(coil.pitch) == pytest.approx(0.08 / (2 * np.pi), rel=0.1)
    mirrored = motion_samples(RollingHelix(radius=0.1, pitch=hand * 0.08, reversal=np.pi).motion(ROBOT), np.zeros(1))
    assert fit_coil(links_of(ROBOT, mirrored[0][0]).place[1:]).pitch == pytest.approx(-coil.pitch)


def test_rolling_winds_into_the_helix_by_its_formula():
    gait = RollIntoHelix(rolling_amplitude=0.3, begin=1.0, winding_time=5.0, frequency=0.3)
    times = np.linspace(0.0, 8.0, 777)
    found = motion_samples(gait.motion(ROBOT), times)
    amplitude, torsion = gait.winding(ROBOT)
    share = np.clip((times - 1.0) / 5.0, 0.0, 1.0)[:, None]
    step = share**3 * (10 - 15 * share + 6 * share**2)
    size = 0.3 + (amplitude - 0.3) * step
    phase = torsion * step * ROBOT.arc_positions - 2 * np.pi * 0.3 * times[:, None]
    np.testing.assert_allclose(found[0], size * np.where(LATERAL, np.cos(phase), np.sin(phase)), atol=1e-10)
    late = times > 6.0
    np.testing.assert_allclose(found[0][late], helix_angles(amplitude, torsion, 0.3, times[late]), atol=1e-12)
    slope = np.gradient(found[0], times, axis=0)
    np.testing.assert_allclose(found[1][1:-1], slope[1:-1], atol=2e-3)
    assert np.abs(np.diff(found[2], axis=0)).max() < 0.15  # no jump of the acceleration


PAIRS = [(a, b) for a in ("sidewinding", "rolling", "rolling_helix", "slithering") for b in MODULAR if a != b]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_between_any_two_gaits_nothing_jumps(one, other):
    first = Lead.first(MODULAR[one](), ROBOT)
    second = first.followed_by(MODULAR[other](), ROBOT, 1.3)
    here = np.array([1.3])
    for before, after in zip(motion_samples(first.motion, here), motion_samples(second.motion, here)):
        np.testing.assert_allclose(before, after, atol=1e-9)


def test_robots_with_too_few_joints_are_told_so():
    with pytest.raises(Unsupported):
        Sidewinding().motion(PlanarSnake())
    with pytest.raises(Unsupported, match="RollingHelix"):
        RollingHelix().motion(Natrix())
    Slithering().motion(Natrix())
    assert Sidewinding().motion(SeaSnake(modules=8)).amplitude.size == 8


def test_a_helix_tighter_than_the_joints_is_refused():
    with pytest.raises(InvalidValue, match=r"radius = 0.03: must be about 0.0815 m or more"):
        RollingHelix(radius=0.03).motion(ROBOT)

"""The movements: smooth, at rest at their ends, and the shapes that their names promise."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import Accordion, Cobra, Formation, Spiral
from serpenoid.kernels.motion import motion_at, motion_samples
from serpenoid.kernels.tree.frames import POSITION
from serpenoid.robots import MovingFrameChain, Natrix, PlanarSnake
from serpenoid_papers.references.moving_frame import frames

MOVEMENTS = [Accordion(), Cobra(hold=0.5), Spiral(travel=1.5), Formation(), Formation(lag=0.1, cycles=1)]
CHAIN = MovingFrameChain()


def placed(angles):
    state = np.zeros(13 + 2 * CHAIN.joints)
    state[3], state[7 : 7 + CHAIN.joints] = 1.0, angles
    return frames(CHAIN.tree(), state)


def body_positions(angles):
    return placed(angles)[:, POSITION : POSITION + 3]


@pytest.mark.parametrize("gait", MOVEMENTS, ids=repr)
def test_starts_and_ends_at_rest_and_straight(gait):
    motion = gait.motion(CHAIN)
    ends = np.array([motion.knots[0], motion.knots[-1] - 1e-12, motion.knots[-1] + 1.0])
    for part in motion_samples(motion, ends):
        assert np.abs(part).max() < 1e-9


@pytest.mark.parametrize("gait", MOVEMENTS, ids=repr)
def test_angle_rate_and_acceleration_have_no_jump(gait):
    motion = gait.motion(CHAIN)
    for segment in range(motion.coefficients.shape[0] - 1):
        sides = []
        for side in (segment, segment + 1):
            parts = np.empty((3, CHAIN.joints))
            motion_at(motion, side, motion.knots[segment + 1], *parts)
            sides.append(parts)
        assert np.abs(sides[0] - sides[1]).max() < 1e-10


@pytest.mark.parametrize("gait", MOVEMENTS, ids=repr)
def test_derivatives_are_those_of_the_angles(gait):
    motion, step = gait.motion(CHAIN), 1e-4
    inside = np.array([0.03, 0.21, 0.5, 0.83])
    times = (motion.knots[:-1, None] + inside * np.diff(motion.knots)[:, None]).ravel()
    before, here, after = (motion_samples(motion, times + shift) for shift in (-step, 0.0, step))
    assert np.abs((after[0] - before[0]) / (2 * step) - here[1]).max() < 1e-6
    assert np.abs((after[1] - before[1]) / (2 * step) - here[2]).max() < 1e-5


def test_accordion_folds_level_and_shortens_the_chain():
    at = body_positions(Accordion(fold=1.2).shape(CHAIN))
    assert np.abs(at[:, 2]).max() < 1e-12
    # Every leg of two modules stands at half the fold to the x axis, the two modules before the first joint do not.
    assert at[-1, 0] == pytest.approx(0.1 + 0.1 * 19 * np.cos(0.6), abs=1e-12)


def test_cobra_raises_its_front_half_upright():
    shape = Cobra(lift=np.pi / 2, bow=np.pi / 2).shape(CHAIN)
    at = body_positions(shape)
    assert np.abs(at[:, 1]).max() < 1e-12
    assert np.abs(at[:11, 2]).max() < 1e-12
    assert at[-1, 2] > 0.4
    # Bowed as far as it was lifted, the head looks along the ground again.
    rotation = placed(shape)[-1, :9].reshape(3, 3)
    assert rotation[:, 0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_spiral_leaves_every_plane():
    at = body_positions(Spiral().shape(CHAIN))
    assert np.linalg.svd(at - at.mean(axis=0), compute_uv=False)[2] > 0.1


def test_formation_turns_back_at_its_amplitude_one_joint_after_the_other():
    gait = Formation(amplitude=0.5, period=2.0, cycles=1, lag=0.125)
    robot = MovingFrameChain(bodies=16)
    angles = motion_samples(gait.motion(robot), np.arange(0.0, 4.0, 0.001))[0]
    assert np.abs(angles[:, 1::2]).max() == 0.0
    for order in range(8):
        peak = np.argmax(angles[:, 2 * order])
        assert peak * 0.001 == pytest.approx(0.5 + 0.25 * order, abs=2e-3)
        assert angles[peak, 2 * order] == pytest.approx(0.5, abs=1e-9)


def test_movements_fit_other_robots():
    assert Accordion().motion(PlanarSnake()).coefficients.shape[2] == PlanarSnake().joints
    assert Spiral().motion(Natrix()).coefficients.shape[2] == Natrix().joints


@pytest.mark.parametrize(
    ("gait", "robot"),
    [(Cobra(), MovingFrameChain(bodies=1)), (Cobra(), PlanarSnake()), (Spiral(), MovingFrameChain(bodies=1))],
)
def test_a_robot_without_the_joints_is_refused(gait, robot):
    with pytest.raises(Unsupported):
        gait.motion(robot)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Cobra(travel=0.0), "travel"), (lambda: Cobra(hold=-1.0), "hold"),
        (lambda: Spiral(curl=float("nan")), "curl"), (lambda: Formation(cycles=0), "cycles"),
        (lambda: Formation(lag=2.0), "lag"), (lambda: MovingFrameChain(bodies=0), "bodies"),
    ],
)  # fmt: skip
def test_bad_values_are_named(make, field):
    with pytest.raises(InvalidValue, match=f"^{field} = "):
        make()

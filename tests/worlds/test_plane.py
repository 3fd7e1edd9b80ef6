"""The plane's media: the paper's numbers, maximum dissipation, and refused input."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.gaits import JointTrajectory, Serpenoid
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.slither import Slither
from serpenoid.worlds import FreeSpace, Plane

CHAIN = PlanarSnake().chain()
WAVE = 2.4 * np.pi  # 1.4 pi from joint to joint of four joints, in the paper's sign


def test_fluid_has_the_numbers_of_the_paper():
    medium = Plane(medium="fluid").medium_record(CHAIN)
    assert medium.longitudinal[0] == pytest.approx(0.157, abs=1e-3)
    assert medium.transverse[0] == pytest.approx(15.0)
    assert medium.added_mass[0] == medium.turning_mass[0] == pytest.approx(3.53, abs=5e-3)
    printed = Plane(medium="fluid", added_mass_velocity_terms=False).medium_record(CHAIN)
    assert printed.added_mass[0] == medium.added_mass[0] and not printed.turning_mass.any()


def test_friction_and_gauss_points():
    medium = Plane(stations=3).medium_record(CHAIN)
    assert medium.transverse[2] == pytest.approx(0.9 * 0.2 * 9.81)
    assert medium.weights.sum() == pytest.approx(1.0)
    assert (medium.weights * medium.points**2).sum() == pytest.approx(1.0 / 12.0)


def test_a_step_is_cut_so_that_the_smoothing_is_carried_and_refused_with_numbers_where_none_would_do():
    assert [Plane(smoothing=eps).substeps(CHAIN, 0.002) for eps in (0.01, 0.005, 0.0005)] == [1, 2, 12]
    with pytest.raises(InvalidValue, match=r"smoothing = 1e-06: must be at least 5.7.*e-06 m/s for a step of 0.002 s"):
        Plane(smoothing=1e-6).substeps(CHAIN, 0.002)
    with pytest.raises(InvalidValue, match="step = 100.* viscous drag"):
        Plane(medium="viscous").substeps(CHAIN, 100.0)


@pytest.mark.parametrize("frequency, smoothing", [(2.0, 0.01), (1.0, 0.005), (0.1, 0.01 / 32), (0.0, 0.01)])
def test_a_smoothing_that_is_left_out_follows_the_gait(frequency, smoothing):
    robot, gait = PlanarSnake(), Serpenoid(0.8, frequency, WAVE)
    motion = gait.motion(robot)
    assert Plane().suited(robot, motion).smoothing == smoothing
    assert Plane().suited(robot, motion) is Plane().suited(robot, motion)  # cells of a sweep share their engine
    for given in (Plane(smoothing=0.02), Plane("viscous")):
        assert given.suited(robot, motion) is given


def test_a_motion_that_is_no_wave_has_a_smoothing_too():
    robot = PlanarSnake(3)
    slow = JointTrajectory(times=(0.0, 10.0), shapes=((0.0, 0.0), (0.5, -0.5)))
    assert Plane().suited(robot, slow.motion(robot)).smoothing < 5e-4


@pytest.mark.parametrize("amplitude, finest, off", [(0.3, 5e-5, 0.01), (0.2, 2e-5, 0.05)])
def test_small_waves_keep_their_speed(amplitude, finest, off):
    """The thrust added by the smoothing falls with the thrust."""

    def speed(smoothing):
        run = Slither(world=Plane(smoothing=smoothing), gait=Serpenoid(amplitude, 2.0, WAVE), duration=3.0)
        return run.summary(run.run())["speed"].value

    converged = speed(finest)
    assert speed(None) == pytest.approx(converged, rel=off)
    assert speed(0.01) > 1.1 * converged


@pytest.mark.parametrize("frequency", [0.1, 0.5])
def test_slow_gaits_keep_the_power_of_dry_friction(frequency):
    def power(smoothing):
        world, duration = Plane(smoothing=smoothing), 1.5 / frequency
        gait = Serpenoid(0.8, frequency, WAVE)
        run = Slither(world=world, gait=gait, duration=duration, settle=0.5 / frequency)
        return run.summary(run.run())["power"].value

    converged = power(1e-4 * frequency / 0.1)
    assert power(None) == pytest.approx(converged, rel=0.01)
    assert power(0.01) < 0.95 * converged  # loss of the coarse one


@pytest.mark.parametrize(
    "field", ["smoothing", "density", "height", "width", "viscous_transverse", "stations", "added_mass_velocity_terms"]
)
def test_bad_fields_are_refused_by_name(field):
    with pytest.raises(InvalidValue, match=field):
        Plane(**{field: -1})


def test_unknown_medium_lists_the_choices():
    with pytest.raises(UnknownName, match="did you mean dry.*box, dry, fluid, inertia_box, viscous"):
        Plane(medium="dri")
    with pytest.raises(InvalidValue, match="gravity"):
        FreeSpace(gravity=1)


@pytest.mark.parametrize(
    ("field", "value"), [("links", 1), ("links", 2.5), ("link_mass", -1.0), ("link_length", np.nan), ("drive", "pd")]
)
def test_bad_snakes_are_refused_by_name(field, value):
    with pytest.raises(InvalidValue, match=field):
        PlanarSnake(**{field: value})

"""The plane's media: the paper's numbers, maximum dissipation, and what is refused."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import FreeSpace, Plane

CHAIN = PlanarSnake().chain()


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


def test_a_smoothing_that_the_step_cannot_carry_is_refused_with_numbers():
    Plane(smoothing=0.01).check_step(CHAIN, 0.002)
    with pytest.raises(InvalidValue, match=r"smoothing = 0.005: must be at least 0.0057.* step of 0.002 s"):
        Plane(smoothing=0.005).check_step(CHAIN, 0.002)
    with pytest.raises(InvalidValue, match="step = 0.1"):
        Plane(medium="viscous").check_step(CHAIN, 0.1)


@pytest.mark.parametrize(
    "field", ["smoothing", "density", "height", "width", "viscous_transverse", "stations", "added_mass_velocity_terms"]
)
def test_bad_fields_are_refused_by_name(field):
    with pytest.raises(InvalidValue, match=field):
        Plane(**{field: -1})


def test_unknown_medium_lists_the_choices():
    with pytest.raises(UnknownName, match="did you mean dry.*box, dry, fluid, viscous"):
        Plane(medium="dri")
    with pytest.raises(InvalidValue, match="gravity"):
        FreeSpace(gravity=1)


@pytest.mark.parametrize(
    ("field", "value"), [("links", 1), ("links", 2.5), ("link_mass", -1.0), ("link_length", np.nan), ("drive", "pd")]
)
def test_bad_snakes_are_refused_by_name(field, value):
    with pytest.raises(InvalidValue, match=field):
        PlanarSnake(**{field: value})

"""Laws of media: each kind has all its parts, and a missing or wrong one is an error at import."""

import runpy

import numpy as np
import pytest

from serpenoid.kernels.compile import bare_kernel
from serpenoid.kernels.planar import media
from serpenoid.worlds import plane

UNKNOWN = len(media.LAWS)


@bare_kernel
def evaluated(medium, out):
    out[0], out[1] = media.force(medium, 0, 0.4, -0.7)
    out[2], out[3], out[4] = media.force_jacobian(medium, 0, 0.4, -0.7)
    out[5], out[6], out[7] = media.force_hessian(medium, 0, 0.4, -0.7, 0.3, -0.2)


def sample(kind):
    return media.make_medium(kind, 1, **{name: np.array([0.6]) for name in media.COEFFICIENTS})


@pytest.mark.parametrize("kind", media.LAWS)
def test_compiled_laws_equal_plain_python(kind):
    out, laws, medium = np.zeros(8), vars(media), sample(kind)
    evaluated(medium, out)
    found = laws["force"](medium, 0, 0.4, -0.7), laws["force_jacobian"](medium, 0, 0.4, -0.7)
    np.testing.assert_allclose(out[:5], np.concatenate(found), rtol=1e-14)
    np.testing.assert_allclose(out[5:], laws["force_hessian"](medium, 0, 0.4, -0.7, 0.3, -0.2), rtol=1e-13)


def test_an_unknown_kind_has_no_force_that_could_be_taken_for_another():
    out = np.zeros(8)
    evaluated(sample(UNKNOWN), out)
    assert np.isnan(out).all()


def test_a_kind_without_formulas_is_an_error(monkeypatch):
    monkeypatch.setitem(media.LAWS, UNKNOWN, media.Law("stribeck", 0.005))
    with pytest.raises(ImportError):
        media.check_law(UNKNOWN, vars(media))


@pytest.mark.parametrize("wrong", ["force", "force_jacobian", "force_hessian"])
def test_a_part_that_does_not_fit_the_others_is_an_error(wrong):
    laws = dict(vars(media))
    law = laws[wrong]
    laws[wrong] = lambda *given: tuple(1.01 * part + 0.01 for part in law(*given))
    with pytest.raises(ImportError):
        media.check_law(media.DRY, laws)


def test_a_law_that_no_plane_describes_is_an_error(monkeypatch):
    monkeypatch.setitem(media.LAWS, UNKNOWN, media.Law("stribeck", 0.005))
    with pytest.raises(ImportError):
        runpy.run_path(plane.__file__)


def test_a_misspelt_coefficient_is_an_error():
    with pytest.raises(TypeError, match="longitudnal"):
        media.make_medium(media.DRY, 3, longitudnal=np.ones(3))

"""Importing the package loads nothing heavy; each library comes with the first thing that needs it."""

import subprocess
import sys

import pytest

HEAVY = ("xarray", "mujoco", "viser", "matplotlib", "zarr", "dask", "scipy.optimize", "pinocchio", "crocoddyl")


def loaded_after(code):
    """Return the heavy libraries loaded by a fresh interpreter after some code."""
    check = f"\nimport sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import serpenoid",
        "import serpenoid as sp; sp.simulate, sp.robots.PlanarSnake(), sp.worlds.Plane(), sp.gaits.Serpenoid()",
        "import serpenoid as sp; sp.analysis.speed, sp.plotting.joints, sp.studio.export_html, sp.Trajectory",
        "import serpenoid.cli",
    ],
    ids=["package", "parts", "tools", "command line"],
)
def test_nothing_heavy_is_loaded(code):
    assert loaded_after(code) == []


def test_the_check_notices():
    assert loaded_after("import matplotlib") == ["matplotlib"]

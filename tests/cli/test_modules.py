"""Classes of a user's module: imported if the user names it, never because a recording does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid

HOPPING = """
from dataclasses import dataclass
from pathlib import Path

from serpenoid.scenarios import SCENARIOS
from serpenoid.scenarios.slither import Slither

Path("imported").touch()


@dataclass(frozen=True)
class Hop(Slither):
    \"\"\"A snake of the user's own that slithers as any other.\"\"\"

    duration: float = 0.2
    settle: float = 0.0


SCENARIOS["hop"] = "hopping:Hop"
"""
SCRIPT = """
from dataclasses import dataclass

import serpenoid as sp


@dataclass(frozen=True)
class Mine(sp.gaits.Serpenoid):
    factor: float = 1.0


if __name__ == "__main__":
    run = sp.simulate(sp.robots.PlanarSnake(), sp.worlds.Plane(), Mine(), duration=0.1)
    run.save("mine.zarr")
    again = sp.repeat(sp.Trajectory.load("mine.zarr"))
    print((again["joint_position"] == run["joint_position"]).all())
"""


SHAPES = """
from dataclasses import dataclass

from serpenoid.control import OwnShape


@dataclass(frozen=True)
class Flat(OwnShape):
    units = {"amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad"}
    amplitude: float = 0.5
    spatial_frequency: float = 9.0
    phase: float = 0.0

    def angle(self, s, lateral, value, integral):
        return value[0]


@dataclass(frozen=True)
class Odd(Flat):
    def angle(self, s, lateral, value, integral):
        return value[0] * self.factor()

    def factor(self):
        return 1.0

    def slopes(self, s, lateral, value, integral, by_value, by_integral):
        by_value[0] = 1.0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hopping.py").write_text(HOPPING)
    (tmp_path / "mine.py").write_text(SCRIPT)
    (tmp_path / "shapes.py").write_text(SHAPES)
    return tmp_path


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder that is not on its path, like an installed command."""
    environment = {**os.environ, "PYTHONPATH": str(Path(serpenoid.__file__).parents[1])}
    return subprocess.run([sys.executable, "-P", *words], cwd=folder, env=environment, capture_output=True, text=True)


def test_a_scenario_of_ones_own_runs_repeats_and_is_shown_only_where_its_module_is_named(folder):
    ran = python(folder, "-m", "serpenoid", "run", "hop", "--module", "hopping", "--out", "hop.zarr")
    assert ran.returncode == 0, ran.stderr
    (folder / "imported").unlink()
    for command in (["run", "--from", "hop.zarr", "--out", "b.zarr"], ["show", "hop.zarr"]):
        refused = python(folder, "-m", "serpenoid", *command)
        assert refused.returncode == 2
        assert "--module hopping" in refused.stderr and refused.stderr.count("\n") == 1
        assert not (folder / "imported").exists()
        done = python(folder, "-m", "serpenoid", *command, "--module", "hopping")
        assert done.returncode == 0, done.stderr
        (folder / "imported").unlink()


def test_worker_processes_find_a_scenario_of_ones_own(folder):
    pytest.importorskip("distributed")
    over = ["--over", "gait.frequency=1,2", "--module", "hopping", "--out", "hop-sweep.zarr"]
    swept = python(folder, "-m", "serpenoid", "sweep", "hop", *over, "--workers", "1")
    assert swept.returncode == 0, swept.stderr
    assert "2 of 2 cells" in swept.stdout and "0 failed" in swept.stdout


@pytest.mark.parametrize(("shape", "why"), [("Flat", "no attribute 'slopes'"), ("Odd", "numba can compile")])
def test_a_bad_shape_function_of_ones_own_is_one_line(folder, shape, why):
    file = 'schema = 1\nscenario = "slithering"\n[controller]\ntype = "shape_compliance"\ngait = "shapes:{}"\n'
    (folder / "run.toml").write_text(file.format(shape))
    ran = python(folder, "-m", "serpenoid", "run", "--from", "run.toml", "--module", "shapes", "--duration", "0.1")
    said = ran.stderr.strip().splitlines()[-1]  # compilation may have been announced before
    assert ran.returncode == 2 and why in said and f"gait = '{shape}'" in said, ran.stderr
    assert said.startswith("serpenoid: ") and "Traceback" not in ran.stderr


def test_a_script_repeats_a_run_with_its_own_gait(folder):
    done = python(folder, "mine.py")
    assert done.stdout.split() == ["True"], done.stderr

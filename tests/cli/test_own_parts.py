"""User-defined gaits, laws, robots, worlds and scenarios on the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import configuration
from serpenoid.cli import main
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.scenarios.base import scenario_of

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "extending.md").read_text(encoding="utf-8")
MODULE = re.search(r'^```python title="mylab.py"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE).group(1)
COMMANDS = re.findall(r"^serpenoid (.*--module mylab.*)$", PAGE, re.MULTILINE)
MORE = """

@dataclass(frozen=True)
class Noisy(Controller):
    \"\"\"A law whose own code warns.\"\"\"

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(position=np.zeros(robot.joints) / np.zeros(1))
"""


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    """Create a folder with the module of the docs page; import it here and forget it afterwards."""
    (tmp_path / "mylab.py").write_text(MODULE + MORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(configuration.classes, "OPENED", [])
    before = dict(SCENARIOS)
    yield tmp_path
    sys.modules.pop("mylab", None)
    SCENARIOS.clear()
    SCENARIOS.update(before)


def run(*words: str) -> int:
    return main(["run", *words, "--module", "mylab", "--duration", "0.1", "--out", "run.zarr"])


@pytest.mark.parametrize("words", COMMANDS)
def test_the_commands_of_the_page_run(words):
    assert main([*words.split(), "--duration", "0.2"]) == 0


@pytest.mark.parametrize("name", ["slither", "undulate", "natrix", "cobra", "climb-pole", "swimming", "sidewinding"])
def test_a_gait_of_ones_own_enters_scenarios_and_comes_back_from_their_recordings(name):
    assert run(name, "--gait", "mylab:Fade", "--gait.amplitude", "0.1") == 0
    again = scenario_of(sp.Trajectory.load("run.zarr"))
    assert type(again).__name__ == find_scenario(name).__name__
    assert (type(again.gait).__name__, again.gait.amplitude) == ("Fade", 0.1)


@pytest.mark.parametrize(
    "words",
    [
        ("slither", "--gait"), ("natrix", "--gait"), ("slither-pegs", "--controller"), ("slither-goal", "--controller"),
        ("roll-to-pole", "--controller"), ("sidewind-pegs", "--controller"), ("sidewind-route", "--controller"),
        ("slithering", "--controller"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_law_of_ones_own_enters_scenarios(words):
    assert run(*words, "mylab:Straighten") == 0


def test_what_is_of_another_kind_is_refused_by_the_field(capsys):
    for field, word in (("world", "mylab:Fade"), ("gait", "mylab:Ice"), ("gait", "mylab:Nothing"), ("gait", "os:path")):
        assert run("sidewinding", f"--{field}", word) == 2
        assert capsys.readouterr().err.startswith(f"serpenoid: {field} = '{word}': must be ")
    assert run("climb-pole", "--world", "mylab:Ice") == 2
    assert "Ice has no radius" in capsys.readouterr().err


def test_only_a_scenario_can_be_registered_as_one(capsys):
    SCENARIOS["odd"] = dict
    assert run("odd") == 2
    assert "SCENARIOS['odd']" in capsys.readouterr().err


def test_a_warning_of_the_users_own_code_keeps_its_place(capsys, lab):
    line = (MODULE + MORE)[: (MODULE + MORE).index("np.zeros(1)")].count("\n") + 1
    assert run("slither", "--gait", "mylab:Noisy") == 0
    assert f"mylab.py:{line}: invalid value" in capsys.readouterr().err


def test_a_notebooks_backend_and_a_terminal_of_ascii_do_no_harm(lab):
    strange = {"MPLBACKEND": "module://no_such_backend", "PYTHONIOENCODING": "ascii"}
    environment = {**os.environ, "PYTHONPATH": str(Path(sp.__file__).parents[1]), **strange}
    words = ["-m", "serpenoid", "run", "slither", "--duration", "0.1", "--plot", "a.png", "--out", "ü.zarr"]
    ended = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert r"\xfc.zarr" in ended.stdout and (lab / "a.png").exists() and (lab / "ü.zarr").exists()

"""What is compiled ahead of a run, and the line that tells of it."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from serpenoid.cli import compile_progress
from serpenoid.cli.compile_progress import CompileNotice, helper_for
from serpenoid.cli.run import times
from serpenoid.configuration import to_plain
from serpenoid.kernels.ilqr.curvature import bend
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.scenarios.ahead import KERNELS, compile_ahead, kernels_of


@pytest.mark.parametrize("name", ["slither", "mpc", "undulate", "push"])
def test_the_steps_of_a_run_can_be_taken_in_another_order(name):
    compile_ahead(find_scenario(name)())


def test_the_parts_of_a_solve_are_those_that_it_takes():
    """Compiled ahead and compiled within a solve have the same signature, or all would be done twice."""
    mpc = find_scenario("mpc")()
    compile_ahead(mpc)
    ahead = set(bend.part.signatures)
    mpc.parts().controller.start(mpc.robot, mpc.control_period, None)
    assert ahead == set(bend.part.signatures)


def test_a_process_takes_scenarios_and_one_that_fails_does_not_end_it():
    plain = [{"type": "nothing:Nothing"}, to_plain(find_scenario("slither")())]
    command = [sys.executable, "-m", "serpenoid.scenarios.ahead"]
    done = subprocess.run(command, input=json.dumps(plain), capture_output=True, text=True, check=True)
    assert "nothing:Nothing" in done.stderr and len(done.stderr.splitlines()) == 1


NEEDED = """
import gc, sys
from serpenoid.cli import main
from serpenoid.kernels.libraries import OnceDispatcher, PartDispatcher
assert main(["run", sys.argv[1], "--duration", "1", "--out", sys.argv[2]]) == 0
entries = [o for o in gc.get_objects() if isinstance(o, OnceDispatcher) and not isinstance(o, PartDispatcher)]
print(sum(len(entry.overloads) for entry in entries))
"""


@pytest.mark.parametrize(
    "name", [name if name == "slither" else pytest.param(name, marks=pytest.mark.full) for name in SCENARIOS]
)
def test_the_number_of_kernels_of_a_run_is_known(name, tmp_path):
    """As many entries as the run has called, compiled or from the cache."""
    words = [sys.executable, "-c", NEEDED, name, str(tmp_path / "run.zarr")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) == KERNELS[name] == kernels_of([find_scenario(name)()])


def test_only_what_another_process_can_import_is_compiled_ahead():
    assert helper_for([]) is None
    assert helper_for([SimpleNamespace()]) is None


def test_the_line_tells_which_kernels_how_many_and_how_long(capsys):
    notice = CompileNotice([find_scenario("slither")(), find_scenario("slither")()])
    begun = SimpleNamespace(kind="numba:compile", data={"dispatcher": SimpleNamespace(__name__="driven_rollout")})
    inside = SimpleNamespace(kind="numba:compile", data={"dispatcher": SimpleNamespace(__name__="media")})
    notice.on_start(begun)
    notice.on_start(inside)
    assert notice.line() == "first start only: compiling driven_rollout; 0 of 5 done, 0 s"
    notice.ahead = "sample_quantities"
    assert "driven_rollout and sample_quantities" in notice.line()
    notice.on_end(inside)
    notice.on_end(begun)
    notice.close()
    assert (notice.done, notice.here) == (1, None)
    assert capsys.readouterr().err.count("first start only") == 1


def test_without_a_terminal_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(compile_progress, "SPARSE", 0.01)
    notice = CompileNotice([])
    elsewhere = SimpleNamespace(kind="serpenoid:wait", data={"dispatcher": SimpleNamespace(__name__="media")})
    notice.on_start(elsewhere)
    printed = ""
    while printed.count("compiling media; 0 done") < 3:
        printed += capsys.readouterr().err
    notice.on_end(elsewhere)
    notice.close()
    assert notice.seconds > 0.0 and notice.done == 0  # it was another process that compiled


def test_a_run_tells_its_own_time_and_that_of_compiling():
    assert times(12.0, 11.4) == "0.60 s (and 11 s of compiling)"
    assert times(0.6, 0.01) == "0.59 s"

"""`serpenoid sweep` and `serpenoid show`: output, figures, invalid input and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from sweep_tools import contents

from serpenoid.cli import main
from serpenoid.scenarios import SCENARIOS

WORDS = ["--over", "gait.frequency=0.5:6:12", "--over", "gait.lag=0:4pi:5", "--over", "medium=dry,viscous"]
SCRIPT = """
import sys
from serpenoid.cli import main
from serpenoid.scenarios import SCENARIOS
SCENARIOS["toy"] = "toy_scenario:Toy"
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setitem(SCENARIOS, "toy", "toy_scenario:Toy")
    monkeypatch.setitem(SCENARIOS, "lanes", "toy_scenario:ToyLanes")


def test_sweep_prints_the_best_cells_and_plots(tmp_path, capsys):
    store = tmp_path / "map.zarr"
    assert main(["sweep", "toy", *WORDS, "--fails-above", "5", "--out", str(store)]) == 0
    printed = capsys.readouterr().out
    assert "120 of 120 cells; chunks: 0 open" in printed and "20 failed" not in printed
    assert "10 cells failed: ArithmeticError: too fast: 6.0 Hz" in printed
    best = printed.split("best cells by largest speed:")[1].splitlines()
    assert best[1].split() == [
        "gait.frequency",
        "gait.lag",
        "medium",
        "speed",
        "[m/s]",
        "power",
        "[W]",
        "noise",
        "fast",
    ]
    assert best[3].split()[:4] == ["5", "0", "dry", "2.397"]
    assert (tmp_path / "map.png").stat().st_size > 10_000
    before = contents(store)
    assert main(["show", str(store), "--best", "power:min", "--plot", str(tmp_path / "other.svg")]) == 0
    assert "smallest power" in capsys.readouterr().out
    assert contents(store) == before


@pytest.mark.parametrize("name", ["toy", "lanes"])
def test_a_sweep_of_which_every_cell_fails_says_so(tmp_path, capsys, name):
    store, words = str(tmp_path / "map.zarr"), ["--over", "gait.frequency=5:6:2", "--fails-above", "1"]
    assert main(["sweep", name, *words, "--out", store]) == 2
    assert capsys.readouterr().out.endswith("every cell failed\n")
    assert main(["show", store]) == 0


def test_a_sample_a_single_axis_and_lanes(tmp_path, capsys):
    words = ["--over", "gait.frequency=log:0.1:10", "--over", "medium=dry,viscous", "--sample", "sobol:64"]
    assert main(["sweep", "lanes", *words, "--out", str(tmp_path / "a.zarr")]) == 0
    assert main(["sweep", "lanes", "--over", "gait.frequency=log:0.1:10:7", "--out", str(tmp_path / "b.zarr")]) == 0
    assert "7 of 7 cells" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["toy"], "over"),
        (["toy", "--over", "gait.frequency"], "FIELD=VALUES"),
        (["toy", "--over", "gait.frequency=1:2"], "gait.frequency = '1.0:2.0': must be start:stop:count"),
        (["toy", "--over", "gait.frequenzy=1:2:3"], "did you mean gait.frequency?"),
        (["toy", "--over", "gait.lag=1:2:3", "gait.lag=2,3"], "given twice"),
        (["toy", "--over", "gait.lag=1:2:3", "--sample", "sobl:10"], "did you mean sobol?"),
        (["toy", "--over", "gait.lag=1:2:3", "--workers", "0"], "workers = 0"),
        (["toy", "--over", "gait.lag=1:2:3", "--workers", "2", "--cluster", "tcp://a:1"], "cluster = "),
        (["toy", "--over", "gait.lag=1:2:3", "--chunk", "0"], "chunk = 0"),
        (["toy", "--over", "gait.lag=1:2:3", "--fail", "2"], "--fail"),
        (["tyo", "--over", "gait.lag=1:2:3"], "did you mean toy?"),
        (["toy", "--over", "gait.lag=1:2:3", "--best", "sped"], "did you mean speed?"),
        (["toy", "--over", "gait.lag=1:2:3", "--best", "speed:most"], "NAME:min"),
        (["toy", "--over", "gait.lag=1:2:3", "--plot", "map.foo"], "--plot map.foo"),
    ],
)
def test_mistakes_end_in_one_line(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", *words]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not (tmp_path / "out" / "toy-sweep.zarr").exists() or "--best" in words  # nothing ran


def test_without_a_path_another_sweep_takes_the_next_free_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for values, name in (("1,2", "toy-sweep"), ("1,3", "toy-sweep-2"), ("1,2", "toy-sweep"), ("1,3", "toy-sweep-2")):
        assert main(["sweep", "toy", "--over", f"gait.frequency={values}"]) == 0
        assert capsys.readouterr().out.startswith(f"out/{name}.zarr: 2 of 2 cells")
    assert len(list((tmp_path / "out").glob("*.zarr"))) == 2
    assert main(["sweep", "toy", "--over", "gait.frequency=1,3", "--out", "out/toy-sweep.zarr"]) == 2
    assert "out/toy-sweep.zarr: " in capsys.readouterr().err


def test_a_misspelt_quantity_is_noticed_at_the_first_chunk_and_costs_nothing_done(tmp_path, capsys):
    command = ["sweep", "toy", *WORDS, "--delay", "0.005", "--out", str(tmp_path / "map.zarr")]
    assert main([*command, "--best", "sped"]) == 2
    done = len(list((tmp_path / "map.zarr" / "chunks" / "marker").glob("c.*")))
    assert 1 <= done <= 4
    assert main([*command, "--best", "power"]) == 0
    assert "120 of 120 cells" in capsys.readouterr().out


def test_help_names_fields_units_and_defaults(capsys):
    assert main(["sweep", "toy", "--help"]) == 0
    text = capsys.readouterr().out
    assert main(["sweep", "--help"]) == 0 and main(["optimise", "--help"]) == 0
    short = capsys.readouterr().out
    for word in (
        "--out ",
        "--best ",
        "--chunk ",
        "sweep NAME --help",
        "optimise NAME --help",
        "NAME: slither",
    ):
        assert word in short
    for word in (
        "--over FIELD=VALUES",
        "--sample",
        "--cluster",
        "--repair",
        "--gait.frequency",
        "[Hz]",
        "[default: 1]",
    ):
        assert word in text


@pytest.mark.parametrize("where", [[], ["--workers", "2"]], ids=["threads", "workers"])
def test_control_c_stops_cleanly_and_the_same_command_goes_on(tmp_path, where):
    script, store = tmp_path / "serpenoid_with_toy.py", tmp_path / "map.zarr"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), "sweep", "toy", *WORDS, "--delay", "0.05", "--out", str(store)]
    process = subprocess.Popen(
        [*command, *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while len(list((store / "chunks" / "marker").glob("c.*"))) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # like a terminal: to every process of the command
    printed, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert error.startswith("stopped") and error.count("\n") == 1
    assert "best cells" in printed and "of 120 cells" in printed and "120 of 120" not in printed
    again = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "120 of 120 cells; chunks: 0 open" in again.stdout

"""Searches: known minima, agreement with scipy, and identical bytes after being killed and continued."""

from __future__ import annotations

import math
import multiprocessing
import signal

import numpy as np
import pytest
from scipy.optimize import differential_evolution
from search_tools import AVERAGE, RANGES, Bowl, run_search, run_search_until_mark
from sweep_tools import contents
from toy_scenario import Toy, Wave

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, UnknownName
from serpenoid.scenarios import SCENARIOS
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps.proposals import beyond, make_search
from serpenoid.sweeps.ranking import pooled
from serpenoid.sweeps.search import order_of


@pytest.fixture(scope="module")
def bowl(tmp_path_factory):
    """Return a search of 72 trials of 4 runs, and its store."""
    store = tmp_path_factory.mktemp("search") / "bowl.zarr"
    return run_search(str(store)), store


def test_it_finds_the_bottom_of_a_bowl(bowl):
    """Check the minimum of the mean over lags against the formula, with one field on a logarithmic scale."""
    found, store = bowl
    assert found.finished and found.unit == "m"
    assert math.isclose(found.trial.fields["gait.frequency"], 3.0, rel_tol=0.1)
    assert math.isclose(found.trial.fields["gait.amplitude"], 0.2, abs_tol=0.05)
    made = sp.sweeps.trials(store)
    assert len(made) == 72 and made[0].fields == pytest.approx({"gait.frequency": 1.0, "gait.amplitude": 0.5})
    assert found.trial.value == min(trial.value for trial in made)
    assert found.scenario.gait == Wave(**{name.partition(".")[2]: v for name, v in found.trial.fields.items()})


def test_values_are_means_over_the_runs(bowl):
    found, store = bowl
    lags = [0.0, 0.5, 1.0, 1.5]
    cells = [Bowl(gait=Wave(**vars(found.scenario.gait) | {"lag": lag})).height() for lag in lags]
    assert math.isclose(found.trial.value, np.mean(cells), rel_tol=1e-12)
    assert math.isclose(found.trial.error, np.std(cells, ddof=1) / 2.0, rel_tol=1e-9)
    data = sp.sweeps.open_sweep(store)  # a search is also a sweep with all cells
    assert data.height.size == 288 and set(data.coords) == {"gait.frequency", "gait.amplitude", "gait.lag"}


def test_it_finds_what_differential_evolution_finds(tmp_path):
    """Check the bowl at a single lag, which tilts it: its minimum is elsewhere and not given by the formula."""
    found = sp.optimise(
        Bowl(), {"gait.frequency": "0.5:6", "gait.amplitude": "0:1"}, "height:min", tmp_path / "tilted.zarr", trials=120
    )
    bounds = [(0.5, 6.0), (0.0, 1.0)]
    theirs = differential_evolution(lambda x: Bowl(gait=Wave(*x)).height(), bounds, seed=1, tol=1e-10)
    assert theirs.fun < found.trial.value + 1e-12 and found.trial.value - theirs.fun < 1e-3
    assert np.allclose(list(found.trial.fields.values()), theirs.x, rtol=0.05, atol=0.02)


def test_the_seed_decides_and_the_number_of_threads_does_not(bowl, tmp_path):
    again = run_search(str(tmp_path / "again.zarr"), threads=3)
    assert contents(tmp_path / "again.zarr") == contents(bowl[1]) and again.trial == bowl[0].trial
    other = run_search(str(tmp_path / "other.zarr"), seed=5, trials=12)
    assert other.trial.fields != sp.sweeps.trials(bowl[1])[other.trial.number].fields


def test_killed_and_continued_it_ends_in_the_same_bytes(bowl, tmp_path):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["search_tools", "cma"])
    store = str(tmp_path / "killed.zarr")
    for count in (1, 9):  # within the first and the third generation
        process = processes.Process(target=run_search_until_mark, args=(store, count))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    run_search(store)
    assert contents(store) == contents(bowl[1])


def test_a_failed_run_makes_its_trial_the_last(tmp_path):
    found = sp.optimise(Toy(fails_above=2.0), {"gait.frequency": "1:10"}, "speed", tmp_path / "fails.zarr", trials=24)
    made = sp.sweeps.trials(tmp_path / "fails.zarr")
    assert any(math.isnan(trial.value) for trial in made) and 1.5 < found.trial.fields["gait.frequency"] <= 2.0
    assert order_of(np.array([1.0, np.nan, 3.0, 1.0]), smallest=False).tolist() == [2.5, 4.0, 1.0, 2.5]
    with pytest.raises(FileProblem, match="all.zarr"):
        sp.optimise(Toy(fails_above=0.5), {"gait.frequency": "1:10"}, "speed", tmp_path / "all.zarr", trials=2)


def test_a_ratio_is_pooled_over_the_runs_of_a_trial(tmp_path):
    """Check against sums over single runs: the ratio of the sums, not the mean of the ratios."""
    store = tmp_path / "ratio.zarr"
    found = sp.optimise(
        Toy(), {"gait.frequency": "0.5:4"}, "power/speed:min", store, {"gait.lag": "0:1.2:4"}, trials=12
    )
    data = sp.sweeps.open_sweep(store)
    power, speed = (data[name].values.reshape(-1, 4) for name in ("power", "speed"))
    values = power.sum(axis=1) / speed.sum(axis=1)
    assert np.allclose([trial.value for trial in sp.sweeps.trials(store)], values, rtol=1e-12)
    assert found.trial.value == pytest.approx(values.min()) and found.unit == "W/m/s"
    with pytest.raises(UnknownName, match="sped"):
        sp.optimise(Toy(), {"gait.frequency": "0.5:4"}, "power/sped", tmp_path / "other.zarr", trials=2)


def test_the_error_of_a_ratio_is_that_of_resampled_runs():
    rng = np.random.default_rng(0)
    columns = np.stack([rng.normal(6.0, 1.0, (1, 400)), rng.normal(2.0, 0.2, (1, 400)), rng.random((1, 400)) < 0.8])
    (value,), (error,) = pooled(columns)
    first, second, third = columns[:, 0]
    assert value == pytest.approx(first.mean() / second.mean() / third.mean())
    rows = rng.integers(400, size=(4000, 400))
    drawn = first[rows].mean(axis=1) / second[rows].mean(axis=1) / third[rows].mean(axis=1)
    assert error == pytest.approx(drawn.std(), rel=0.05)


def test_wide_ranges_are_logarithmic():
    axes = make_search(Toy(), {"gait.frequency": "0.1:10", "gait.amplitude": "0.1:9"}, {}, "speed", 3).axes
    assert axes[0].logarithmic and not axes[1].logarithmic
    assert make_search(Toy(), {"gait.frequency": "log:1:2"}, {}, "speed", 3).axes[0].logarithmic


@pytest.mark.parametrize(
    ("over", "average", "message"),
    [
        ({}, {}, "over"),
        ({"seed": "0:10"}, {}, "seed"),
        ({"gait.frequency": "2:1"}, {}, "gait.frequency = '2:1'"),
        ({"gait.frequency": "1:2:3"}, {}, "low:high"),
        ({"gait.frequency": "1,2"}, {}, "low:high"),
        ({"gait.frequency": "-1:2"}, {}, "gait.frequency = -1.0"),
        ({"gait.speed": "1:2"}, {}, "unknown field 'gait.speed'"),
        ({"medium": "1:2"}, {}, "medium"),
        ({"gait.frequency": "1:2"}, {"gait.lag": "0:1"}, "start:stop:count"),
        ({"gait.frequency": "1:2"}, {"seed": "5:1"}, "seed = '5:1'"),
        ({"gait.frequency": "1:2"}, {"gait.frequency": "1,2"}, "gait.frequency"),
    ],
)
def test_bad_ranges_are_refused_in_one_line(over, average, message):
    with pytest.raises(SerpenoidError, match=message) as error:
        make_search(Toy(), over, average, "speed", 10)
    assert "\n" not in str(error.value)


def test_what_is_given_outside_of_its_range_is_named():
    searches = {"3:5": [("gait.frequency", 2.0)], "1:2": [("gait.frequency", 2.0)], "1:4": []}
    for ends, outside in searches.items():
        assert list(beyond(make_search(Slither(), {"gait.frequency": ends}, None, "speed", 3))) == outside


def test_a_misspelt_quantity_leaves_nothing_behind(tmp_path):
    store = tmp_path / "search.zarr"
    with pytest.raises(UnknownName, match="speed"):
        sp.optimise(Toy(), {"gait.frequency": "1:2"}, "sped", store, trials=4)
    assert not store.exists()
    with pytest.raises(InvalidValue, match="trials"):
        sp.optimise(Toy(), {"gait.frequency": "1:2"}, "speed", store, trials=0)


def test_another_search_is_refused(bowl):
    with pytest.raises(FileProblem, match="sample is cma:72 trials"):
        sp.optimise(Bowl(), RANGES, "height:max", bowl[1], AVERAGE, trials=72)


def test_a_best_trial_at_an_end_is_told_and_another_search_takes_the_next_free_name(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SCENARIOS, "bowl", "search_tools:Bowl")
    words = ["optimise", "bowl", "--over", "gait.frequency=0.1:1", "--trials", "12"]
    for best, name in (("height:min", "bowl-search"), ("height", "bowl-search-2"), ("height:max", "bowl-search-2")):
        assert main([*words, "--best", best]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"out/{name}.zarr: 12 of 12 cells") and "standard error" not in printed
        at_end = "gait.frequency = " in printed and " of 0.1 to 1\n" in printed
        assert at_end or best != "height:min"


def test_the_command_line_prints_plots_and_runs_the_best(bowl, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["show", str(bowl[1]), "--plot", "bowl.png"]) == 0
    printed = capsys.readouterr().out
    assert "72 of 72 trials of 4 runs" in printed and "mean height [m]" in printed
    assert (tmp_path / "bowl.png").stat().st_size > 10_000
    for words, message in (
        (["slither", "--over", "gait.frequency=1:2"], "--best"),
        (["slither", "--over", "gait.frequency=1:2", "--gait.frequency", "1", "--best", "speed"], "either fixed"),
        (["slither", "--over", "gait.frequency", "--best", "speed"], "FIELD=VALUES"),
        (["slither", "--over", "robot.links=3:9", "--best", "speed"], "a field of real numbers"),
        (["slither", "--over", "gait.frequency=1:2", "--best", "speed:top"], "NAME:min"),
    ):
        assert main(["optimise", *words]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()

"""Sweeps in one process: results compared with direct runs, failures, continuation, independence of the grid."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
import xarray
from sweep_tools import CHUNK, OVER, contents
from toy_scenario import Toy, ToyArrivals, ToyLanes

import serpenoid as sp
from serpenoid import sweeps
from serpenoid.configuration import changed
from serpenoid.errors import FileProblem, InvalidValue, UnknownName
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps import executors
from serpenoid.sweeps.executors import Threads

TOY = Toy(fails_above=5.0)


class Reversed(Threads):
    """Executor that runs the last chunks first."""

    def run(self, function, chunks, stopped):
        return super().run(function, list(chunks)[::-1], stopped)


def test_every_cell_is_its_own_run(tmp_path):
    found = sp.sweep(TOY, OVER, tmp_path / "map.zarr")
    assert found.sizes == {"gait.frequency": 12, "gait.lag": 5, "medium": 2}
    assert list(found) == ["speed", "power", "noise", "fast"]
    assert found.speed.attrs["units"] == "m/s" and found["gait.frequency"].attrs["units"] == "Hz"
    for frequency, lag, medium in itertools.product(*(found[name].values for name in OVER)):
        cell = found.sel({"gait.frequency": frequency, "gait.lag": lag, "medium": medium})
        if frequency > 5.0:
            assert np.isnan([cell[name].item() for name in found]).all()
            continue
        fields = {"gait.frequency": float(frequency), "gait.lag": float(lag), "medium": str(medium)}
        scenario = sweeps.cell_scenario(tmp_path / "map.zarr", fields)
        direct = scenario.summary(scenario.run())
        assert [cell[name].item() for name in found] == [float(direct[name].value) for name in found]
        exact = changed(TOY, fields).run()[0]
        assert cell.speed.item() == pytest.approx(exact, abs=1e-9)


def test_chunks_that_are_all_nan_are_no_damage(tmp_path):
    """Check that a chunk of only failed cells has no numbers, and that continuing finds it complete."""
    over = {"gait.frequency": [4.0, 4.5, 5.0, 5.5]}
    sp.sweep(TOY, over, tmp_path / "map.zarr", chunk=2)
    again = sp.sweep(TOY, over, tmp_path / "map.zarr", chunk=2)
    assert np.isnan(again["speed"].values).any()


def test_quantities_that_are_no_number_in_a_whole_chunk_are_no_damage(tmp_path):
    """Check runs that never arrive, which have no arrival time; a store with whole chunks of them can be continued."""
    over = {"gait.frequency": [1.0, 1.2, 2.0, 2.5, 3.0, 3.5]}
    first = sp.sweep(ToyArrivals(), over, tmp_path / "map.zarr", chunk=2)
    again = sp.sweep(ToyArrivals(), over, tmp_path / "map.zarr", chunk=2)
    assert again.equals(first) and np.isnan(again["time"].values).sum() == 4


def test_failed_cells_hold_nan_and_a_reason(tmp_path):
    sp.sweep(TOY, OVER, tmp_path / "map.zarr")
    reasons = list(sweeps.failures(tmp_path / "map.zarr"))
    assert len(reasons) == 2 * 10
    for fields, reason in reasons:
        assert reason == f"ArithmeticError: too fast: {fields['gait.frequency']} Hz"
        assert set(fields) == set(OVER)


def test_results_depend_on_neither_chunks_nor_threads_nor_order(tmp_path):
    first = sp.sweep(TOY, OVER, tmp_path / "a.zarr").load()
    for i, (chunk, executor) in enumerate([(1, Threads(3)), (7, Threads(1)), (1000, Threads(2)), (CHUNK, Reversed(2))]):
        other = sp.sweep(TOY, OVER, tmp_path / f"{i}.zarr", chunk=chunk, executor=executor).load()
        for name in first:
            np.testing.assert_array_equal(other[name].values, first[name].values)
    assert contents(tmp_path / "3.zarr") == contents_with_chunk(tmp_path)


def contents_with_chunk(tmp_path):
    sp.sweep(TOY, OVER, tmp_path / "plain.zarr", chunk=CHUNK, executor=Threads(1))
    return contents(tmp_path / "plain.zarr")


def test_repeated_cells_run_once_and_share_their_noise(tmp_path):
    found = sp.sweep(TOY, OVER, tmp_path / "map.zarr")
    np.testing.assert_array_equal(found.noise.values[:, 0], found.noise.values[:, 4])  # 0 and 4 pi
    np.testing.assert_array_equal(found.noise.values[:, 1], found.noise.values[:, 3])  # pi and 3 pi
    session = sweeps.store.SweepLayout.read(tmp_path / "map.zarr").sessions[0]
    assert (session["cells"], session["runs"]) == (120, 48)


def test_lanes_and_their_failures(tmp_path):
    over = {"gait.frequency": "1,-1,0,2,3,4,5,6", "gait.amplitude": "0.1:1:100"}
    found = sp.sweep(ToyLanes(fails_above=4.5), over, tmp_path / "map.zarr")
    frequency, amplitude = np.meshgrid(found["gait.frequency"], found["gait.amplitude"], indexing="ij")
    expected = np.where((frequency > 0) & (frequency < 4.5), frequency * amplitude, np.nan)
    np.testing.assert_array_equal(found.speed.values, expected)
    reasons = {reason for _, reason in sweeps.failures(tmp_path / "map.zarr")}
    assert reasons == {"simulation diverged"} | {f"gait.frequency = {f}.0: must be above 0" for f in (-1, 0)}


def test_cells_that_break_their_batch_fail_alone(tmp_path):
    found = sp.sweep(ToyLanes(), {"gait.amplitude": "1:12:12", "gait.frequency": "1:2:9"}, tmp_path / "map.zarr")
    assert int(found.speed.isnull().sum()) == 2 * 9
    assert {reason for _, reason in sweeps.failures(tmp_path / "map.zarr")} == {"ValueError: an amplitude above 10 rad"}
    assert {fields["gait.amplitude"] for fields, _ in sweeps.failures(tmp_path / "map.zarr")} == {11.0, 12.0}


def test_failed_cells_are_tried_again_where_asked(tmp_path):
    file = tmp_path / "licence"
    scenario = ToyLanes(needs=str(file))
    found = sp.sweep(scenario, {"gait.frequency": "1:2:3"}, tmp_path / "map.zarr")
    assert list(found) == [] and found.attrs["chunks"] == {"open": 0, "done": 0, "failed": 1}
    file.touch()
    assert list(sp.sweep(scenario, {"gait.frequency": "1:2:3"}, tmp_path / "map.zarr")) == []
    found = sp.sweep(scenario, {"gait.frequency": "1:2:3"}, tmp_path / "map.zarr", retry=True)
    assert found.speed.values.tolist() == [0.5, 0.75, 1.0]


def test_samples_hold_their_own_coordinates(tmp_path):
    over = {
        "gait.frequency": "log:0.1:10",
        "gait.amplitude": "0:1",
        "medium": "dry,viscous",
        "gait.lag": [0.0, math.pi],
    }
    found = sp.sweep(Toy(), over, tmp_path / "s.zarr", sample="sobol:256", chunk=100).load()
    assert found.sizes == {"cell": 256}
    factor = np.where(found["medium"] == "dry", 1.0, 0.5) * np.cos(found["gait.lag"])
    np.testing.assert_allclose(
        found.speed, factor * found["gait.frequency"] * np.sin(found["gait.amplitude"]), atol=1e-9
    )
    assert (found["medium"] == "dry").sum() == 128  # a Sobol sequence is balanced
    assert (found["gait.frequency"] < 1.0).sum() == 128
    other = sp.sweep(Toy(), over, tmp_path / "t.zarr", sample="sobol:256", chunk=13).load()
    assert other.identical(found.assign_attrs(other.attrs))


def test_best_cells_and_front_against_everything_at_once(tmp_path):
    found = sp.sweep(Toy(), OVER, tmp_path / "map.zarr", chunk=7).load()
    top = sweeps.best(tmp_path / "map.zarr", "speed", 5)
    np.testing.assert_array_equal(top.quantities["speed"], np.sort(found.speed.values.ravel())[::-1][:5])
    least = sweeps.best(tmp_path / "map.zarr", "power", 3, smallest=True)
    np.testing.assert_array_equal(least.quantities["power"], np.sort(found.power.values.ravel())[:3])
    speed, power = found.speed.values.ravel(), found.power.values.ravel()
    beaten = [((speed >= s) & (power <= p) & ((speed > s) | (power < p))).any() for s, p in zip(speed, power)]
    line = sweeps.front(tmp_path / "map.zarr", "speed", "power")
    expected = sorted({(p, s) for s, p, lost in zip(speed, power, beaten) if not lost})
    assert list(zip(line.quantities["power"], line.quantities["speed"])) == expected
    for i, index in enumerate(top.indices):
        assert found["gait.frequency"].values[index[0]] == top.fields["gait.frequency"][i]
    with pytest.raises(UnknownName, match="speed"):
        sweeps.best(tmp_path / "map.zarr", "spede")


def test_another_configuration_is_refused_and_the_difference_shown(tmp_path):
    store = tmp_path / "map.zarr"
    sp.sweep(TOY, OVER, store)
    before = contents(store)
    cases = [
        (replace(TOY, fails_above=4.0), OVER, None, "fails_above is 5.0 in the store and 4.0 here"),
        (
            TOY,
            {**OVER, "gait.frequency": "0.5:7:12"},
            None,
            "gait.frequency is 0.5:6:12 in the store and 0.5:7:12 here",
        ),
        (TOY, {**OVER, "medium": "dry"}, None, "medium is dry,viscous in the store and dry here"),
        (TOY, OVER, "sobol:10", "sample is none in the store and sobol:10 here"),
        (TOY, dict(reversed(OVER.items())), None, "order"),
        (ToyLanes(fails_above=5.0), OVER, None, "Toy in the store and"),
    ]
    for scenario, over, sample, words in cases:
        with pytest.raises(FileProblem, match=words):
            sp.sweep(scenario, over, store, sample=sample)
    with pytest.raises(InvalidValue, match="chunk"):
        sp.sweep(TOY, OVER, store, chunk=50)
    assert contents(store) == before


def test_a_field_that_is_new_since_does_not_make_another_sweep():
    from serpenoid.configuration import to_plain
    from serpenoid.scenarios.mpc import PredictiveControl
    from serpenoid.sweeps.access import as_written_now, compare

    ours = {"scenario": json.loads(json.dumps(to_plain(PredictiveControl()))), "over": {}, "sample": None}
    stored = json.loads(json.dumps(ours))
    del stored["scenario"]["world"]["obstacles"]
    assert list(compare(stored, ours)) and not list(compare(as_written_now(stored), ours))


def test_places_that_are_no_sweep_are_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("mine")
    for name in ("file", "folder"):
        with pytest.raises(FileProblem):
            sp.sweep(TOY, OVER, tmp_path / name)
        with pytest.raises(FileProblem):
            sweeps.open_sweep(tmp_path / name)
    with pytest.raises(FileProblem, match="no such"):
        sweeps.open_sweep(tmp_path / "nothing")
    assert (tmp_path / "folder" / "thesis.tex").read_text() == "mine"
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["file", "folder", "thesis.tex"]


def test_a_sweep_can_be_read_while_it_runs(tmp_path):
    seen = []

    def look(status):
        if status.done_here:
            found = sweeps.open_sweep(tmp_path / "map.zarr")
            seen.append((status.done, int(found.speed.notnull().sum()), found.attrs["chunks"]["open"]))

    sp.sweep(Toy(), OVER, tmp_path / "map.zarr", chunk=CHUNK, progress=look)
    assert all(done == known for done, known, _ in seen)
    assert [left for *_, left in seen] == list(range(11, -1, -1))


def test_an_executor_that_fails_by_itself_ends_the_sweep_and_marks_nothing(tmp_path, monkeypatch):
    class Foreign(Threads):
        def submit(self, function, *arguments):
            return super().submit(function.func, *function.args, *arguments, {"serpenoid": "0.0"})

    with pytest.raises(sp.SerpenoidError, match="same versions"):
        sp.sweep(TOY, OVER, tmp_path / "map.zarr", executor=Foreign(1))
    assert sweeps.open_sweep(tmp_path / "map.zarr").attrs["chunks"]["done"] == 0


def test_executors_that_exclude_each_other(tmp_path):
    with pytest.raises(InvalidValue, match="cluster"):
        executors.choose_executor(2, "tcp://127.0.0.1:1")
    with pytest.raises(InvalidValue, match="workers"):
        executors.choose_executor(0)


def test_xarray_opens_a_sweep_without_a_warning_and_units_stand_by_themselves(tmp_path):
    over = {"gait.amplitude": [0.3, 0.4], "gait.frequency": [1.0]}
    mine = sp.sweep(Slither(duration=0.2, settle=0.0), over, tmp_path / "map.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = xarray.open_zarr(tmp_path / "map.zarr")
    assert found.speed.sel({"gait.amplitude": 0.4}).values == mine.speed.sel({"gait.amplitude": 0.4}).values
    for data in (found, mine):
        named = data["gait.amplitude"].attrs
        assert named["units"] == "rad" and "[" not in named["long_name"] and "gait.amplitude" in named["long_name"]

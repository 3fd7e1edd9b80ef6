"""What chunks cost: sizes by steps and substeps, shapes that fill lanes, cheap ones first, stops that do not wait."""

from __future__ import annotations

import time
import warnings

import pytest
from sweep_tools import array_contents
from toy_scenario import Toy, ToyLanes

from serpenoid.configuration import changed
from serpenoid.scenarios import find_scenario
from serpenoid.sweeps import executors, run, sweep
from serpenoid.sweeps.cost import cheap_first, chunk_seconds, corners, price, total_seconds
from serpenoid.sweeps.executors import Threads
from serpenoid.sweeps.plan import AIM, make_plan

SLOW_AND_SMALL = {"gait.frequency": "0.5:3:40", "gait.amplitude": "0.2:1:40"}


def plan_of(name, over, **changes):
    return make_plan(changed(find_scenario(name)(), {key.replace("__", "."): v for key, v in changes.items()}), over)


@pytest.mark.parametrize(
    ("name", "over", "changes", "cells"),
    [
        ("slither", {"gait.offset": "0:0.1:100000"}, {"world__medium": "viscous"}, (512, 1024)),
        ("slither", {"gait.offset": "0:0.1:100000"}, {"world__medium": "fluid"}, (512, 1024)),
        ("slither", {"gait.offset": "0:0.1:100000"}, {}, (512, 1024)),
        ("slither", {"gait.offset": "0:0.1:100000"}, {"duration": 600.0}, (64, 64)),
        ("natrix", {"gait.frequency": "1:2:6400"}, {}, (64, 64)),
        ("slither-pegs", {"world.seed": "0:9999:10000"}, {}, (1, 4)),
        ("sidewinding", {"gait.frequency": "0.1:1:10000"}, {}, (3, 6)),
        ("mpc", {"goal_weight": "0.1:1:10000"}, {}, (1, 2)),
        ("mpc", {"goal_weight": "0.1:1:10000"}, {"duration": 0.5}, (15, 30)),
    ],
)
def test_chunks_are_a_few_seconds_of_work_or_fill_the_lanes_once(name, over, changes, cells):
    plan = plan_of(name, over, **changes)
    low, high = cells
    assert low <= plan.grid.size(0) <= high
    assert chunk_seconds(plan, 0, {}) <= 1.1 * AIM or plan.grid.size(0) in (1, 64)


def test_what_a_run_costs_follows_its_steps_and_how_they_are_cut():
    slither = find_scenario("slither")()
    usual, longer, finer = (
        price(changed(slither, changes), {}).seconds for changes in ({}, {"duration": 12.0}, {"world.smoothing": 1e-5})
    )
    assert longer == pytest.approx(2.0 * usual) and finer > 100.0 * usual
    assert price(Toy(), {}) is None and price(ToyLanes(), {}) is None
    assert corners(slither, make_plan(slither, {"gait.amplitude": "-1:1:3"}, chunk=1).axes)


def test_chunks_lie_so_that_cells_that_are_cut_alike_go_together():
    plan = plan_of("slither", SLOW_AND_SMALL, duration=20.0)
    assert plan.grid.block == (40, 2)  # all frequencies of two amplitudes
    rows = make_plan(plan.scenario, SLOW_AND_SMALL, chunk=64)
    assert rows.grid.block == (2, 40) and total_seconds(plan) < 0.3 * total_seconds(rows)
    turned = plan_of("slither", dict(reversed(SLOW_AND_SMALL.items())), duration=20.0)
    assert turned.grid.block == (2, 40) and total_seconds(turned) == pytest.approx(total_seconds(plan))


def test_cheap_chunks_come_first_and_equal_ones_as_they_lie():
    plan = plan_of("slither", SLOW_AND_SMALL, duration=20.0)
    ordered = cheap_first(plan, list(range(plan.grid.chunks)))
    assert sorted(ordered) == list(range(20)) and ordered[-1] == 0
    assert chunk_seconds(plan, ordered[0], {}) < 2.0 * AIM < chunk_seconds(plan, ordered[-1], {})
    wet = plan_of("slither", SLOW_AND_SMALL, world__medium="viscous")
    assert cheap_first(wet, [3, 1, 2]) == [3, 1, 2]


def test_a_stop_gives_up_what_takes_too_long_and_the_next_session_computes_it(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "PATIENCE", 0.2)
    over, begun, store = {"gait.frequency": "1:6:6"}, time.monotonic(), tmp_path / "map.zarr"

    class Stopped(Threads):
        def run(self, function, chunks, stopped):
            def slowly(chunk):
                time.sleep(20.0 if chunk else 0.0)
                return function(chunk)

            return super().run(slowly, chunks, lambda: time.monotonic() > begun + 0.5)

    found = sweep(Toy(), over, store, executor=Stopped(1), chunk=1)
    assert time.monotonic() - begun < 10.0
    assert found.attrs["chunks"] == {"open": 5, "done": 1, "failed": 0}
    sweep(Toy(), over, store)
    sweep(Toy(), over, tmp_path / "whole.zarr", chunk=1)
    assert array_contents(store) == array_contents(tmp_path / "whole.zarr")


def test_a_store_keeps_the_chunks_that_it_was_begun_with(tmp_path):
    scenario = changed(find_scenario("slither")(), {"duration": 0.1, "world.medium": "viscous"})
    sweep(scenario, {"gait.amplitude": "0.5:1:6"}, tmp_path / "map.zarr", chunk=2)
    assert sweep(scenario, {"gait.amplitude": "0.5:1:6"}, tmp_path / "map.zarr").attrs["chunks"]["done"] == 3


def test_samples_over_cells_that_are_cut_differently_keep_chunks_that_fill_the_lanes():
    over = {"gait.frequency": "0.5:10", "gait.amplitude": "0.3:3"}
    sample = make_plan(changed(find_scenario("slither")(), {"duration": 12.0}), over, "random:60000")
    small = make_plan(sample.scenario, over, "random:60000", chunk=64)
    assert sample.grid.size(0) > 500 and total_seconds(sample) < 0.7 * total_seconds(small)
    alike = make_plan(changed(sample.scenario, {"world.medium": "viscous"}), over, "random:60000")
    assert 256 <= alike.grid.size(0) < 500


def test_a_sweep_of_more_than_a_day_says_so_before_it_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "carry_out", lambda *_: None)
    scenario, over = find_scenario("mpc")(), {"goal_weight": "0.1:1:100000"}
    with pytest.warns(UserWarning, match=r"100000 cells: about 2\.\d days of work on 1 core$"):
        sweep(scenario, over, tmp_path / "long.zarr", executor=Threads(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep(scenario, over, tmp_path / "long.zarr", executor=Threads(1))  # goes on: it was said
        sweep(scenario, {"goal_weight": "0.1:1:10000"}, tmp_path / "short.zarr", executor=Threads(1))

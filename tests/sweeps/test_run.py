"""Sessions of a sweep: prompt stops, stored chunks, a warning before days of computing."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest
from sweep_tools import array_contents
from toy_scenario import Toy

from serpenoid.configuration import changed
from serpenoid.scenarios import find_scenario
from serpenoid.sweeps import executors, sweep
from serpenoid.sweeps.executors import Threads
from serpenoid.sweeps.plan import make_plan


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


class Slow(Threads):
    """Executor of chunks that report a given computing time [s]."""

    def __init__(self, seconds):
        super().__init__(1)
        self.seconds = seconds

    def run(self, function, chunks, stopped):
        return super().run(lambda chunk: function(chunk)._replace(seconds=self.seconds(chunk)), chunks, stopped)


def test_a_sweep_of_which_more_than_a_day_is_left_warns_once(tmp_path):
    over = {"gait.frequency": "1:6:60"}
    with pytest.warns(UserWarning, match="days") as found:
        sweep(Toy(), over, tmp_path / "long.zarr", executor=Slow(lambda chunk: 3e4), chunk=10)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first_compiles = Slow(lambda chunk: 3e6 if chunk == 0 else 1.0)
        sweep(Toy(), over, tmp_path / "short.zarr", executor=first_compiles, chunk=10)


def test_chunks_do_not_depend_on_what_runs_cost():
    slow, fast = (changed(find_scenario("slither")(), {"duration": duration}) for duration in (600.0, 1.0))
    over = {"gait.offset": np.linspace(0.0, 0.1, 6400).tolist()}
    assert make_plan(slow, over).grid == make_plan(fast, over).grid

"""Plans: every cell in exactly one chunk, samples independent of the grid, seeds that belong to the cell."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_scenario import Toy, ToyLanes

from serpenoid.errors import SerpenoidError
from serpenoid.scenarios import find_scenario
from serpenoid.sweeps.chunk_grid import ChunkGrid, block_of
from serpenoid.sweeps.chunks import distinct_rows, scenarios_of, seed_of
from serpenoid.sweeps.plan import MOST_IN_LANES, SampledPoints, make_plan

TABLE_II = {
    "gait.frequency": "0.5:10:39",
    "gait.amplitude": "0.1pi:1.0pi:10",
    "gait.lag": "0.5pi:4.0pi:36",
    "duration": "1:30:30",
    "scatter": "0.001:0.016:16",
}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 200), st.integers(0, 15))
def test_every_cell_lies_in_exactly_one_chunk(shape, target, kept):
    grid = ChunkGrid(tuple(shape), block_of(tuple(shape), [bool(kept >> i & 1) for i in range(len(shape))], target, 8))
    count = np.zeros(shape, dtype=int)
    for chunk in range(grid.chunks):
        count[grid.region(chunk)] += 1
        assert grid.size(chunk) == math.prod(grid.extent(chunk)) > 0
    assert (count == 1).all()


def test_columns_are_the_grid_in_the_order_of_the_arrays():
    plan = make_plan(Toy(), {"gait.frequency": "1,2,3", "gait.amplitude": "4,5", "medium": "dry,viscous"}, chunk=4)
    expected = np.array([str(row) for row in itertools.product((1.0, 2.0, 3.0), (4.0, 5.0), ("dry", "viscous"))])
    found = np.empty((3, 2, 2), dtype=object)
    for chunk in range(plan.grid.chunks):
        rows = [str(row) for row in zip(*plan.columns(chunk).values())]
        found[plan.grid.region(chunk)] = np.array(rows, dtype=object).reshape(plan.grid.extent(chunk))
    assert found.ravel().tolist() == expected.tolist()


def test_table_ii_keeps_its_repeating_axis_whole_and_finds_20_of_36_values():
    plan = make_plan(ToyLanes(), TABLE_II)
    assert plan.grid.cells == 6_739_200
    assert plan.grid.block[2] == 36
    assert plan.grid.size(0) <= 1.5 * MOST_IN_LANES
    rows, where = distinct_rows(plan.reduced(plan.columns(7)))
    assert len(rows) * 36 == len(where) * 20
    assert plan.grid.cells * 20 // 36 == 3_744_000


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_samples_do_not_depend_on_the_grid_of_chunks(method):
    sample = SampledPoints(method, 1000)
    whole = sample.shares(7, 3, 0, 1000)
    pieces = [sample.shares(7, 3, first, min(37, 1000 - first)) for first in range(0, 1000, 37)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    assert whole.shape == (1000, 3) and (whole >= 0).all() and (whole < 1).all()
    assert len(np.unique(whole[:, 0])) == 1000
    assert not np.array_equal(whole, sample.shares(8, 3, 0, 1000))
    np.testing.assert_allclose(whole.mean(axis=0), 0.5, atol=0.05)
    assert abs(np.corrcoef(whole.T) - np.eye(3)).max() < 0.1


@pytest.mark.parametrize("text", ["sobol", "sobol:", "sobol:0", "sobol:-4", "sobol:1e3", "halton:100", "100"])
def test_bad_samples_are_refused(text):
    with pytest.raises(SerpenoidError):
        SampledPoints.parse(text)


def test_seeds_follow_the_cell_and_not_the_order():
    assert seed_of(0, ["a", "b"], (1.0, 2.0)) == seed_of(0, ["b", "a"], (2.0, 1.0))
    seeds = {seed_of(base, ["a"], (value / 7,)) for base in range(3) for value in range(1000)}
    assert len(seeds) >= 2999
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_a_swept_seed_is_the_cells_seed():
    (cell,) = scenarios_of(Toy(), ["seed"], [(5,)])
    assert cell.seed == 5


def test_cells_that_cannot_be_built_say_why():
    good, bad = scenarios_of(Toy(), ["gait.frequency", "gait.amplitude"], [(1.0, 0.2), (-1.0, 0.2)])
    assert good.gait.frequency == 1.0 and good.gait.amplitude == 0.2
    assert bad.reason == "gait.frequency = -1.0: must be above 0"


def test_more_cells_than_a_machine_can_count_are_refused():
    with pytest.raises(SerpenoidError, match="cells"):
        make_plan(Toy(), {"gait.frequency": "1:2:100000", "gait.lag": "1:2:100000"})


def test_chunks_of_runs_that_go_in_lanes_fill_the_lanes_and_others_are_small():
    over = {"gait.frequency": "0.5:10:39", "gait.amplitude": "0.1:1.0:10"}
    slither = make_plan(find_scenario("slither")(), over)
    assert max(slither.grid.size(chunk) for chunk in range(slither.grid.chunks)) > 50
    pegs = make_plan(find_scenario("slither-pegs")(), {"world.seed": "0:389:390"})  # by a law: one by one
    assert max(pegs.grid.size(chunk) for chunk in range(pegs.grid.chunks)) < 10

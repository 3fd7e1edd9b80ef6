"""Figures of sweeps: logarithmic axes with ticks, cell boundaries between values, complete fronts."""

from types import SimpleNamespace

import numpy as np
import pytest
from sweep_tools import Threads
from toy_scenario import Toy

from serpenoid.plotting import sweeps
from serpenoid.sweeps import front, sweep
from serpenoid.sweeps.store import OPEN, SweepLayout


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = tmp_path_factory.mktemp("pictures") / "toy.zarr"
    over = {"gait.frequency": "log:1.1:1.9:5", "gait.amplitude": "0.2:1:4", "medium": "dry,viscous"}
    sweep(Toy(), over, place, executor=Threads(1))
    return place


def test_a_short_logarithmic_axis_has_ticks(store):
    for axes in (sweeps.map_of(store, "speed"), sweeps.slice_of(store, "speed", "gait.frequency")):
        axes.figure.canvas.draw()
        shown = [float(text.get_text()) for text in axes.get_xticklabels() if text.get_text()]
        low, high = axes.get_xlim()
        assert axes.get_xscale() == "log" and len(shown) >= 3 and low <= min(shown) < max(shown) <= high


def test_squares_meet_between_the_values(store):
    layout = SweepLayout.read(store)
    values, places = sweeps.positions(layout, "gait.frequency"), sweeps.edges(layout, "gait.frequency")
    assert places.size == values.size + 1 and (places[:-1] < values).all() and (values < places[1:]).all()
    assert places[1:-1] == pytest.approx(np.sqrt(values[1:] * values[:-1])) and places[0] > 0.0
    assert sweeps.edges(layout, "gait.amplitude")[[0, -1]] == pytest.approx((0.2 - 0.4 / 3, 1.0 + 0.4 / 3))
    axes = sweeps.map_of(store, "speed")
    assert axes.get_xlim() == pytest.approx((places[0], places[-1]))


def test_a_front_is_seen_whole(store):
    layout = SweepLayout.read(store)
    gain, cost = "speed", sweeps.cost_of(store, layout, "speed")
    line = front(store, gain, cost)
    axes = sweeps.front_of(store, gain, cost)
    drawn = axes.lines[-1].get_xydata()
    assert len(drawn) == len(line.indices) > 1
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert (left < drawn[:, 0]).all() and (drawn[:, 0] < right).all()
    assert (bottom < drawn[:, 1]).all() and (drawn[:, 1] < top).all()


def test_no_front_is_drawn_that_holds_one_cell(store, tmp_path):
    sweep(Toy(), {"gait.lag": "0,1"}, tmp_path / "flat.zarr", executor=Threads(1))
    layout = SweepLayout.read(tmp_path / "flat.zarr")
    for name in layout.quantities:
        cost = sweeps.cost_of(tmp_path / "flat.zarr", layout, name)
        assert cost is None or len(front(tmp_path / "flat.zarr", name, cost).indices) > 1
    assert sweeps.overview_figure(tmp_path / "flat.zarr").axes


def test_a_figure_carries_the_name_of_the_scenario():
    plain = {"scenario": {"type": "serpenoid.scenarios.presets:Sidewinding"}}
    layout = SimpleNamespace(
        attributes={"configuration": plain},
        states=lambda: np.array([OPEN, OPEN + 1]),
        grid=SimpleNamespace(cells=8, chunks=2),
    )
    assert sweeps.title_of(layout) == "sidewinding: 8 cells, 50 % computed"

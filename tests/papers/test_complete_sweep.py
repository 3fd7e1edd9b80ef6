"""Whole sweeps of experiments: Ctrl-C ends the experiment, and the next call resumes."""

import signal

import numpy as np
import pytest

from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps import open_sweep
from serpenoid_papers.complete_sweep import complete_sweep


def test_ctrl_c_ends_the_experiment_and_keeps_its_runs(tmp_path):
    scenario, over, store = Slither(duration=0.1, settle=0.0), {"gait.frequency": "0.5:2:24"}, tmp_path / "map.zarr"
    told = []

    def press(status):
        told.append(status.done)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        complete_sweep(scenario, over, store, chunk=2, progress=lambda status: told or press(status))
    begun = open_sweep(store).attrs["chunks"]
    assert begun["open"] > 0
    again = []
    found = complete_sweep(scenario, over, store, chunk=2, progress=lambda status: again.append(status.done_here))
    assert again[-1] == 2 * begun["open"]
    assert np.isfinite(found["speed"]).all()

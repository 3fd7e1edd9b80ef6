"""Energy balance of scenarios with a controller in the loop: it closes to 1e-6 at any sample period."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from serpenoid import analysis
from serpenoid.scenarios.mpc import PredictiveControl
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.scenarios.push import Push
from serpenoid.worlds import Plane

RUNS = {
    **{f"mpc {m}": PredictiveControl(world=Plane(m), duration=0.6, settle=0.2) for m in ("dry", "viscous", "fluid")},
    "stabiliser": NatrixAfloat(duration=0.6, stabilise=True),
    "push": Push(duration=0.3),
}


@pytest.mark.parametrize("sample_period", [0.001, 0.05])
@pytest.mark.parametrize("name", RUNS)
def test_what_comes_in_goes_out_or_stays(name, sample_period):
    run = replace(RUNS[name], sample_period=sample_period).run()
    assert analysis.energy_residual(run) < 1e-6
    assert run["work_absolute"][-1] >= abs(run["work_drive"][-1]) * (1.0 - 1e-9) > 0.0
    assert np.all(np.diff(run["work_absolute"]) >= 0.0)

"""Energy balances of long runs close as those of short ones do, without drift."""

import pytest

from serpenoid import analysis
from serpenoid.configuration import changed
from serpenoid.scenarios import find_scenario

RESIDUAL = 1e-6  # of the energy that passed
TIMES = 20  # as long as the scenario's own duration
RUNS = {
    "dry": ("slither", {"world.medium": "dry"}),
    "viscous": ("slither", {"world.medium": "viscous"}),
    "fluid": ("slither", {"world.medium": "fluid"}),
    "free": ("undulate", {}),
    "afloat": ("natrix", {}),
    "push": ("push", {}),
}


@pytest.mark.full
@pytest.mark.parametrize("name", RUNS)
def test_energy_balances_over_a_long_run(name):
    scenario, changes = RUNS[name]
    usual = find_scenario(scenario)()
    run = changed(usual, {**changes, "duration": TIMES * usual.duration}).run()
    assert run.complete
    assert analysis.energy_balance(run).residual < RESIDUAL

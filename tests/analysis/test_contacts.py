"""Contacts of a run: slip of robots of any weight."""

import numpy as np
import pytest
from runs import made

from serpenoid import analysis
from serpenoid.robots import PlanarSnake


@pytest.mark.parametrize("mass", [0.002, 0.2, 200.0])
def test_slip_counts_contacts_by_the_weight_of_a_link(mass):
    """One contact of a link's weight slips at 0.1 m/s, one that only grazes at 5 m/s."""
    weight, times = 9.81 * mass, np.linspace(0.0, 1.0, 5)
    force = np.zeros((5, 3, 3))
    force[:, 0, 2], force[:, 1, 2], force[:, 2] = weight, 0.05 * weight, np.nan
    slip = np.tile([0.1, 5.0, np.nan], (5, 1))
    run = made(times, touch_force=force, touch_slip=slip)
    assert analysis.contact_slip(run, robot=PlanarSnake(link_mass=mass)) == pytest.approx(0.1)

"""Table texts for events that never happened and unknown values."""

import numpy as np

from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.natrix import NatrixAfloat


def test_a_value_that_is_not_there_has_a_word_and_no_unit():
    assert Quantity(float("nan"), "s", absent="never").formatted() == ("never", "")
    assert Quantity(float("nan"), "Hz").formatted() == ("unknown", "")
    assert Quantity(1.5, "s", absent="never").formatted() == (1.5, "s")
    assert Quantity("a word").formatted() == ("a word", "") and Quantity(False).formatted() == (False, "")


def test_a_robot_that_stays_upright_did_not_capsize():
    times = np.linspace(0.0, 10.0, 401)
    roll = 0.2 * np.sin(times)
    found = NatrixAfloat().measures(times, {"roll": roll, "pitch": roll, "heave": roll})
    shown = {
        name: quantity._replace(value=np.asarray(quantity.value).item()).formatted() for name, quantity in found.items()
    }
    assert shown["capsized_at"] == shown["turned_over_at"] == ("never", "")
    assert shown["largest_roll"][1] == "deg" and shown["capsized"] == ("no", "")

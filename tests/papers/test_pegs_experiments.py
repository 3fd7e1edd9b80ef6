"""Study of the peg boards: the model without inertia is in balance, and wrong numbers do not hold."""

import numpy as np
import pytest

from serpenoid.robots import SeaSnake
from serpenoid.scenarios.base import Quantity
from serpenoid_papers.pegs.boards import MEASURES, StoredRuns, boards
from serpenoid_papers.pegs.criteria import CRITERIA
from serpenoid_papers.pegs.quasi_static import SMOOTH, Wave, body, cycle_of, find_balance

CHAIN = SeaSnake(modules=8).planar_chain().chain
WAVE = Wave(0.8, np.linspace(0.3, 2.0 * np.pi, 4))


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("phase", [0.0, 1.1, 4.0])
def test_the_forces_and_moments_of_all_stations_cancel(power, phase):
    point, rate, load, _ = body(CHAIN, WAVE, phase, 3)
    twist = find_balance(point, rate, load, power, np.zeros(3))
    net, moment, size = np.zeros(2), 0.0, 0.0
    for (x, y), velocity, weight in zip(point, rate, load):
        v = velocity + twist[:2] + twist[2] * np.array([-y, x])
        # a station at rest gives less than its cone
        force = -weight * v / np.hypot(np.hypot(*v), SMOOTH) ** (1.0 - power)
        net, moment, size = net + force, moment + x * force[1] - y * force[0], size + np.hypot(*force)
    assert np.abs(net).max() < 1e-6 * size and abs(moment) < 1e-6 * size


def test_velocities_of_stations_are_those_of_their_places():
    step = 1e-6  # fraction of a cycle
    before, _, _, _ = body(CHAIN, WAVE, 1.0 - np.pi * step, 2)
    after, _, _, _ = body(CHAIN, WAVE, 1.0 + np.pi * step, 2)
    np.testing.assert_allclose(body(CHAIN, WAVE, 1.0, 2)[1], (after - before) / step, atol=1e-7)


def test_viscous_friction_leaves_the_centre_of_mass_in_its_place():
    assert abs(cycle_of(CHAIN, WAVE, power=1.0).way) < 1e-9 < 1e-3 < abs(cycle_of(CHAIN, WAVE).way)


def test_wrong_numbers_do_not_hold():
    holds = {id: criterion.holds for id, criterion in CRITERIA.items()}
    assert holds["G1"]({"creep": 1e-10, "bending": 1e-3}) and not holds["G1"]({"creep": 1e-8, "bending": 1e-3})
    assert not holds["G1"]({"creep": 0.0, "bending": 4e-3}) and not holds["G2"]({"energy": -2e-3})
    assert holds["G3"]({"pairs": 80, "open loop": 78}) and not holds["G3"]({"pairs": 80, "open loop": 77})
    assert holds["G3"]({"pairs": 8, "open loop": 8}) is None
    assert holds["G4"]({"pairs": 80, "amplitude": 4}) and not holds["G4"]({"pairs": 80, "amplitude": 5})
    assert holds["G5"]({"pairs": 80, "amplitude": -0.01}) and not holds["G5"]({"pairs": 80, "amplitude": -0.011})
    p = {"p, stuck, stiff": 0.06, "p, out, stiff": 0.06}
    assert holds["G6"]({"pairs": 80, "a": p}) and not holds["G6"]({"pairs": 80, "a": p | {"p, out, stiff": 0.04}})
    steps = {"open loop": {"inside": True}, "amplitude": {"inside": False}}
    assert holds["G7"]({"runs": 20} | steps) is None and holds["G7"]({"runs": 200} | steps) is False
    assert not holds["S25"]({"explicit_mm_per_cycle": -51.0})
    good = {"engine over model without inertia": {"a": 0.9}, "largest distance with viscous friction [mm]": 0.0}
    assert holds["G9"](good) and not holds["G9"](good | {"largest distance with viscous friction [mm]": 0.2})


def test_runs_that_are_kept_are_not_run_again(tmp_path):
    """Also after a kill in the middle of a line; runs of another solver are separate."""
    asked = []

    def method(run):
        asked.append(run.world.seed)
        return {name: Quantity(run.world.seed + 0.5) for name in MEASURES}

    runs = boards(4, "open loop", 1.0)
    StoredRuns(str(tmp_path)).together("a solver", method, runs[:3])
    file = tmp_path / "runs.jsonl"
    file.write_text(file.read_text()[:-5])
    found = StoredRuns(str(tmp_path)).together("a solver", method, runs)
    assert sorted(asked[:3]) == [0, 1, 2] and sorted(asked[3:])[-1] == 3 and len(asked) == 5
    np.testing.assert_array_equal(found.distance, [0.5, 1.5, 2.5, 3.5])
    StoredRuns(str(tmp_path)).together("a solver", method, runs)
    assert len(asked) == 5
    StoredRuns(str(tmp_path)).together("another", method, runs[:1])
    assert len(asked) == 6

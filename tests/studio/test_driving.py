"""Keys: each changes a field of the controller or reports why not, and steers to the named side."""

import numpy as np
import pytest

from serpenoid import configuration
from serpenoid.control import CentralPatternGenerator, JointAdmittance, OpenLoop
from serpenoid.errors import SerpenoidError
from serpenoid.gaits import Cobra, RollingHelix, Serpenoid, Sidewinding, Undulation
from serpenoid.runtime.samples import log_of
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.studio.driving import ACTIONS, changed_fields, why_not
from serpenoid.studio.live import open_stream

LEFT, RIGHT, FASTER, SLOWER, TIGHTEN, LOOSEN, REVERSE = ACTIONS


def leads(name, **changes):
    """Return the gait or controller of a scenario."""
    return configuration.changed(find_scenario(name)(), changes).parts().controller


def test_keys_move_fields_by_their_names():
    gait = Serpenoid(amplitude=0.5, frequency=1.0, spatial_frequency=2.0, offset=0.0)
    assert changed_fields(gait, FASTER) == {"frequency": pytest.approx(1.145)}
    assert changed_fields(gait, LEFT) == {"offset": pytest.approx(-0.03)}
    assert changed_fields(gait, TIGHTEN) == {"amplitude": pytest.approx(0.555)}
    assert changed_fields(gait, REVERSE) == {"spatial_frequency": -2.0}
    assert changed_fields(Undulation(), REVERSE) == {"spatial_frequency": pytest.approx(-8.7103, abs=1e-4)}
    assert changed_fields(Serpenoid(frequency=0.01), SLOWER) == {"frequency": 0.0}  # not below its limit
    assert changed_fields(lambda observation: None, FASTER) == {}
    assert changed_fields(Sidewinding(), REVERSE) == {"reversal": pytest.approx(np.pi)}
    assert changed_fields(Sidewinding(reversal=np.pi), REVERSE) == {"reversal": 0.0}
    assert changed_fields(Cobra(), FASTER) == {"travel": pytest.approx(2.0 - 4.5 / 20.0)}
    assert changed_fields(RollingHelix(radius=0.1), TIGHTEN)["radius"] < 0.1  # wound tighter
    assert list(changed_fields(CentralPatternGenerator(), TIGHTEN)) == ["gait.amplitude"]
    assert list(changed_fields(JointAdmittance(), FASTER)) == ["shape.gait.frequency"]


def test_keys_act_on_what_leads_and_on_nothing_below_it():
    """Check that keys never change a sensor's bias or the radius of the planner's robot."""
    keys = {name: leads(name) for name in SCENARIOS}
    assert not any(changed_fields(keys["mpc"], action) for action in ACTIONS)
    compliant = keys["roll-to-pole"]
    assert list(changed_fields(compliant, FASTER)) == ["gait.frequency"]
    assert changed_fields(compliant, TIGHTEN) == {"gait.winding": pytest.approx(compliant.gait.winding + 0.07)}
    for name in ("slithering", "linear-progression", "swimming", "slither", "sidewinding", "slither-pegs", "natrix"):
        assert all(changed_fields(keys[name], action) for action in ACTIONS), name
    for name in set(SCENARIOS) - {"mpc", "push"}:
        assert changed_fields(keys[name], FASTER) and changed_fields(keys[name], TIGHTEN), name


def test_steering_goes_through_straight_on_and_back():
    for gait in (Sidewinding(), Sidewinding(reversal=np.pi), OpenLoop(), leads("sidewind-route", gain=0.0)):
        turned = [gait]
        for action in (LEFT, LEFT, RIGHT, RIGHT, RIGHT, LEFT):
            turned.append(configuration.changed(turned[-1], changed_fields(turned[-1], action)))
        assert [law == gait for law in turned] == [True, False, False, False, True, False, True]
    law = leads("sidewind-route", gain=0.0)
    assert changed_fields(law, LEFT) == {"gait.taper": pytest.approx(-0.08)}
    assert changed_fields(Sidewinding(), LEFT)["taper"] == -changed_fields(Sidewinding(reversal=np.pi), LEFT)["taper"]


def test_keys_do_not_steer_controllers_with_their_own_goal():
    for name in ("sidewind-route", "mpc"):
        assert not changed_fields(leads(name), LEFT) and "own goal" in why_not(leads(name), LEFT)
    assert "Cobra" in why_not(Cobra(), RIGHT) and "steer right" in why_not(Cobra(), RIGHT)


@pytest.mark.full
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_key_acts_in_every_scenario_or_says_why_not(name):
    run = open_stream(find_scenario(name)())
    for action in ACTIONS:
        next(run)
        before, changes = run.loop.controller, changed_fields(run.loop.controller, action)
        if not changes:
            line = why_not(before, action)
            assert line and "\n" not in line
            continue
        try:
            for field, value in changes.items():
                run.change(f"controller.{field}", value)
            assert run.loop.controller != before, action.name
        except SerpenoidError as refusal:
            assert str(refusal) and "\n" not in str(refusal)
            assert run.loop.controller == before
    assert np.isfinite(next(run).state).all()


def turn_of(name, changes, action, presses, duration):
    """Return the change of course between both halves of a run with keys pressed at its start [rad]."""
    scenario = configuration.changed(find_scenario(name)(), changes)
    run, places = open_stream(scenario), []
    for i in range(round(duration / scenario.sample_period)):
        if i % 4 == 3 and i < 4 * presses:
            for field, value in changed_fields(run.loop.controller, action).items():
                run.change(f"controller.{field}", value)
        sample = next(run)
        places.append(sample.engine.variables(log_of([sample]))["link_pose"][0, :, :2].mean(axis=0))
    first, second = places[len(places) // 2] - places[len(places) // 5], places[-1] - places[len(places) // 2]
    return float(np.angle(complex(*second) / complex(*first)))


@pytest.mark.full
@pytest.mark.parametrize(("name", "changes", "presses", "duration"), [
    ("slither", {}, 4, 4.0), ("swimming", {}, 4, 6.0), ("sidewinding", {}, 4, 12.0),
    ("sidewinding", {"gait.reversal": np.pi}, 4, 12.0), ("sidewind-route", {"gain": 0.0}, 4, 16.0),
])  # fmt: skip
def test_a_turn_is_to_the_side_that_its_key_names(name, changes, presses, duration):
    """Check that left is anticlockwise, seen from above."""
    left, right = (turn_of(name, changes, action, presses, duration) for action in (LEFT, RIGHT))
    assert left > right + 0.2

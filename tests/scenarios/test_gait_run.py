"""Runs of the modular snake: direction of travel, reversal, and invalid combinations in one line."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused

from serpenoid import analysis
from serpenoid.control import Idle, OpenLoop, ShapeCompliance
from serpenoid.errors import InvalidValue
from serpenoid.gaits import LinearProgression, RollingHelix, Sidewinding, along_body
from serpenoid.robots import PD, Natrix, SeaSnake
from serpenoid.robots.rotations import rotations
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.sanity_checks import remarks
from serpenoid.worlds import Pipeline, Pole, Scene

TIMES = {"duration": 5.0, "settle": 1.0}
NAMES = ("sidewinding", "linear-progression", "rolling", "swimming", "climb-pole", "crawl-pipe")
Sidewinds, Linear, Rolls, Swims, ClimbPole, CrawlPipe = map(find_scenario, NAMES)


def summary_of(scenario):
    found = scenario.summary(scenario.run())
    return {name: quantity.value for name, quantity in found.items()}


@pytest.fixture(scope="module")
def sidewinding():
    return summary_of(Sidewinds(**TIMES))


def test_sidewinding_has_its_speed_and_goes_sideways(sidewinding):
    assert 0.14 <= sidewinding["speed"] <= 0.22
    assert sidewinding["path_speed"] == pytest.approx(sidewinding["speed"], rel=0.05)
    assert 60.0 < abs(sidewinding["direction"]) < 120.0
    assert sidewinding["contact_load"] == pytest.approx(4.067 * 9.81, rel=0.25)
    assert 0.0 < sidewinding["slip"] < sidewinding["speed"]


def test_what_the_books_miss_halves_with_the_step():
    runs = [Sidewinds(duration=1.0, step=step).run() for step in (0.001, 0.0005)]
    coarse, fine = (analysis.energy_residual(run) for run in runs)
    assert fine < coarse < 1e-3 and fine / coarse == pytest.approx(0.5, abs=0.1)
    assert runs[0]["work_contact"][-1] < -1.0


def test_beta_reverses_sidewinding(sidewinding):
    back = summary_of(Sidewinds(gait=Sidewinding(reversal=np.pi), **TIMES))
    turned = abs(back["direction"] - sidewinding["direction"])
    assert turned == pytest.approx(180.0, abs=15.0)
    assert back["speed"] == pytest.approx(sidewinding["speed"], rel=0.1)


def test_rolling_goes_as_fast_as_a_round_body_turns():
    assert summary_of(Rolls(**TIMES))["over_rolling_without_slip"] == pytest.approx(1.0, abs=0.15)


def test_a_snake_with_two_like_halves_rolls_without_turning():
    """Check that a snake of 17 modules, its own mirror image, does not turn (with slow friction, 6 deg per cycle)."""
    axis = analysis.body_axis(Rolls(robot=SeaSnake(modules=17), duration=2.2).run())
    heading = np.degrees(np.unwrap(np.arctan2(axis[:, 1], axis[:, 0])))
    assert abs(heading[110] - heading[10]) < 1.0


def tipped(gait):
    """Return the cosine between the vertical and each link's initial up direction, mean over links, after 3 s."""
    run = Linear(gait=gait, scatter=0.01, seed=1, duration=3.0).run()
    return float(rotations(run["link_pose"][-1, :, 3:])[:, 2, 2].mean())


def test_linear_progression_stands_on_a_line_and_tips_over_unless_it_bends():
    assert tipped(LinearProgression()) < 0.3
    assert tipped(LinearProgression(offset=0.2)) > 0.9


def test_linear_progression_goes_head_first_and_back():
    there = summary_of(Linear(**TIMES))
    back = summary_of(Linear(gait=LinearProgression(**along_body(SeaSnake(), 4.0 * np.pi)), **TIMES))
    assert abs(there["direction"]) < 30.0 and abs(back["direction"]) > 150.0


def test_swimming_goes_head_first_and_has_no_contacts():
    found = summary_of(Swims(duration=2.0, settle=1.0))
    assert found["lengths_per_cycle"] > 0.1 and abs(found["direction"]) < 30.0
    assert "slip" not in found


def test_the_helix_climbs_with_friction_and_falls_without():
    climb = ClimbPole(duration=4.0, settle=2.0)
    found = summary_of(climb)
    assert found["climbed"] > 0.05 and "direction" not in found
    slippery = replace(climb, world=Pole(pole_friction=0.05, start_height=0.5))
    run = slippery.run()
    grip = 0.05 * np.nansum(np.linalg.norm(run["touch_force"][20:40], axis=-1), axis=1).mean()
    assert grip < slippery.robot.mass * 9.81  # friction cannot support the weight
    assert run["center_of_mass"][-1, 2] - run["center_of_mass"][0, 2] < -0.3


def test_a_pipe_is_crawled_head_first():
    found = summary_of(CrawlPipe(duration=4.0, settle=2.0))
    assert found["lengths_per_cycle"] > 0.02 and abs(found["direction"]) < 30.0


def test_walls_that_cannot_be_wound_are_one_line():
    for radius in (0.02, 0.03, 0.04, 0.053):
        with pytest.raises(InvalidValue, match=r"must be at least 0.0532 m") as caught:
            ClimbPole(world=Pole(radius=radius)).run()
        assert caught.value.field == "world.radius"
    with pytest.raises(InvalidValue, match=r"must be at least 0.1464 m") as caught:
        CrawlPipe(world=Pipeline(bore=0.03), gait=RollingHelix(pitch=-0.1)).run()
    assert caught.value.field == "world.bore"


@pytest.mark.parametrize("law", [None, "helix"])
def test_the_least_radius_that_a_refusal_names_is_accepted(law):
    controller = None if law is None else ShapeCompliance.presets()[law]()
    with pytest.raises(InvalidValue) as caught:
        ClimbPole(world=Pole(radius=0.02), controller=controller).parts()
    least = float(str(caught.value).partition("at least ")[2].split()[0])
    assert ClimbPole(world=Pole(radius=least), controller=controller, duration=0.1).run().duration == 0.1
    with pytest.raises(InvalidValue):
        ClimbPole(world=Pole(radius=least - 2e-4), controller=controller).parts()


def test_a_climb_that_does_not_climb_is_remarked_on():
    thin = ClimbPole(world=Pole(radius=0.04), press=0.0, duration=5.0)
    assert any("does not climb" in line for line in remarks(thin.run(), thin))
    thicker = ClimbPole(world=Pole(radius=0.054), duration=5.0)
    assert remarks(thicker.run(), thicker) == []


def test_a_wall_too_wide_to_wind_is_one_line():
    with refused("world.radius"):
        ClimbPole(world=Pole(radius=0.5)).usual_start()
    with refused("world.bore"):
        CrawlPipe(world=Pipeline(bore=0.3)).usual_start()
    with pytest.raises(InvalidValue, match=r"start_height = 3.0: must be below the top, 2 m"):
        Pole(start_height=3.0)


def test_a_gait_that_stands_still_has_no_length_per_cycle():
    climb = ClimbPole(gait=RollingHelix(frequency=0.0), duration=0.1, settle=0.02)
    assert np.isnan(summary_of(climb)["climb_over_rolling_without_slip"])
    still = Sidewinds(gait=Sidewinding(frequency=0.0), duration=0.2, settle=0.1)
    assert np.isnan(summary_of(still)["lengths_per_cycle"])


def test_a_short_run_shortens_what_its_means_leave_out():
    assert Sidewinds().settling(12.0) == 2.0
    short = Sidewinds(duration=0.3)
    assert short.settling(0.3) == pytest.approx(0.1) and short.settling(0.02) == 0.0  # both samples remain
    given = summary_of(Sidewinds(duration=0.3, settle=0.1))
    assert summary_of(short) == pytest.approx(given)


def test_a_controller_takes_the_place_of_the_gait(sidewinding):
    held = summary_of(Sidewinds(controller=OpenLoop(Sidewinding(), rates=True), **TIMES))
    assert held["speed"] == pytest.approx(sidewinding["speed"], rel=0.1)
    assert summary_of(Sidewinds(controller=Idle(), **TIMES))["speed"] < 0.02


def test_other_robots_and_worlds_take_part(tmp_path):
    (tmp_path / "lab.xml").write_text('<mujoco><worldbody><geom type="plane" size="5 5 1"/></worldbody></mujoco>')
    scene = Scene(str(tmp_path / "lab.xml"))
    natrix = Natrix(drive=PD(10.0, 0.2, 5.0))
    run = Sidewinds(robot=natrix, world=scene, controller=Idle(), duration=0.1, settle=0.02)
    assert summary_of(run)["contact_load"] > 0.0


def test_no_drive_exceeds_its_top_speed_by_much():
    run = Sidewinds(duration=1.0).run()
    assert np.abs(run["joint_velocity"]).max() < 1.5 * SeaSnake().speed_limit

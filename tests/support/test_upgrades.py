"""Plain data of older releases: obstacles that stood in the scenario, classes that lived elsewhere."""

import json

from runs import made_run

from serpenoid.cli import main as cli
from serpenoid.configuration import from_plain, to_plain
from serpenoid.robots import PD, PlanarSnake
from serpenoid.scenarios.mpc import PredictiveControl
from serpenoid.support.upgrades import outgrown, upgrade
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Plane, Wall


def older():
    """A planner's scenario as 0.1 wrote it."""
    plain = to_plain(PredictiveControl(robot=PlanarSnake(drive=PD(stiffness=2.0))))
    del plain["world"]["obstacles"]
    plain |= {"discs": [-0.4, 0.25, 0.2], "walls": [-1.0, 0.8, 0.0, 0.8, 0.05]}
    plain["robot"]["drive"]["type"] = "serpenoid.robots.base:PD"
    return plain


def test_obstacles_of_an_older_scenario_stand_in_its_world():
    now = from_plain(upgrade(older()), PredictiveControl)
    assert now.world == Plane(obstacles=(Disc((-0.4, 0.25), 0.2), Wall((-1.0, 0.8), (0.0, 0.8), 0.05)))
    assert now.robot.drive == PD(stiffness=2.0)


def test_what_is_up_to_date_stays_as_it_is():
    plain = upgrade(older())
    assert upgrade(plain) == plain == json.loads(json.dumps(to_plain(from_plain(plain, PredictiveControl))))


def test_a_recording_is_upgraded_as_it_is_opened(tmp_path):
    run = made_run(PlanarSnake(), Plane(), duration=0.1)
    run.attributes["scenario"] = json.dumps(older())
    again = Trajectory.load(run.save(tmp_path / "old.zarr"))
    assert "discs" not in json.loads(again.attributes["scenario"])


def test_fields_of_older_recordings_have_the_names_of_today():
    plain = {"type": "serpenoid.scenarios.natrix:NatrixAfloat", "roll_seed": 0.2}
    assert upgrade(plain) == {"type": "serpenoid.scenarios.natrix:NatrixAfloat", "start_roll": 0.2}
    assert upgrade({"type": "other:Class", "roll_seed": 0.2})["roll_seed"] == 0.2


def test_what_repeats_with_other_numbers_says_so():
    planned = {"controller": {"type": "serpenoid.planning.receding:RecedingHorizon"}}
    drive = {"type": "serpenoid.robots.drives:Prescribed"}
    led = {"robot": {"type": "serpenoid.robots.planar:PlanarSnake", "drive": drive}, "controller": {"type": "own:Law"}}
    assert "planner took steps of first order" in outgrown(1, planned)[0]
    assert "acceleration of prescribed joints" in outgrown(1, led)[0]
    assert not outgrown(2, planned) + outgrown(2, led)
    assert not outgrown(1, led | {"controller": {"type": "serpenoid.gaits.serpenoid:Serpenoid"}})


def test_run_from_an_older_recording_of_the_planner_warns(tmp_path, capsys):
    run = made_run(PlanarSnake(), Plane(), duration=0.1)
    run.attributes |= {
        "schema_version": 1, "scenario": json.dumps(older()),
        "configuration": json.dumps({"controller": {"type": "serpenoid.planning.receding:RecedingHorizon"}}),
    }  # fmt: skip
    path = run.save(tmp_path / "old.zarr")
    assert cli(["run", "--from", str(path), "--nothing", "1"]) == 2  # after it was read
    assert capsys.readouterr().err.count("recorded by release 0.1 (schema 1)") == 1

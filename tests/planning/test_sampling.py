"""Sampling planner: its predictions equal the simulation, its plans repeat, and it frees a snake that is stuck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.control import CentralPatternGenerator, OpenLoop
from serpenoid.control.base import Truth
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.engines.pegs import PegEngine
from serpenoid.engines.prediction import Predictor
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.planning import SamplingPlanner
from serpenoid.planning.felt_map import FeltMap
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.studio.overlays import horizon_of
from serpenoid.worlds import PegBoard, WaterSurface

JAM = PegBoard(seed=700004)  # the gait alone is stuck here
SMALL = SamplingPlanner(samples=6, horizon=0.4, gain=0.0)


def planned(planner=SMALL, duration=0.5, **options):
    return SlitherPegs(world=JAM, controller=planner, duration=duration, **options).run()


@pytest.mark.parametrize("engine", ["pegs", "contact"])
def test_a_prediction_equals_the_run(engine):
    scenario = SlitherPegs(world=JAM, controller=OpenLoop(THESIS_SLITHERING), duration=0.6, sample_period=0.05)
    scenario = replace(scenario, engine=engine)
    kind = sp.engines.find_engine(scenario.robot, scenario.world, engine)(scenario.robot, scenario.world, 0.001)
    plant = SimulatedPlant(kind, 0.01, 0.05)
    law = scenario.law().start(scenario.robot, 0.01, np.random.default_rng(0))
    seen = plant.start(scenario.usual_start(), np.random.default_rng(0))
    for _ in range(30):
        seen = plant.step(law(seen))
    predictor = Predictor(type(kind)(scenario.robot, scenario.world, 0.001))
    ahead = predictor.run(predictor.state(seen), law, 30, 6)
    for _ in range(30):
        seen = plant.step(law(seen))
    # MuJoCo's solver starts cold in the prediction, and chatters at the pegs.
    near, angle = (1e-12, 1e-10) if engine == "pegs" else (1e-4, 2e-3)
    after, joints = predictor.state(seen), kind.layout["joints"]
    np.testing.assert_allclose(ahead.state[joints], after[joints], atol=angle)
    np.testing.assert_allclose(ahead.path[-1], kind.centers(after[None])[0], atol=near)
    np.testing.assert_allclose(ahead.path[-1], seen.truth.needed("center_of_mass")[:2], atol=near)
    assert ahead.good and ahead.law.time == pytest.approx(0.6) and len(ahead.path) == 7
    assert ahead.effort == pytest.approx(kind.layout.part(plant.state, "squares").sum(), rel=1.0)


def test_plans_repeat_on_any_number_of_threads():
    first, again = planned(), planned(replace(SMALL, threads=1))
    clocks = ("solve_time", "solve_processor_time")
    for name in set(first.variables) - set(clocks):
        np.testing.assert_array_equal(first[name], again[name], err_msg=name)
    assert np.isfinite(first["solve_time"]).sum() == 5  # after 0.1, 0.2, 0.3, 0.4 and 0.5 s
    assert len(horizon_of(first.variables, -1 + len(first["plan_path"]))) == 16  # as the studio draws it
    assert first["plan_path"].shape[1:] == (16, 3) and np.abs(first["plan_offset"]).max() > 0.0


def test_it_frees_a_snake_that_its_law_does_not():
    law = replace(OpenLoop(THESIS_SLITHERING), gait=replace(THESIS_SLITHERING, amplitude=0.8, spatial_frequency=7.4))
    stuck = SlitherPegs(world=JAM, controller=law, duration=60.0)
    assert not stuck.summary(stuck.run())["out"].value
    free = replace(stuck, controller=SamplingPlanner(samples=20))
    found = free.summary(free.run())
    assert found["out"].value and found["cycles_per_metre"].value < 2.0


def test_the_goal_decides_the_direction():
    ends = []
    for goal in ((5.0, 0.0), (-5.0, 0.0)):
        run = planned(SamplingPlanner(goal=goal, samples=12, horizon=1.0), duration=4.0)
        ends.append(run["center_of_mass"][-1, 0] - run["center_of_mass"][0, 0])
    assert ends[0] > ends[1] + 0.1


def test_waves_stay_within_their_ranges():
    planner = SamplingPlanner(samples=200, frequency_range=(0.1, 0.2), fresh=0.5)
    drawn = planner.drawn(planner.wave(), np.random.default_rng(1))
    low, high = planner.ranges
    assert (np.abs(drawn[:, 2]) >= 0.1).all() and (np.abs(drawn[:, 2]) <= 0.2).all() and (drawn[:, 2] < 0.0).any()
    others = [0, 1, 3]
    assert (drawn[:, others] >= low[others]).all() and (drawn[:, others] <= high[others]).all()
    forward = replace(planner, reverse=False)
    assert (forward.drawn(forward.wave(), np.random.default_rng(1))[:, 2] >= 0.1).all()


def test_the_felt_map_contains_touched_pegs_alone():
    felt = FeltMap(JAM)
    assert len(felt.board().pegs()) == 0
    nowhere = Truth({"touch_point": np.full((4, 3), np.nan)})
    beside = JAM.pegs()[7] + np.array([JAM.peg_radius, 0.0])
    assert not felt.touch(nowhere) and felt.touch(Truth({"touch_point": np.array([[*beside, 0.03]])}))
    np.testing.assert_allclose(felt.board().pegs(), JAM.pegs()[[7]])
    assert not felt.touch(Truth({"touch_point": np.array([[*beside, 0.03]])}))
    run = planned(replace(SMALL, map="felt"))
    assert np.isfinite(run["plan_path"][-1]).all()
    with pytest.raises(Unsupported, match="map felt needs a peg board"):
        FeltMap(WaterSurface())


def test_a_late_plan_does_not_stop_a_run_in_real_time():
    slow = SamplingPlanner(samples=60, horizon=1.5, interval=0.01, threads=1)
    run = planned(slow, duration=0.3, realtime=True)
    assert run["plan_late"][-1] > 0 and np.isfinite(run["command_position"]).any()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"interval": 0.2, "horizon": 0.1}, "interval"),
        ({"amplitude_range": (1.0, 0.5)}, "amplitude_range"),
        ({"law": THESIS_SLITHERING}, "law"),
        ({"law": SamplingPlanner()}, "law"),
        ({"samples": 0}, "samples"),
    ],
)
def test_wrong_fields_are_named(fields, named):
    with pytest.raises(InvalidValue) as caught:
        SamplingPlanner(**fields)
    assert caught.value.field == named


@pytest.mark.parametrize(("field", "value"), [("interval", 0.015), ("step", 0.003), ("horizon", 0.333)])
def test_periods_must_fit(field, value):
    with pytest.raises(InvalidValue) as caught:
        planned(replace(SamplingPlanner(), **{field: value}))
    assert caught.value.field == field


def test_every_wave_law_can_be_planned():
    run = planned(
        replace(SMALL, law=CentralPatternGenerator(), offset_range=(0.0, 0.0), spatial_frequency_range=(6.5, 12.0))
    )
    assert np.isfinite(run["plan_amplitude"]).all()


def test_engines_that_do_not_run_laws_are_refused(capsys):
    with pytest.raises(Unsupported, match="engine planar"):
        sp.simulate(sp.robots.PlanarSnake(), sp.worlds.Plane(), SamplingPlanner(), 0.1)
    assert main(["run", "slither-pegs", "--controller", "sampling_planner", "--controller.interval", "9"]) == 2
    assert "interval" in capsys.readouterr().err
    assert issubclass(PegEngine, sp.engines.base.Engine)

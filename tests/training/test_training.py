"""Training: strategies, the store, and refused input."""

import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.control import Learned, LearnedJoints, Network, OpenLoop
from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.scenarios import find_scenario
from serpenoid.sweeps.executors import Threads
from serpenoid.training import Search, make_known_task, make_task, train
from serpenoid.training.strategies import CovarianceAdaptation, RandomSearch
from serpenoid.training.task import normalisation, parse_goal

SMALL = Search(generations=4, population=3, runs=2, check_every=2, check_runs=2, width=0.5)


def swimming(**search):
    """Return a task of a few seconds of swimming."""
    policy = LearnedJoints(joints=2, inputs=("position", "velocity"), output="torque", size=150.0)
    scenario = replace(find_scenario("swimmer")(), controller=policy, duration=2.0, scatter=0.3)
    return make_task(scenario, "return", {"seed": "10:90"}, {}, replace(SMALL, **search))


def contents(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("algorithm", ["ars", "cma"])
def test_resumed_training_on_other_threads_has_the_same_bytes(algorithm, tmp_path):
    """1, 2 and 8 threads, once interrupted after a generation, give one store."""
    task = swimming(algorithm=algorithm)
    stores = []
    for threads in (1, 2, 8):
        path = tmp_path / f"{threads}.zarr"
        if threads == 8:

            def stop(state):
                if state.generation == 2:
                    raise KeyboardInterrupt

            with Threads(2) as executor, pytest.raises(KeyboardInterrupt):
                train(task, path, executor, stop)
            assert not (path / "finished" / "c.2").exists()
        with Threads(threads) as executor:
            found = train(task, path, executor)
        stores.append(contents(path))
    assert stores[0] == stores[1] == stores[2]
    assert found.finished and np.isfinite(found.value)


@pytest.mark.full
def test_training_killed_at_any_time_resumes_to_the_same_bytes(tmp_path):
    """SIGKILL during a generation and while its arrays are written, by the command."""
    sizes = "--generations=8 --population=4 --runs=2 --check_every=2 --check_runs=2 --duration=2 --jobs=2"
    words = [sys.executable, "-m", "serpenoid", "learn", "swimmer", *sizes.split()]
    whole, killed = tmp_path / "whole.zarr", tmp_path / "killed.zarr"
    subprocess.run([*words, "--out", whole], check=True, capture_output=True)
    kills = 0
    for generation, pause in ((0, 0.0), (1, 0.02), (3, 0.005), (5, 0.0)):
        process = subprocess.Popen([*words, "--out", killed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (killed / "finished" / f"c.{generation}").exists():
            time.sleep(0.001)
        time.sleep(pause)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
    assert kills >= 3
    subprocess.run([*words, "--out", killed], check=True, capture_output=True)
    assert contents(killed) == contents(whole)


def test_trained_policy_gives_its_checked_return(tmp_path):
    """The result is a scenario whose runs on the draws of the check have the reported mean."""
    task = swimming(algorithm="ars")
    with Threads(1) as executor:
        found = train(task, tmp_path / "store.zarr", executor)
    seeds = [draw["seed"] for draw in task.drawn(1, 0, 2)]
    runs = [replace(found.scenario, seed=seed) for seed in seeds]
    assert np.mean([run.summary(run.run())["return"].value for run in runs]) == pytest.approx(found.value, rel=1e-12)
    assert not found.scenario.controller.record_inputs


def test_store_of_another_training_is_refused(tmp_path):
    """The line names the difference; a damaged store is not continued."""
    path = tmp_path / "store.zarr"
    with Threads(1) as executor:
        train(swimming(), path, executor)
        with pytest.raises(FileProblem, match="another training: search.width is 0.5 in the store and 0.7 here"):
            train(swimming(width=0.7), path, executor)
        file = path / "returns" / "c.1.0"
        file.write_bytes(file.read_bytes()[:-1] + b"x")
        with pytest.raises(FileProblem, match="damaged"):
            train(swimming(), path, executor)


def test_random_search_agrees_with_its_formula():
    """Update from the best directions, divided by the deviation of their returns."""
    start = np.array([1.0, -2.0, 0.5])
    strategy = RandomSearch(start, seed=4, directions=5, best=2, width=0.1, step=0.3)
    candidates = strategy.ask()
    drawn = (candidates[:5] - start) / 0.1
    np.testing.assert_allclose(candidates[5:], start - 0.1 * drawn, atol=1e-15)
    returns = np.array([3.0, 1.0, -2.0, 0.5, 9.0, 2.0, 8.0, -1.0, 0.0, 4.0])
    strategy.tell(returns)
    pairs = sorted(((max(returns[i], returns[i + 5]), i) for i in range(5)), reverse=True)[:2]
    kept = [i for _, i in pairs]
    spread = np.std([returns[i] for i in kept] + [returns[i + 5] for i in kept])
    slope = sum((returns[i] - returns[i + 5]) * drawn[i] for i in kept)
    np.testing.assert_allclose(strategy.center, start + 0.3 / (2 * spread) * slope, rtol=1e-12)


@pytest.mark.parametrize("make, close", [
    (lambda start: RandomSearch(start, 0, 8, 4, 0.1, 0.2), 0.5),  # its steps do not shrink
    (lambda start: CovarianceAdaptation(start, 0, 12, 0.3), 0.05),
])  # fmt: skip
def test_strategies_climb_a_hill(make, close):
    """The maximum of a quadratic, 2 away in one direction, is found although some returns are NaN."""
    top = np.array([1.0, -0.5, 2.0, 0.0])
    strategy = make(np.zeros(4))
    for number in range(120):
        returns = -((strategy.ask() - top) ** 2).sum(axis=1)
        if number % 10 == 0:
            returns[3] = np.nan
        strategy.tell(returns)
    assert np.abs(strategy.center - top).max() < close


def test_normalisation_is_that_of_all_inputs():
    """Mean and deviation from the moments of two runs, against the inputs themselves."""
    rng = np.random.default_rng(0)
    runs = [rng.normal(2.0, 3.0, (40, 2)), rng.normal(-1.0, 0.5, (70, 2))]
    moments = sum(np.concatenate([[len(x)], x.sum(axis=0), (x**2).sum(axis=0)]) for x in runs)
    mean, scale = normalisation(moments)
    np.testing.assert_allclose(mean, np.concatenate(runs).mean(axis=0))
    np.testing.assert_allclose(scale, np.concatenate(runs).std(axis=0))


def test_all_candidates_have_the_same_draws_and_generations_fresh_ones():
    """Boards of training are never those below 1000000."""
    task = make_known_task("pegs")
    first, second, checks = task.drawn(0, 0, 16), task.drawn(0, 1, 16), task.drawn(1, 0, 16)
    seeds = [draw["world.seed"] for draws in (first, second, checks) for draw in draws]
    assert len(set(seeds)) == 48 and min(seeds) >= 1_000_000
    assert first == task.drawn(0, 0, 16)


def test_goals_are_weighted_quantities():
    """NAME, NAME:min and NAME=WEIGHT."""
    assert parse_goal("out=60,time=-1,power:min,speed") == {"out": 60.0, "time": -1.0, "power": -1.0, "speed": 1.0}


@pytest.mark.parametrize("law", ["torque", "position"])
def test_fused_planar_runs_equal_runs_tick_by_tick(law, monkeypatch):
    """The planar engine runs a law in its compiled rollout as the loop does."""
    from serpenoid.runtime.plants import SimulatedPlant

    scenario = find_scenario("swimmer")()
    weights = (0.4, -2.0, 1.5, -1.0, -0.1, -2.0, 1.0, 0.7)
    policy = LearnedJoints(output=law, size=150.0 if law == "torque" else 1.0, network=Network(weights=weights))
    robot = scenario.robot
    if law == "position":
        robot = replace(robot, drive=replace(robot.drive, stiffness=300.0, damping=30.0))
    scenario = replace(scenario, controller=policy, robot=robot, duration=3.0, scatter=0.2)
    fused = scenario.run()
    monkeypatch.setattr(SimulatedPlant, "can_fuse", lambda plant, law: False)
    ticked = scenario.run()
    for name in ("link_pose", "joint_velocity", "joint_torque", f"command_{law}"):
        np.testing.assert_allclose(fused[name], ticked[name], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "words, line",
    [
        (["learn", "pegs", "--generations", "0"], "generations = 0: must be a whole number from 1"),
        (["learn", "peg"], "unknown task or scenario 'peg'"),
        (["learn", "slither"], "Slither has no controller"),
        (["learn", "slither-pegs", "--goal", "out"], "controller = "),
        (["learn", "slither-pegs", "--policy", "wave"], "--goal needs a value"),
        (["learn", "pegs", "--policy", "deep"], "unknown policy 'deep'"),
        (["learn", "pegs", "--draw", "world.density=1,2"], "A:B, a range"),
        (["learn", "pegs", "--jobs", "0"], "jobs = 0"),
        (["learn", "pegs", "--controller.joints", "7", "--generations", "1"], "joints = 7: must be 9"),
    ],
)
def test_command_refuses_in_one_line(words, line, tmp_path, monkeypatch, capsys):
    """Exit code 2, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert line in (told := capsys.readouterr().err) and told.count("\n") == 1
    assert not list(tmp_path.rglob("*.zarr"))


def test_command_writes_a_controller_that_runs(tmp_path, monkeypatch, capsys):
    """Store, policy and figure; `run --controller` opens the policy."""
    monkeypatch.chdir(tmp_path)
    sizes = "--generations=2 --population=4 --runs=1 --check_runs=1 --duration=1 --jobs=1"
    small = sizes.split()
    assert main(["learn", "swimmer", *small]) == 0
    assert (tmp_path / "out/swimmer-learn.png").stat().st_size > 1000
    assert main(["run", "swimmer", "--duration", "1", "--controller", "out/swimmer-learn.toml"]) == 0
    assert "speed" in capsys.readouterr().out


def test_unknown_goal_and_failing_runs_are_named(tmp_path):
    """A quantity that the summary lacks, and a policy whose every run fails."""
    task = swimming()
    with Threads(1) as executor:
        with pytest.raises(SerpenoidError, match="unknown quantity 'happiness'"):
            train(replace(task, goal=(("happiness", 1.0),)), tmp_path / "a.zarr", executor)
        broken = replace(task.scenario, start=replace(task.scenario.start, joint_position=(9.0, 9.0, 9.0)))
        with pytest.raises(SerpenoidError, match="every run failed"):
            train(replace(task, scenario=broken), tmp_path / "b.zarr", executor)


def test_only_policies_are_trained():
    """Another controller is refused, as is a scenario without one."""
    with pytest.raises(SerpenoidError, match="a policy"):
        make_task(find_scenario("slither-pegs")(controller=OpenLoop()), {"out": 1.0}, {})
    assert isinstance(make_known_task("pegs").policy, Learned)

"""Parts of environments beyond angles and targets: set points, contact, accelerometers, sensor errors, fresh draws."""

import re
from dataclasses import replace

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from serpenoid.configuration import changed  # noqa: E402
from serpenoid.control import Controller, ShapeCompliance  # noqa: E402
from serpenoid.control.base import Command  # noqa: E402
from serpenoid.engines.base import Log  # noqa: E402
from serpenoid.errors import InvalidValue, UnknownName  # noqa: E402
from serpenoid.kernels.laws.shape import shape_places  # noqa: E402
from serpenoid.learning import Environment, JointTargets, LearningTask, SetPoints, VectorEnvironment  # noqa: E402
from serpenoid.robots import SeaSnake  # noqa: E402
from serpenoid.robots.sensors import Sensor, Sensors  # noqa: E402
from serpenoid.scenarios import find_scenario  # noqa: E402
from serpenoid.scenarios.slither_pegs import SlitherPegs  # noqa: E402

REWARD = {"distance": 1.0}
JOINTS = ("joint_position", "joint_velocity", "joint_torque")


def among_pegs(scenario=None, **fields):
    """Return a task among pegs that observes the joints."""
    given = {"actions": JointTargets(1.2), "observations": JOINTS, "reward": REWARD} | fields
    return LearningTask(scenario or SlitherPegs(control_period=0.02), **given)


def steps_of(environment, actions):
    """Return the observations (steps, ...) of a run from seed 3."""
    environment.reset(seed=3)
    return np.array([environment.step(action)[0] for action in actions])


def test_noise_and_bias_have_the_deviations_of_the_sensors_and_leave_the_motion_alone():
    exact = SlitherPegs(control_period=0.02)
    sensors = Sensors(
        joint_position=Sensor(noise=0.01), joint_velocity=Sensor(bias=0.2), joint_torque=Sensor(resolution=0.5)
    )
    noisy = replace(exact, robot=SeaSnake(sensors=sensors))
    actions = np.random.default_rng(1).uniform(-0.5, 0.5, (40, 16, 9))
    seen = [steps_of(VectorEnvironment(among_pegs(each, wide=True), 16, threads=1), actions) for each in (exact, noisy)]
    error = (seen[1] - seen[0]).reshape(40, 16, 3, 9)
    assert error[:, :, 0].std() == pytest.approx(0.01, rel=0.05)
    assert np.ptp(error[:, :, 1], axis=0).max() < 1e-12
    assert error[0, :, 1].std() == pytest.approx(0.2, rel=0.2)
    np.testing.assert_allclose(seen[1][..., 18:] / 0.5, np.rint(seen[0][..., 18:] / 0.5), atol=1e-9)


def test_late_sensors_are_refused():
    robot = SeaSnake(sensors=Sensors(delay=0.02))
    with pytest.raises(InvalidValue, match=r"robot.sensors.delay = 0.02: must be 0 in environments"):
        Environment(among_pegs(SlitherPegs(robot=robot, control_period=0.02)))


def test_skin_forces_are_those_of_the_engine_on_each_piece():
    """One step per tick, so that the last step begins at the previous state."""
    scenario = SlitherPegs(control_period=0.001)
    environment = Environment(among_pegs(scenario, observations=("skin_force",)))
    environment.reset(seed=1)
    stepper = environment.stepper
    engine, worst, largest = stepper.engine, 0.0, 0.0
    for tick in range(1500):
        action = 0.7 * np.sin(2.0 * np.pi * (0.002 * tick - np.arange(9) / 9.0))
        before = stepper.rows.state[0].copy()
        environment.step(action.astype(np.float32))
        if tick % 50:
            continue
        target = np.full((1, engine.robot.joints), np.nan)
        target[0, engine.moving] = stepper.rows.target[0]
        unknown = np.full_like(target, np.nan)
        log = Log(np.zeros(1), before[None], Command(target, unknown, unknown, unknown))
        pieces, _, touches = engine.survey(log)
        force = np.zeros((10, 2))
        for touch in touches[0][~np.isnan(touches[0, :, 0])]:
            piece = int(touch[0])
            c, s = np.cos(pieces[0, piece, 2]), np.sin(pieces[0, piece, 2])
            force[piece] += c * touch[3] + s * touch[4], c * touch[4] - s * touch[3]
        worst = max(worst, np.abs(environment.readings()["skin_force"] - force.ravel()).max())
        largest = max(largest, np.abs(force).max())
    assert largest > 1.0 and worst < 1e-9 * largest


class Targets(Controller):
    """A controller that commands given targets and stores the readings of the head's accelerometer."""

    def __init__(self, targets):
        self.targets, self.felt = targets, []

    def start(self, robot, period, rng):
        def law(observation):
            self.felt.append(observation.accelerometer[0].copy())
            tick = min(len(self.felt), len(self.targets)) - 1
            return Command.empty(robot.joints)._replace(position=self.targets[tick])

        return law


@pytest.mark.full
@pytest.mark.parametrize("name", ["sidewinding", "natrix-afloat"])
def test_accelerometer_is_that_of_the_head_in_a_simulation(name):
    """Against the readings of a controller in the loop, which robots/imus.py computes."""
    scenario = find_scenario(name)(control_period=0.02)
    task = LearningTask(scenario, JointTargets(0.3, around_start=True), ("accelerometer",), {"time": 1.0}, wide=True)
    environment = Environment(task)
    seen = [environment.reset(seed=0)[0]]
    angles, targets = environment.readings()["joint_position"], []
    for tick in range(30):
        action = 0.5 * np.sin(0.2 * tick + np.arange(environment.action_space.shape[0]))
        seen.append(environment.step(action.astype(np.float32))[0])
        targets.append(environment.stepper.rows.target[0].copy())
    from serpenoid.simulation import simulate

    robot, world, _ = scenario.parts()
    law = Targets(targets)
    initial = replace(scenario.initial(), joint_position=tuple(angles.tolist()))
    simulate(robot, world, law, 0.6, initial=initial, step=scenario.step, control_period=0.02, sample_period=0.02,
             engine=getattr(scenario, "engine", None))  # fmt: skip
    np.testing.assert_allclose(np.array(seen[1:30]), np.array(law.felt[1:30]), atol=1e-6)


def compliant(**fields):
    """Return a scenario with a compliant controller among pegs."""
    return SlitherPegs(control_period=0.02, controller=ShapeCompliance.presets()["slithering_aw"](), **fields)


def test_set_points_at_nominal_values_are_the_controller_alone():
    scenario = compliant()
    gait = scenario.controller.gait
    middle = {"amplitude": gait.amplitude, "spatial_frequency": gait.spatial_frequency}
    actions = SetPoints({name: (value - 0.2, value + 0.2) for name, value in middle.items()}, regions=3)
    environment = Environment(among_pegs(scenario, actions=actions, wide=True))
    count = environment.action_space.shape[0]
    seen = steps_of(environment, np.zeros((100, count)))
    run = replace(scenario, duration=2.0, sample_period=0.02).run()
    moving = environment.stepper.engine.moving
    np.testing.assert_allclose(seen[:, :9], run["joint_position"][1:101][:, moving], atol=1e-9)
    assert count == sum(3 if p.windows else 1 for p in scenario.controller.in_order if p.name in middle)


def test_windows_take_the_set_point_of_their_part_of_the_body():
    """A window in the front half of the body has the first set point, one in the rear half the second."""
    scenario = changed(compliant(), {"controller": compliant().controller.rigid()})
    actions = SetPoints({"amplitude": (0.2, 0.8)}, regions=2)
    environment = VectorEnvironment(among_pegs(scenario, actions=actions), 2, threads=1)
    environment.reset(seed=0)
    for _ in range(300):
        environment.step(np.array([[-1.0, 1.0], [1.0, 0.0]], dtype=np.float32))
    stepper = environment.stepper
    law = stepper.parts[0].points.first.law
    at = shape_places(law)
    for row, (front, rear) in enumerate([(0.2, 0.8), (0.8, 0.5)]):
        memory = stepper.memory[row]
        edges = memory[at.edges + law.windows.slots :][: int(memory[at.count + 1])]
        first = int(memory[at.first + 1])
        here = [c for c, (a, b) in enumerate(zip(edges, edges[1:])) if a > 0.05 and b < law.last - 0.05]
        p = [parameter.name for parameter in scenario.controller.in_order].index("amplitude")
        for c in here:
            slot = (first + c) % law.windows.slots
            shift = memory[at.shift + p * law.windows.slots + slot] + law.admittance.nominal[p]
            wanted = front if 0.5 * (edges[c] + edges[c + 1]) < 0.5 * law.last else rear
            assert shift == pytest.approx(wanted)
        assert len(here) >= 1


@pytest.mark.parametrize(
    "actions, error, text",
    [
        (SetPoints({"happiness": (0.0, 1.0)}), UnknownName, "unknown shape parameter 'happiness'"),
        (SetPoints({}), InvalidValue, "at least one parameter"),
        (SetPoints({"amplitude": (0.0, 1.0)}, regions=0), InvalidValue, "actions.regions = 0"),
    ],
)
def test_wrong_set_points_are_refused(actions, error, text):
    with pytest.raises(error, match=re.escape(text)):
        Environment(among_pegs(compliant(), actions=actions))


def test_set_points_need_a_compliant_controller():
    with pytest.raises(InvalidValue, match="ShapeCompliance"):
        Environment(among_pegs(actions=SetPoints({"amplitude": (0.0, 1.0)})))


FRESH = {"world.seed": (0, 2**30), "world.friction": (0.1, 0.6)}


def fresh(count, threads):
    """Return environments whose episodes of six steps draw their own boards."""
    task = among_pegs(ranges=FRESH, variants=0, time_limit=0.12, wide=True)
    return VectorEnvironment(task, count, threads=threads, autoreset_mode="SameStep")


def test_fresh_draws_do_not_depend_on_other_environments_or_threads():
    actions = np.random.default_rng(5).uniform(-1.0, 1.0, (20, 20, 9))
    whole = steps_of(fresh(20, 1), actions)
    np.testing.assert_array_equal(whole, steps_of(fresh(20, 2), actions))
    np.testing.assert_array_equal(whole[:, :3], steps_of(fresh(3, 1), actions[:, :3]))


def test_every_episode_has_its_own_board_and_runs_on_it():
    environment = fresh(2, 1)
    environment.reset(seed=7)
    boards, stepper = [], environment.stepper
    for tick in range(24):
        scenario = stepper.scenarios[stepper.rows.variant[1]]
        if tick % 6 == 0:
            boards.append((scenario.world.seed, scenario.world.friction))
            alone = Environment(among_pegs(scenario, wide=True))
            alone.reset(seed=0)
            assert scenario == stepper.task.variant(8, tick // 6)
        action = np.full((2, 9), 0.3 * np.sin(tick))
        environment.step(action)
        expected, *_ = alone.step(action[1])
        if tick % 6 != 5:  # else the next episode has started
            np.testing.assert_array_equal(stepper.rows.observation[1], expected)
    assert len(set(boards)) == 4

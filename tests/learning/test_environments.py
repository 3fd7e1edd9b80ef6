"""Contract of every registered environment, and what all of them must refuse."""

import re
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from serpenoid.errors import InvalidValue, SerpenoidError, UnknownName, Unsupported  # noqa: E402
from serpenoid.learning import Environment, JointTargets, JointTorques, VectorEnvironment, WaveFields, ids  # noqa: E402
from serpenoid.robots import PD, PlanarSnake  # noqa: E402
from serpenoid.scenarios.slither import Slither  # noqa: E402

CHEAP = ("Serpenoid/Swimmer-v0", "Serpenoid/SlitherFluid-v0", "Serpenoid/Pegs-v0")
FULL = [pytest.param(name, marks=() if name in CHEAP else pytest.mark.full) for name in ids()]


def actions_of(environment, count, steps, seed=5):
    """Return actions (steps, environments, actions) within the space."""
    size = environment.single_action_space.shape[0]
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, count, size)).astype(np.float32)


def run(environment, actions, seed=3):
    """Return observations, rewards and ends of a run."""
    first, _ = environment.reset(seed=seed)
    rows = [environment.step(action)[:4] for action in actions]
    return [first, *(part for row in rows for part in row)]


@pytest.mark.parametrize("name", FULL)
def test_gymnasium_accepts_the_environment(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", FULL)
def test_rows_are_bitwise_the_same_for_any_number_of_environments_and_threads(name):
    steps, row = 30, 17
    wide = gymnasium.make_vec(name, num_envs=40, threads=1, autoreset_mode="SameStep")
    actions = actions_of(wide, 40, steps)
    whole = run(wide, actions)
    for threads in (2, 8):
        again = gymnasium.make_vec(name, num_envs=40, threads=threads, autoreset_mode="SameStep")
        for one, other in zip(whole, run(again, actions)):
            np.testing.assert_array_equal(one, other)
    few = run(gymnasium.make_vec(name, num_envs=row + 1, threads=1, autoreset_mode="SameStep"), actions[:, : row + 1])
    for one, other in zip(whole, few):
        np.testing.assert_array_equal(one[row], other[row])
    single = gymnasium.make(name)
    seen, _ = single.reset(seed=3 + row)
    np.testing.assert_array_equal(seen, whole[0][row])
    for i, action in enumerate(actions):
        seen, reward, ended, late, _ = single.step(action[row])
        assert (reward, ended, late) == tuple(whole[4 * i + k][row] for k in (2, 3, 4))
        if ended or late:
            break
        np.testing.assert_array_equal(seen, whole[4 * i + 1][row])


def test_seeds_repeat_and_differ():
    one, other = gymnasium.make("Serpenoid/Swimmer-v0"), gymnasium.make("Serpenoid/Swimmer-v0")
    first = one.reset(seed=4)[0]
    np.testing.assert_array_equal(first, other.reset(seed=4)[0])
    np.testing.assert_array_equal(one.reset()[0], other.reset()[0])
    assert np.abs(first - one.reset(seed=5)[0]).max() > 1e-3


def short(mode, count=3):
    """Return environments whose episodes take 4 steps."""
    scenario = Slither(step=0.002, control_period=0.02)
    return VectorEnvironment(
        scenario, count, reward={"rate(center_of_mass[0])": 1.0}, observations=("time", "joint_position"),
        time_limit=0.08, autoreset_mode=mode, threads=1,
    )  # fmt: skip


def test_next_step_autoreset_ignores_the_action_after_the_end():
    environment = short(AutoresetMode.NEXT_STEP)
    environment.reset(seed=1)
    still = np.zeros((3, 4))
    ends = [environment.step(still) for _ in range(6)]
    assert [bool(end[3].all()) for end in ends] == [False, False, False, True, False, False]
    assert ends[3][0][0, 0] == pytest.approx(0.08) and ends[4][0][0, 0] == 0.0 and ends[4][1][0] == 0.0
    assert ends[5][0][0, 0] == pytest.approx(0.02)
    assert ends[3][4]["episode"]["l"].tolist() == [4, 4, 4] and ends[3][4]["reason"].tolist() == [2, 2, 2]


def test_same_step_autoreset_returns_the_last_observation_apart():
    environment = short(AutoresetMode.SAME_STEP)
    environment.reset(seed=1)
    for _ in range(3):
        environment.step(np.zeros((3, 4)))
    seen, _, ended, late, info = environment.step(np.zeros((3, 4)))
    assert late.all() and not ended.any() and (seen[:, 0] == 0.0).all()
    assert [last[0] for last in info["final_obs"]] == pytest.approx([0.08] * 3)


def test_without_autoreset_ended_environments_are_reset_by_a_mask():
    environment = short(AutoresetMode.DISABLED)
    environment.reset(seed=1)
    for _ in range(4):
        environment.step(np.zeros((3, 4)))
    with pytest.raises(InvalidValue, match="called after reset"):
        environment.step(np.zeros((3, 4)))
    seen, _ = environment.reset(options={"reset_mask": np.array([True, True, True])})
    assert (seen[:, 0] == 0.0).all()


@pytest.mark.parametrize("bad", [np.nan, 1.5, -np.inf], ids=str)
def test_bad_actions_never_reach_the_physics(bad):
    environment = short(AutoresetMode.NEXT_STEP)
    environment.reset(seed=1)
    actions = np.zeros((3, 4))
    before = environment.stepper.rows.state.copy()
    actions[1, 2] = bad
    with pytest.raises(InvalidValue, match=r"^action = .*: must be a number from -1 to 1$"):
        environment.step(actions)
    np.testing.assert_array_equal(environment.stepper.rows.state, before)
    with pytest.raises(InvalidValue, match=r"action = .*must be an array \(3, 4\)"):
        environment.step(actions[0])


REWARD = {"rate(center_of_mass[0])": 1.0}


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        ({"observations": ("accelerometer",)}, UnknownName, "unknown observations 'accelerometer'"),
        ({"observations": ("joint_position[9]",)}, InvalidValue, "a component from 0 to 3"),
        ({"observations": ("joint_position[\u00b2]",)}, InvalidValue, "a reading, or one component"),
        ({"observations": (f"joint_position[{'9' * 5000}]",)}, InvalidValue, "a reading, or one component"),
        ({"observations": ()}, InvalidValue, "at least one name"),
        ({"reward": {"rate(center_of_mass)": 1.0}}, InvalidValue, "one component"),
        ({"reward": {"time": np.inf}}, InvalidValue, "reward.time = inf: must be"),
        ({"num_envs": 0}, InvalidValue, "num_envs = 0: must be"),
        ({"threads": 0}, InvalidValue, "threads = 0: must be"),
        ({"ranges": {"world.no": (0, 1)}}, UnknownName, "world.no"),
        ({"actions": WaveFields({"amplitud": (0.0, 1.0)})}, UnknownName, "amplitud"),
        ({"autoreset_mode": "never"}, InvalidValue, "autoreset_mode = 'never': must be one of NextStep"),
        ({"render_mode": "human"}, InvalidValue, "rgb_array or None"),
        ({"nonsense": 1}, UnknownName, "nonsense"),
        ({"noise": -1.0}, InvalidValue, "noise = -1.0: must be at least 0"),
        ({"time_limit": np.inf}, InvalidValue, "time_limit = inf: must be a finite number"),
        ({"discount": 1.5}, InvalidValue, "discount = 1.5: must be above 0"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_tasks_are_refused_in_one_line(wrong, error, text):
    with pytest.raises(error, match=re.escape(text)) as refused:
        VectorEnvironment(Slither(step=0.002, control_period=0.02), **({"reward": REWARD} | wrong))
    assert "\n" not in str(refused.value) and isinstance(refused.value, SerpenoidError)


def test_a_reward_that_overflows_is_reported_by_its_environment():
    environment = short(AutoresetMode.NEXT_STEP)
    environment.stepper.record.weight[0] = np.inf
    environment.reset(seed=1)
    with pytest.raises(InvalidValue, match="reward of environment 0 = .*: must be a finite number"):
        environment.step(np.full((3, 4), 0.5))


@pytest.mark.parametrize("make, field", [
    (lambda: JointTargets(np.nan), "reach = nan"), (lambda: JointTorques(np.inf), "most = inf"),
    (lambda: WaveFields({"amplitude": (0.0, np.nan)}), "actions.ranges.amplitude = nan"),
    (lambda: WaveFields({"amplitude": (0.0, 1.0)}, {"offset": np.nan}), "actions.fixed.offset = nan"),
])  # fmt: skip
def test_sizes_of_actions_that_are_not_finite_are_refused(make, field):
    """They would multiply good actions to NaN targets."""
    with pytest.raises(InvalidValue, match=f"^{re.escape(field)}.*: must be"):
        make()


def test_prescribed_joints_are_refused():
    from serpenoid.robots import Prescribed

    with pytest.raises(Unsupported, match="use robot.drive pd"):
        Environment(Slither(robot=PlanarSnake(drive=Prescribed())), reward=REWARD)


def test_a_wave_is_followed_and_a_range_of_fields_is_drawn():
    environment = VectorEnvironment(
        Slither(robot=PlanarSnake(drive=PD(10.0, 0.2, 5.0)), step=0.002, control_period=0.02), 32, reward=REWARD,
        actions=WaveFields({"amplitude": (0.0, 1.0)}, {"frequency": 1.0, "spatial_frequency": 2.4 * np.pi}),
        observations=("joint_position", "center_of_mass"), ranges={"world.friction_transverse": (0.3, 0.9)},
        variants=4, threads=1,
    )  # fmt: skip
    environment.reset(seed=2)
    for _ in range(50):
        seen, reward, *_ = environment.step(np.full((32, 1), 0.4))
    variant = environment.stepper.rows.variant
    assert set(variant) == {0, 1, 2, 3}
    speeds = [seen[variant == k][0] for k in range(4)]
    assert all(np.ptp(seen[variant == k], axis=0).max() == 0.0 for k in range(4))
    assert np.abs(speeds[0] - speeds[1]).max() > 1e-4
    assert np.abs(seen[:, :4]).max() == pytest.approx(0.7, abs=0.25)


def test_actions_are_targets_of_the_joints():
    environment = Environment(
        Slither(robot=PlanarSnake(drive=PD(20.0, 0.3, 20.0)), step=0.002, control_period=0.02), reward=REWARD,
        actions=JointTargets(0.8),
    )  # fmt: skip
    environment.reset(seed=0)
    for _ in range(100):
        seen, *_ = environment.step(np.array([0.5, -0.5, 0.25, 0.0], dtype=np.float32))
    np.testing.assert_allclose(seen[:4], [0.4, -0.4, 0.2, 0.0], atol=0.02)

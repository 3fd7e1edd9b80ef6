"""Learned policies: against slow references, their mirror symmetry, their files."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.control import Learned, LearnedJoints, Network
from serpenoid.control.files import read_controller, write_controller
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError
from serpenoid.kernels.laws.tick import Sensed, law_tick
from serpenoid.robots import SeaSnake
from serpenoid.scenarios.swimmer import SWIMMER

PERIOD, TICKS, NO_IMU = 0.01, 60, np.zeros((0, 3))
SNAKE = SeaSnake()
INPUTS = (
    "load", "drag", "error_load", "rate_drag", "load_front", "drag_rear", "load_mean", "effort", "drag_slow",
    "effort_slow", "place", "speed", "amplitude", "wave",
)  # fmt: skip
OUTPUTS = ("amplitude", "wave", "yielding", "phase", "speed")


def wave_policy(hidden=0, seed=3, **fields):
    size = Network(hidden=hidden).size(len(INPUTS), len(OUTPUTS))
    weights = np.random.default_rng(seed).normal(0.0, 0.2, size)
    return Learned(
        inputs=INPUTS, outputs=OUTPUTS, network=Network(hidden=hidden, weights=tuple(weights.tolist())), **fields
    )


def targets(policy, robot, readings, period=PERIOD):
    """Return the targets (ticks, joints) for readings (ticks, 3, joints)."""
    law, found = KernelLaw(policy, robot, period), []
    for tick, row in enumerate(readings):
        law_tick(law.record, law.memory, Sensed(period * tick, *row.copy(), NO_IMU, NO_IMU), law.target)
        found.append(law.target.copy())
    return np.array(found)


def readings(joints, ticks=TICKS, seed=1):
    return np.random.default_rng(seed).normal(0.0, 1.0, (ticks, 3, joints)) * np.array([0.5, 1.0, 3.0])[:, None]


class NaiveWave:
    """The wave policy as a Python loop over named values, with filters by small explicit steps."""

    def __init__(self, policy, robot):
        self.p, self.joints = policy, list(robot.yaw_joints)
        self.n = len(self.joints)
        self.s = np.array([(robot.arc_positions[j] - robot.arc_positions[0]) for j in self.joints])
        self.s /= (robot.arc_positions[-1] - robot.arc_positions[0]) * robot.joints / (robot.joints - 1)
        self.phase = policy.gait.spatial_frequency * self.s - policy.gait.phase
        self.x = {name: np.zeros((2, self.n)) for name in ("amplitude", "wave", "yielding")}
        self.slow, self.r, self.torque, self.begun = np.zeros(3), 1.0, np.zeros(self.n), False
        self.target = self.angles()

    def angles(self):
        angle = (self.p.gait.amplitude + self.x["amplitude"][0]) * np.sin(self.phase)
        return np.clip(angle + self.x["yielding"][0] * self.torque, -self.p.angle_limit, self.p.angle_limit)

    def tick(self, q, dq, tau):
        if self.begun:
            self.advance(q[self.joints], dq[self.joints], -tau[self.joints] / 5.0)
            self.target = self.angles()
        self.begun = True
        return self.target

    def advance(self, q, dq, torque):
        up, along, self.torque = np.sin(self.phase), np.cos(self.phase), torque
        error = self.target - q
        own = {"load": torque * up, "drag": torque * along, "error_load": error * up, "error_drag": error * along,
               "rate_load": dq * up, "rate_drag": dq * along}  # fmt: skip
        known = dict(own)
        for name, row in own.items():
            known[f"{name}_front"] = np.append(0.0, row[:-1])
            known[f"{name}_rear"] = np.append(row[1:], 0.0)
        body = np.array([own["load"].mean(), own["drag"].mean(), np.abs(torque).mean()])
        self.slow += (1.0 - np.exp(-PERIOD / self.p.memory)) * (body - self.slow)
        known |= dict(zip(("load_mean", "drag_mean", "effort"), body))
        known |= dict(zip(("load_slow", "drag_slow", "effort_slow"), self.slow))
        known |= {"place": 2.0 * self.s - 1.0, "speed": self.r, "amplitude": self.x["amplitude"][0].copy(),
                  "wave": self.x["wave"][0] / self.p.gait.spatial_frequency}  # fmt: skip
        inputs = np.array([np.broadcast_to(known[name], self.n) for name in self.p.inputs])
        outputs = dict(zip(self.p.outputs, self.network(inputs)))
        for k, name in enumerate(("amplitude", "wave", "yielding")):
            self.follow(self.x[name], outputs[name], self.p.rates[k], self.p.damping[k])
        for k, name in enumerate(("amplitude", "wave")):
            nominal = self.p.gait.nominal(name) if name == "amplitude" else self.p.gait.spatial_frequency
            low, high = self.p.low[k] - nominal, self.p.high[k] - nominal
            beyond = (self.x[name][0] < low) | (self.x[name][0] > high)
            self.x[name][1][beyond] = 0.0
            self.x[name][0] = np.clip(self.x[name][0], low, high)
        self.r = float(np.clip(1.0 + outputs["speed"].mean(), -1.0, 1.0))
        self.turn(outputs["phase"])

    def network(self, inputs):
        n = self.p.network
        weights, wide = np.array(n.weights), len(inputs) + 1
        if n.hidden:
            first = weights[: n.hidden * wide].reshape(n.hidden, wide)
            inputs, weights = np.tanh(first @ np.vstack([inputs, np.ones(self.n)])), weights[n.hidden * wide :]
        return weights.reshape(len(self.p.outputs), -1) @ np.vstack([inputs, np.ones(self.n)])

    def follow(self, x, wanted, rate, ratio, pieces=4000):
        """Integrate x'' = rate^2 (wanted - x) - 2 ratio rate x' by the midpoint rule."""
        h = PERIOD / pieces

        def slope(value, speed):
            return speed, rate**2 * (wanted - value) - 2.0 * ratio * rate * speed

        for _ in range(pieces):
            v, a = slope(x[0], x[1])
            v, a = slope(x[0] + 0.5 * h * v, x[1] + 0.5 * h * a)
            x += h * np.array([v, a])

    def turn(self, extra):
        omega = 2.0 * np.pi * self.p.gait.frequency
        rate = extra - omega * self.r
        wave = self.p.gait.spatial_frequency + self.x["wave"][0]
        for i in range(self.n):
            if i > 0:
                lag = wave[i - 1] * (self.s[i] - self.s[i - 1])
                rate[i] += self.p.coupling * np.sin(self.phase[i - 1] - self.phase[i] + lag)
            if i + 1 < self.n:
                lag = wave[i] * (self.s[i + 1] - self.s[i])
                rate[i] += self.p.coupling * np.sin(self.phase[i + 1] - self.phase[i] - lag)
        rate += np.clip(rate.mean(), -omega, omega) - rate.mean()
        self.phase = self.phase + PERIOD * rate


@pytest.mark.parametrize("hidden", [0, 4])
def test_wave_policy_agrees_with_a_slow_reference(hidden):
    """Every input and output, linear and with a hidden layer."""
    policy, given = wave_policy(hidden), readings(SNAKE.joints, 25)
    naive = NaiveWave(policy, SNAKE)
    wanted = np.array([naive.tick(*row) for row in given])
    found = targets(policy, SNAKE, given)[:, list(SNAKE.yaw_joints)]
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_limits_hold_and_do_not_slow_filters():
    """A constant output is reached exactly, or stops at the limit."""
    policy = Learned(inputs=("load",), outputs=("amplitude", "wave"), network=Network(weights=(0.0, 0.2, 0.0, 9.0)))
    law = KernelLaw(policy, SNAKE, PERIOD)
    nothing = np.zeros(SNAKE.joints)
    for _ in range(2000):
        law_tick(law.record, law.memory, Sensed(0.0, nothing, nothing, nothing, NO_IMU, NO_IMU), law.target)
    signals = law.signals()
    np.testing.assert_allclose(signals["oscillator_amplitude"].value, policy.gait.amplitude + 0.2, rtol=1e-9)
    np.testing.assert_allclose(signals["oscillator_wave"].value, policy.high[1], rtol=1e-12)


def test_mean_phase_is_never_faster_than_the_wave():
    """A policy cannot gain speed by a faster wave, which would need more cycles per second."""
    policy = Learned(inputs=("load",), outputs=("phase",), network=Network(weights=(0.0, -50.0)))
    law, nothing, phases = KernelLaw(policy, SNAKE, PERIOD), np.zeros(SNAKE.joints), []
    for _ in range(100):
        law_tick(law.record, law.memory, Sensed(0.0, nothing, nothing, nothing, NO_IMU, NO_IMU), law.target)
        phases.append(law.signals()["oscillator_phase"].value.mean())
    rate = np.diff(phases)[1:] / PERIOD
    np.testing.assert_allclose(rate, -policy.phase_rate(SNAKE), rtol=1e-9)


def test_wave_policy_is_symmetric_by_construction():
    """A mirrored robot at the opposite phase gets the mirrored command."""
    policy, given = wave_policy(4), readings(SNAKE.joints)
    mirrored = targets(policy.from_phase(policy.gait.phase + np.pi), SNAKE, -given)
    np.testing.assert_allclose(targets(policy, SNAKE, given), -mirrored, atol=1e-9)


@pytest.mark.parametrize("hidden", [0, 5])
def test_joint_policy_agrees_with_matrices(hidden):
    """Network of readings, last command and clock, as a product of matrices."""
    policy = LearnedJoints(
        inputs=("position", "velocity", "torque", "command", "clock"), output="torque", size=20.0, frequency=0.8,
        mirror=False, network=Network(hidden=hidden),
    )  # fmt: skip
    rng = np.random.default_rng(5)
    inputs, outputs = policy.shape
    weights = rng.normal(0.0, 0.3, policy.network.size(inputs, outputs))
    mean, scale = rng.normal(0.0, 0.2, inputs), rng.uniform(0.5, 2.0, inputs)
    network = Network(hidden=hidden, weights=tuple(weights), mean=tuple(mean), scale=tuple(scale))
    given, last, wanted = readings(2), np.zeros(2), []
    for tick, (q, dq, tau) in enumerate(given):
        clock = 2.0 * np.pi * 0.8 * PERIOD * tick
        x = (np.concatenate([q, dq, tau / 20.0, last, [np.sin(clock), np.cos(clock)]]) - mean) / scale
        left = weights
        if hidden:
            first, left = left[: hidden * (inputs + 1)].reshape(hidden, -1), left[hidden * (inputs + 1) :]
            x = np.tanh(first @ np.append(x, 1.0))
        last = np.clip(left.reshape(2, -1) @ np.append(x, 1.0), -1.0, 1.0)
        wanted.append(20.0 * last)
    np.testing.assert_allclose(targets(replace(policy, network=network), SWIMMER, given), wanted, atol=1e-10)


def test_joint_policy_is_symmetric_by_construction():
    """Mirrored readings give mirrored torques; with biases they do not."""
    rng, given = np.random.default_rng(2), readings(2)
    for mirror in (True, False):
        policy = LearnedJoints(mirror=mirror, network=Network(hidden=3))
        size = policy.network.size(*policy.shape, policy.biased)
        policy = replace(policy, network=Network(hidden=3, weights=tuple(rng.normal(0.0, 1.0, size))))
        away = np.abs(targets(policy, SWIMMER, given) + targets(policy, SWIMMER, -given)).max()
        assert (away < 1e-12) == mirror


def test_a_missing_reading_repeats_the_command():
    """NaN torques change nothing but the mark."""
    given = readings(SNAKE.joints)
    given[10, 2, 4] = np.nan
    found = targets(wave_policy(), SNAKE, given)
    np.testing.assert_array_equal(found[10], found[9])
    assert np.isfinite(found[11][list(SNAKE.yaw_joints)]).all() and (found[11] != found[10]).any()


@pytest.mark.parametrize("policy", [wave_policy(3), LearnedJoints(network=Network(weights=(0.1,) * 8))])
def test_files_hold_the_whole_policy(policy, tmp_path):
    """A written policy is read back unchanged."""
    assert read_controller(write_controller(tmp_path / "policy.toml", policy, "A test.")) == policy


def test_presets_open():
    """Shipped policies suit their robots."""
    for preset in Learned.presets().values():
        KernelLaw(preset(), SNAKE, PERIOD)
    assert "slithering_learned" in Learned.presets()
    KernelLaw(LearnedJoints.presets()["swimmer_learned"](), SWIMMER, 0.04)


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("hidden = 3", "hidden = 4", "must be 85 numbers, or none"),
        ('"place"', '"smell"', "inputs"),
        ("weights = [\n    ", "weights = [\n    nan, ", "weights[0]"),
        ('"serpenoid.control.learned:Learned"', '"os:system"', "os:system"),
        ('"load", ', '"torque", ', "none of torque, sine, cosine"),
    ],
)
def test_invalid_files_are_refused_in_one_line(old, new, words, tmp_path):
    """The line names the file and the problem."""
    path = write_controller(tmp_path / "policy.toml", wave_policy(3), "A test.")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileProblem) as error:
        read_controller(path)
    assert words in str(error.value) and "policy.toml" in str(error.value) and "\n" not in str(error.value)


def test_policies_for_another_robot_are_refused():
    """The number of joints must match."""
    with pytest.raises(InvalidValue, match="joints = 7: must be 9"):
        KernelLaw(wave_policy(joints=7), SNAKE, PERIOD)
    with pytest.raises(SerpenoidError, match="joints = 5: must be 2"):
        KernelLaw(LearnedJoints(joints=5), SWIMMER, PERIOD)

"""Attitude and virtual chassis against motions that are known, with and without noise."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.spatial.transform import Rotation

from serpenoid.errors import InvalidValue, SerpenoidError, Unsupported
from serpenoid.estimation import (
    ComplementaryFilter,
    Readings,
    chassis_frames,
    over_cycle,
    pose_at_rest,
    read_csv,
    readings_of,
    virtual_chassis,
)
from serpenoid.robots import PlanarSnake, SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01
TIMES = np.arange(0.0, 20.0, PERIOD)
UP = np.array([0.0, 0.0, 9.81])


def head_turns(times):
    """A head that sways, rolls and turns slowly."""
    angles = np.stack([0.4 * times, 0.5 * np.sin(0.7 * times), 0.6 * np.sin(0.4 * times + 1.0)], axis=1)
    return Rotation.from_euler("ZYX", angles)


def joint_angles(times):
    return 0.5 * np.sin(np.arange(ROBOT.joints) * 0.9 - 2.0 * times[:, None])


def link_turns(position):
    """Rotations of all links against the head, by scipy: lateral joints about z, dorsal ones about y."""
    found = [Rotation.identity(len(position))]
    for joint in range(ROBOT.joints):
        axis = "y" if joint % 2 else "z"
        found.append(found[-1] * Rotation.from_euler(axis, position[:, [joint]]))
    return found


def body_rate(turns, step):
    """Angular velocity in the turning frame's own axes, by differences."""
    before, after = turns
    return (before.inv() * after).as_rotvec() / step


@pytest.fixture(scope="module")
def truth():
    """Head attitudes, and readings without noise of a snake that is carried about."""
    step = 1e-4
    sides = []
    for times in (TIMES - step, TIMES + step):
        head = head_turns(times)
        sides.append([head * link for link in link_turns(joint_angles(times))])
    gyroscope = np.stack([body_rate(pair, 2 * step) for pair in zip(*sides)], axis=1)
    here, position = head_turns(TIMES), joint_angles(TIMES)
    force = np.stack([(here * link).inv().apply(UP) for link in link_turns(position)], axis=1)
    velocity = (joint_angles(TIMES + step) - joint_angles(TIMES - step)) / (2 * step)
    return here, Readings(TIMES, position, velocity, np.zeros_like(position), force, gyroscope)


def tilt_error(quaternions, truth):
    """Angle between estimated and true vertical [rad], rms after 2 s."""
    up = [turns.inv().apply(UP / 9.81) for turns in (Rotation.from_quat(quaternions, scalar_first=True), truth)]
    angle = np.arccos(np.clip((up[0] * up[1]).sum(axis=1), -1.0, 1.0))
    return float(np.sqrt(np.mean(angle[200:] ** 2)))


def noisy(readings, seed):
    """With the noise and bias of ordinary sensors."""
    rng, shape = np.random.default_rng(seed), readings.gyroscope.shape
    return readings._replace(
        accelerometer=readings.accelerometer
        + rng.normal(0.0, 0.05, shape)
        + rng.normal(0.0, 0.1, shape[1:])
        + rng.normal(0.0, 2.0, shape[:1] + (1, 3)),  # bumps that all links feel
        gyroscope=readings.gyroscope + rng.normal(0.0, 0.01, shape) + rng.normal(0.0, 0.02, shape[1:]),
    )


def test_without_noise_the_filter_finds_the_attitude(truth):
    turns, readings = truth
    start = turns[0].as_quat(scalar_first=True)
    found = ComplementaryFilter().run(ROBOT, readings, start)
    apart = (Rotation.from_quat(found, scalar_first=True).inv() * turns).magnitude()
    assert apart.max() < 0.02  # rates are held over a tick
    assert tilt_error(ComplementaryFilter().run(ROBOT, readings), turns) < 0.01


def test_with_noise_the_filter_beats_either_sensor_and_many_beat_one(truth):
    """S48, S49."""
    turns, readings = truth
    errors = {name: [] for name in ("filter", "gyroscopes", "accelerometers", "one")}
    kinds = {
        "filter": ComplementaryFilter(band=20.0), "gyroscopes": ComplementaryFilter(gain=0.0),
        "accelerometers": ComplementaryFilter(gain=1.0, band=100.0), "one": ComplementaryFilter(band=20.0, links=1),
    }  # fmt: skip
    for seed in range(3):
        told = noisy(readings, seed)
        for name, kind in kinds.items():
            errors[name].append(tilt_error(kind.run(ROBOT, told), turns))
    mean = {name: np.mean(values) for name, values in errors.items()}
    assert mean["filter"] < min(mean["gyroscopes"], mean["accelerometers"], mean["one"])
    assert mean["filter"] < np.radians(3.0)


def test_pose_at_rest(truth):
    turns, readings = truth
    still = Readings(*(None if part is None else part[:5] for part in readings))
    still = still._replace(position=np.tile(readings.position[0], (5, 1)))
    still = still._replace(accelerometer=np.tile(readings.accelerometer[0], (5, 1, 1)))
    found = Rotation.from_quat(pose_at_rest(ROBOT, still), scalar_first=True)
    assert np.allclose(found.inv().apply(UP), turns[0].inv().apply(UP), atol=1e-9)
    ahead = found.apply([1.0, 0.0, 0.0])
    assert abs(ahead[1]) < 1e-12 and ahead[0] > 0.0


def middles(position):
    """Middles of all links in head axes, by scipy."""
    tree, origin, found = ROBOT.tree(), np.zeros(3), []
    turns = link_turns(position[None])
    for k, turn in enumerate(turns):
        if k:
            origin = origin + turns[k - 1].apply(tree.offset[k])[0]
        found.append(origin + turn.apply(tree.center[k])[0])
    return np.array(found)


def test_the_chassis_is_the_svd_of_the_links():
    position = 0.4 * np.sin(np.arange(ROBOT.joints) * 1.1 + np.linspace(0, 6, 40)[:, None])
    chassis = virtual_chassis(ROBOT, position, np.tile([1.0, 0.0, 0.0, 0.0], (40, 1)))
    for i in range(40):
        points = middles(position[i])
        _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
        assert np.isclose(chassis.ratio[i], sizes[0] / sizes[1], rtol=1e-6)
        assert np.isclose(abs(axes[0] @ chassis.axis[i]), 1.0, atol=1e-9)
        assert chassis.clear[i] == (sizes[0] / sizes[1] >= 1.2)
    assert chassis.axis[0] @ (middles(position[0])[0] - middles(position[0]).mean(axis=0)) > 0.0


def test_the_axis_goes_on_and_a_ring_has_none():
    """S50: from straight to a closed ring and back, the axis jumps only while it is reported as unclear."""
    bend = np.zeros((200, ROBOT.joints))
    bend[:, ::2] = 2 * np.pi / 9 * np.sin(np.linspace(0.0, np.pi, 200))[:, None]
    chassis = virtual_chassis(ROBOT, bend, np.tile([1.0, 0.0, 0.0, 0.0], (200, 1)))
    assert not chassis.clear[95:105].any() and chassis.clear[:40].all()
    frames = chassis_frames(np.array([middles(position) for position in bend]))
    assert np.allclose(frames.axes[:, 0], chassis.axis, atol=1e-9) and np.array_equal(frames.clear, chassis.clear)
    turned = np.arccos(np.clip((chassis.axis[1:] * chassis.axis[:-1]).sum(axis=1), -1.0, 1.0))
    assert turned[chassis.clear[1:] & chassis.clear[:-1]].max() < 0.2


def test_a_heading_begins_where_the_attitude_is_first_known():
    """A NaN sum once passed the check: compiled code may reorder x - x where x is a sum."""
    still = np.tile(Rotation.from_euler("z", 0.4).as_quat(scalar_first=True), (20, 1))
    wanted = virtual_chassis(ROBOT, np.zeros((20, ROBOT.joints)), still).heading[-1]
    still[:5] = np.nan
    chassis = virtual_chassis(ROBOT, np.zeros((20, ROBOT.joints)), still)
    assert not chassis.clear[:5].any() and np.allclose(chassis.heading[5:], wanted, atol=1e-9)
    assert np.isnan(chassis.heading[:5]).all() and np.allclose(over_cycle(chassis.heading, 0.1, 1.0)[5:], wanted)
    assert np.allclose(over_cycle(np.array([1.0, np.nan, 2.0, 3.0]), 0.1, 0.2), [1.0, 1.0, 2.0, 2.5])


def test_heading_is_unwrapped_and_averaged_over_a_cycle():
    turns = Rotation.from_euler("z", np.linspace(0.0, 9.0, 300)[:, None]).as_quat(scalar_first=True)
    chassis = virtual_chassis(ROBOT, np.zeros((300, ROBOT.joints)), turns)
    assert np.allclose(chassis.heading - chassis.heading[0], np.linspace(0.0, 9.0, 300), atol=1e-6)
    wave = 0.3 + np.sin(2 * np.pi * np.arange(300) / 50)
    assert np.allclose(over_cycle(wave, 0.01, 0.5)[50:], 0.3, atol=1e-12)
    assert np.isclose(over_cycle(wave, 0.01, 0.5)[9], wave[:10].mean())


def test_a_log_comes_back_as_it_was_written(tmp_path, truth):
    readings = truth[1]
    names = ["time_s", *(f"angle{j}_rad" for j in range(18)), *(f"gyro{k}_{a}" for k in range(19) for a in "xyz")]
    rows = np.hstack([TIMES[:5, None], readings.position[:5], readings.gyroscope[:5].reshape(5, -1)])
    path = tmp_path / "log.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    found = read_csv(path)
    assert np.array_equal(found.position, readings.position[:5]) and found.torque is None
    assert np.array_equal(found.gyroscope, readings.gyroscope[:5])
    with pytest.raises(SerpenoidError, match="accelerometer, gyroscope, pos"):
        ComplementaryFilter().run(ROBOT, found)


def test_bad_requests():
    with pytest.raises(Unsupported):
        ComplementaryFilter().body(PlanarSnake())
    with pytest.raises(SerpenoidError, match="links = 30"):
        ComplementaryFilter(links=30).body(ROBOT)
    run = type("Run", (), {"times": np.zeros(3), "__contains__": lambda s, n: False, "__getitem__": None})()
    with pytest.raises(SerpenoidError, match="no accelerometer"):
        pose_at_rest(ROBOT, readings_of(run))
    with pytest.raises(SerpenoidError, match="no joint velocity:"):
        Readings(TIMES).needed("velocity")
    for period, cycle, words in ((0.0, 1.0, "period = 0.0: must be above 0"), (0.1, -1.0, "cycle = -1.0")):
        with pytest.raises(InvalidValue, match=words):
            over_cycle(TIMES, period, cycle)


def first(readings, count=20, **changes):
    """The first samples, some parts changed."""
    parts = {n: part[:count] for n, part in readings._asdict().items() if isinstance(part, np.ndarray)}
    return readings._replace(**parts | changes)


FIVE = {"position": (20, 5), "velocity": (20, 5), "accelerometer": (20, 6, 3), "gyroscope": (20, 18, 3)}


@pytest.mark.parametrize("name", FIVE)
def test_readings_of_another_robot_are_refused(truth, name):
    """Compiled code would read beyond their ends."""
    told = first(truth[1], **{name: np.zeros(FIVE[name])})
    with pytest.raises(InvalidValue, match=f"shape of {name} = .*: must be .*for SeaSnake") as caught:
        ComplementaryFilter().run(ROBOT, told)
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidValue, match="for SeaSnake"):
        ComplementaryFilter().run(SeaSnake(modules=5), first(truth[1]))
    if name in ("position", "accelerometer"):
        with pytest.raises(InvalidValue, match=f"shape of {name}"):
            pose_at_rest(ROBOT, told)


def test_other_parts_of_the_wrong_shape_are_refused(truth):
    readings, level = first(truth[1]), np.tile([1.0, 0.0, 0.0, 0.0], (20, 1))
    with pytest.raises(InvalidValue, match="shape of position = .20, 5.: must be .20, 18."):
        virtual_chassis(ROBOT, np.zeros((20, 5)), level)
    with pytest.raises(InvalidValue, match="shape of attitude = .20, 3.: must be .20, 4."):
        virtual_chassis(ROBOT, readings.position, level[:, :3])
    with pytest.raises(InvalidValue, match="shape of accelerometer = .20, 19, 3.: must be .9, 19, 3."):
        ComplementaryFilter().run(ROBOT, readings._replace(time=TIMES[:9]))
    with refused("time"):
        ComplementaryFilter().run(ROBOT, readings._replace(time=np.zeros(20)))
    for start in (np.zeros(4), np.ones(3), np.full(4, np.nan)):
        with refused("start"):
            ComplementaryFilter().run(ROBOT, readings, start)


def without(values, samples):
    """Some samples not known."""
    values = values.copy()
    values[samples] = np.nan
    return values


@pytest.mark.parametrize("name", ["position", "accelerometer", "gyroscope"])
def test_a_gap_in_the_readings_holds_the_attitude_and_goes_on(truth, name):
    turns, readings = truth
    start, gap = turns[0].as_quat(scalar_first=True), slice(500, 510)
    whole = ComplementaryFilter().run(ROBOT, readings, start)
    told = readings._replace(**{name: without(getattr(readings, name), gap)})
    found = ComplementaryFilter().run(ROBOT, told, start)
    assert np.array_equal(found[:500], whole[:500])
    assert np.array_equal(found[gap], np.tile(whole[499], (10, 1)))
    apart = (Rotation.from_quat(found, scalar_first=True).inv() * turns).magnitude()
    assert apart[510:].max() < 0.12  # the turn of a tenth of a second is lost
    assert tilt_error(found[1000:], turns[1000:]) < 0.01
    chassis = virtual_chassis(ROBOT, told.position, found)
    assert np.isfinite(chassis.heading).all() and np.isnan(chassis.ratio).sum() == (10 if name == "position" else 0)
    assert abs(chassis.heading - virtual_chassis(ROBOT, readings.position, whole).heading)[-1] < 0.12


def test_before_the_first_reading_nothing_is_known(truth):
    turns, readings = truth
    told = readings._replace(gyroscope=without(readings.gyroscope, slice(0, 3)))
    found = ComplementaryFilter().run(ROBOT, told)
    assert np.isnan(found[:3]).all() and tilt_error(found[3:], turns[3:]) < 0.01
    held = ComplementaryFilter().run(ROBOT, told, [2.0, 0.0, 0.0, 0.0])
    assert np.array_equal(held[:3], np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))


def test_an_imu_that_is_not_used_may_be_silent(truth):
    readings = truth[1]
    told = readings._replace(gyroscope=without(readings.gyroscope, (slice(None), 7)))
    one = ComplementaryFilter(links=1)
    assert np.array_equal(one.run(ROBOT, told), one.run(ROBOT, readings))


def test_velocities_need_not_be_there(truth):
    turns, readings = truth
    start = turns[0].as_quat(scalar_first=True)
    whole = ComplementaryFilter().run(ROBOT, readings, start)
    assert np.array_equal(ComplementaryFilter().run(ROBOT, readings._replace(velocity=None), start), whole)
    gap = readings._replace(gyroscope=without(readings.gyroscope, 500))
    both = [ComplementaryFilter().run(ROBOT, r, start)[501] for r in (gap, gap._replace(velocity=None))]
    assert np.allclose(*both, atol=1e-3)  # after a gap rates come from the angles


def test_empty_cells_of_a_log_are_a_gap(tmp_path, truth):
    readings = truth[1]
    names = ["time_s", *(f"angle{j}_rad" for j in range(18))]
    names += [f"{kind}{k}_{a}" for kind in ("accel", "gyro") for k in range(19) for a in "xyz"]
    imus = [part[:50].reshape(50, -1) for part in (readings.accelerometer, readings.gyroscope)]
    rows = [[f"{value:.17g}" for value in row] for row in np.hstack([TIMES[:50, None], readings.position[:50], *imus])]
    rows[30][-1] = ""
    path = tmp_path / "log.csv"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    found = ComplementaryFilter().run(ROBOT, read_csv(path))
    assert np.isfinite(found).all() and np.array_equal(found[30], found[29])
    assert not np.array_equal(found[31], found[30])


def test_the_pose_at_rest_is_taken_from_what_is_known(truth):
    still = first(truth[1], 5)
    still = still._replace(accelerometer=np.tile(still.accelerometer[0], (5, 1, 1)), position=still.position[[0] * 5])
    told = still._replace(accelerometer=without(still.accelerometer, 2))
    assert np.allclose(pose_at_rest(ROBOT, told), pose_at_rest(ROBOT, still), atol=1e-12)
    with refused("position[:, 4]"):
        pose_at_rest(ROBOT, still._replace(position=without(still.position, (slice(None), 4))))

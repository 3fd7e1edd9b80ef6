"""Slopes, stairs, terrain, rows of pegs, poles, pipes and deep water: their shapes against closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from serpenoid.errors import InvalidValue
from serpenoid.robots import SeaSnake
from serpenoid.worlds import Cylinder, DeepWater, Disc, Floor, Frustum, PegRow, Pipeline, Pole, Slope, Steps, Terrain
from serpenoid.worlds.coil import fit_coil
from serpenoid.worlds.initial_pose import links_of, skin_of

ROBOT = SeaSnake()
BENT = 0.4 * np.sin(0.7 * np.arange(18.0)) * (np.arange(18) % 2 == 0)
PHASE = 0.35 * np.arange(18.0)
HELIX = 1.1 * np.where(np.arange(18) % 2 == 0, np.sin(PHASE), np.cos(PHASE))


def skin_in(world, shape):
    """The robot's skin where a world puts it, (points, 3), and its links' places."""
    pose = np.array(world.resting_pose(ROBOT, shape))
    links = links_of(ROBOT, shape)
    turn = Rotation.from_quat(pose[3:], scalar_first=True)
    return pose[:3] + turn.apply(skin_of(ROBOT, links)), pose[:3] + turn.apply(links.place)


@pytest.mark.parametrize(
    "world", [Slope(angle=0.3), Slope(angle=0.3, heading=1.0), Steps(distance=-0.2), Terrain(seed=2)]
)
def test_a_start_touches_the_ground_and_is_not_in_it(world):
    skin, _ = skin_in(world, BENT)
    above = skin[:, 2] - world.ground_height(skin[:, :2])
    assert above.min() == pytest.approx(0.0, abs=1e-9)


def test_a_slope_rises_towards_its_heading():
    slope = Slope(angle=0.3, heading=1.0)
    ahead = np.array([[np.cos(1.0), np.sin(1.0)]])
    assert slope.ground_height(ahead) == pytest.approx(np.tan(0.3))
    skin, _ = skin_in(slope, BENT)
    assert (skin @ np.array(slope.normal)).max() < 0.06  # it lies along the slope


def test_stairs_have_the_height_of_their_boxes():
    stairs = Steps(rise=0.05, going=0.2, count=3, distance=0.5, heading=0.4)
    ahead = np.array([np.cos(0.4), np.sin(0.4)])
    heights = stairs.ground_height(np.outer([0.4, 0.6, 0.8, 1.0, 2.0, 9.0], ahead))
    assert heights == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.15, 0.0])
    tops = [box.extent().high[2] for box in stairs.geometry()[1:]]
    assert tops == pytest.approx([0.05, 0.1, 0.15])


def test_terrain_has_its_roughness_and_comes_from_its_seed():
    heights = np.array(Terrain(roughness=0.02, seed=5).geometry()[1].heights)
    assert heights.mean() == pytest.approx(0.0, abs=1e-12)
    assert np.sqrt(np.mean(heights**2)) == pytest.approx(0.02)
    assert Terrain(seed=5).geometry() == Terrain(seed=5).geometry() != Terrain(seed=6).geometry()
    neighbours = np.mean(heights[:, 1:] * heights[:, :-1]) / 0.02**2
    assert neighbours == pytest.approx(np.exp(-(0.05**2) / (4 * 0.1**2)), abs=0.03)  # of smoothed white noise


def test_a_row_keeps_its_openings():
    row = PegRow(seed=3)
    x, y = row.centers().T
    gaps = np.diff(x) - 2 * row.peg_radius
    assert len(x) == 9 and gaps.min() >= 0.40 and gaps.max() <= 0.65 and np.ptp(gaps) > 0.05
    assert np.abs(y - 0.6).max() <= 0.05 and np.ptp(y) > 0.02
    regular = PegRow(openings=(0.5, 0.5), off_line=0.0)
    assert np.diff(regular.centers()[:, 0]) == pytest.approx(np.full(8, 0.575))
    wall = PegRow(pegs=30, openings=(0.03, 0.03), gate=0.6, off_line=0.0).centers()[:, 0]
    assert np.diff(wall).argmax() == 14 and wall[15] - 0.0375 == pytest.approx(0.3)
    assert np.delete(np.diff(wall), 14) == pytest.approx(np.full(28, 0.105))
    frictions = [solid.friction for solid in row.solids()]
    assert frictions == [(0.5, 0.5)] + [(0.2, 0.2)] * 9
    assert all(isinstance(shape, Disc) for shape in row.geometry()[1:])


@pytest.mark.parametrize(("profile", "other"), [("cone", 0.07), ("step", 0.07), ("bulge", 0.085)])
def test_a_pole_is_closed_and_has_its_radius_everywhere(profile, other):
    pole = Pole(profile=profile, radius=0.09, other_radius=other)
    parts = pole.geometry()[1:]
    ends = [(part.start[2], part.end[2]) for part in parts]
    assert ends[0][0] == 0.0 and ends[-1][1] == pole.height
    assert [end for _, end in ends[:-1]] == [start for start, _ in ends[1:]]
    frusta = [part for part in parts if isinstance(part, Frustum)]
    for part in frusta:
        assert part.end[2] - part.start[2] <= pole.slice + 1e-12
        assert part.start_radius == pytest.approx(pole.radius_at(np.array(part.start[2])))
    assert min(part.start_radius for part in frusta) == pytest.approx(min(0.09, other), abs=0.012 * (profile == "step"))
    assert isinstance(parts[-1], Cylinder) and parts[-1].radius == pytest.approx(other if profile == "step" else 0.09)


def test_a_helix_starts_round_the_pole_and_another_shape_beside_it():
    skin, places = skin_in(Pole(start_height=0.2), HELIX)
    coil = fit_coil(places[1:])
    assert coil.axis == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert coil.center[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert skin[:, 2].min() == pytest.approx(0.2) and places[0, 2] > places[-1, 2]
    skin, _ = skin_in(Pole(), BENT)
    assert skin[:, 2].min() == pytest.approx(0.0, abs=1e-9) and np.hypot(*skin[:, :2].T).min() > 0.2


def test_a_coil_is_found_in_places_of_a_helix():
    angle = np.linspace(0.0, 7.0, 19)
    helix = np.column_stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), -0.02 * angle])
    turned = Rotation.from_rotvec([0.3, -0.8, 0.4]).apply(helix) + [1.0, 2.0, 3.0]
    coil = fit_coil(turned)
    assert (coil.radius, coil.turns, coil.residual) == pytest.approx((0.1, 7.0 / (2 * np.pi), 0.0), abs=1e-6)
    assert coil.pitch == pytest.approx(-0.02, abs=1e-6)  # left-handed


@pytest.mark.parametrize("pipe", [
    Pipeline(), Pipeline(bend=1.2), Pipeline(bend=-0.8, inclination=np.pi / 2), Pipeline(waist=0.08, staves=30),
])  # fmt: skip
def test_staves_close_the_bore_and_leave_it_free(pipe):
    at, boxes = pipe.stations(), pipe.stave_boxes()
    assert len(boxes) == pipe.staves * (len(at.center) - 1)
    rng = np.random.default_rng(0)
    for i in rng.integers(len(at.center) - 1, size=6):
        middle, radius = 0.5 * (at.center[i] + at.center[i + 1]), 0.5 * (at.radius[i] + at.radius[i + 1])
        for angle in rng.uniform(0.0, 2 * np.pi, 8):
            out = np.cos(angle) * at.side[i : i + 2].mean(axis=0) + np.sin(angle) * at.up[i]
            out = out / np.linalg.norm(out)
            assert not any(holds(box, middle + 0.97 * radius * out) for box in boxes)
            assert any(holds(box, middle + (radius / np.cos(np.pi / pipe.staves) + 0.004) * out) for box in boxes)


def holds(box, point):
    """Return whether a point is in a box."""
    local = Rotation.from_quat(box.turn, scalar_first=True).inv().apply(point - np.array(box.center))
    return bool(np.all(np.abs(local) <= 0.5 * np.array(box.size)))


def test_a_start_lies_inside_the_pipe():
    pipe = Pipeline()
    skin, places = skin_in(pipe, np.zeros(18))
    assert skin[:, 0].max() == pytest.approx(0.0, abs=1e-6) and skin[:, 0].min() > -pipe.length
    axis = pipe.bore + pipe.thickness
    assert np.hypot(skin[:, 1], skin[:, 2] - axis).max() <= pipe.bore + 2e-4  # the skin is a polygon
    coil = fit_coil(skin_in(Pipeline(inclination=np.pi / 2), HELIX)[1][1:])
    assert coil.axis == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    with pytest.raises(InvalidValue, match="inclination"):
        skin_in(Pipeline(inclination=1.0), BENT)


def test_a_snake_with_floats_has_no_weight_under_water_and_one_without_sinks():
    import serpenoid as sp

    weight = ROBOT.mass - 1000.0 * sum(prism.volume for prism in ROBOT.prisms())
    assert weight == pytest.approx(4.067 - 2.66, abs=0.01)
    still = sp.gaits.JointTrajectory()
    for neutral in (True, False):
        run = sp.simulate(ROBOT, DeepWater(neutral=neutral), still, duration=0.2)
        fall = run["center_of_mass"][[0, -1], 2]
        assert (fall[0] - fall[1] > 0.01) == (not neutral)
        assert neutral <= (abs(fall[0] - fall[1]) < 1e-12)


@pytest.mark.parametrize(("make", "field"), [
    (lambda: Pole(profile="cone", height=0.8), "change_length"), (lambda: PegRow(openings=(0.6, 0.5)), "openings"),
    (lambda: PegRow(pegs=1, gate=0.5), "gate"),
    (lambda: Pipeline(staves=12), "staves"), (lambda: Pipeline(bend=1.0, bend_radius=0.1), "bend_radius"),
    (lambda: Terrain(spacing=0.001), "spacing"), (lambda: Slope(angle=2.0), "angle"), (lambda: Steps(rise=0.0), "rise"),
    (lambda: Pipeline(waist=0.08, waist_length=9.0), "waist_length"), (lambda: Floor(gravity=-1.0), "gravity"),
])  # fmt: skip
def test_what_is_no_world_is_refused_by_field(make, field):
    with pytest.raises(InvalidValue, match=field):
        make()

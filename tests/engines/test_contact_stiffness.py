"""Robots of boxes and capsules on the ground: they stay there at the usual step, and go as at finer ones."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.control import OpenLoop
from serpenoid.engines.base import Initial
from serpenoid.engines.contact.contact_stiffness import all_points
from serpenoid.engines.contact.model import model_of
from serpenoid.engines.contact.solids import GEOM
from serpenoid.gaits import CompoundSerpenoid, Slithering
from serpenoid.robots import PD, SeaSnake, load
from serpenoid.worlds import Floor, Slope

LINKS, LENGTH, MASS = 7, 0.14, 0.16
STILL = CompoundSerpenoid(0.0, 0.0, frequency=0.0)


def urdf(width: float, height: float) -> str:
    """A chain of boxes with yaw joints; its links are one stiff plate for all that is upright."""
    x, y, z = (MASS / 12.0 * (a * a + b * b) for a, b in ((width, height), (LENGTH, height), (LENGTH, width)))
    origin, shape = (
        f'<origin xyz="{0.5 * LENGTH} 0 0"/>',
        f'<geometry><box size="{LENGTH} {width} {height}"/></geometry>',
    )
    links = [
        f'<link name="l{i}"><inertial>{origin}<mass value="{MASS}"/>'
        f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision>{origin}{shape}</collision></link>"
        for i in range(LINKS)
    ]
    joints = [
        f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="{LENGTH} 0 0"/>'
        f'<axis xyz="0 0 1"/><limit lower="-1.2" upper="1.2" effort="2" velocity="6"/></joint>'
        for i in range(1, LINKS)
    ]
    return f'<robot name="boxes">{"".join(links + joints)}</robot>'


def mjcf(geom: str, light: float = 0.0) -> str:
    """A chain of such geoms with yaw joints; `light` is the mass of a hinged plate under each link [kg]."""
    plate = '<body name="p{i}" pos="0.07 0 -0.03"><joint name="s{i}" axis="0 1 0"/>'
    plate += f'<geom type="box" size="0.04 0.02 0.004" mass="{light}"/></body>'
    text = ""
    for i in range(LINKS):
        joint = "<freejoint/>" if i == 0 else f'<joint name="j{i}" axis="0 0 1" range="-1.2 1.2" limited="true"/>'
        text += f'<body name="b{i}" pos="{LENGTH if i else 0} 0 0">{joint}{geom}{plate.format(i=i) if light else ""}'
    return f'<mujoco><compiler angle="radian"/><worldbody>{text}{"</body>" * LINKS}</worldbody></mujoco>'


CAPSULE = f'<geom type="capsule" fromto="0 0 0 {LENGTH} 0 0" size="0.02" mass="{MASS}"/>'
FILES = {
    "plates": ("urdf", urdf(0.09, 0.02)),
    "bars": ("urdf", urdf(0.04, 0.04)),
    "capsules": ("xml", mjcf(CAPSULE)),
    "cylinders": ("xml", mjcf(CAPSULE.replace("capsule", "cylinder"))),
}


def robot_of(name, tmp_path):
    ending, text = FILES[name]
    path = tmp_path / f"{name}.{ending}"
    path.write_text(text)
    return replace(load(path), fixed_base=False, drive=PD(5.0, 0.2, 2.0))


@pytest.mark.parametrize("name", FILES)
def test_robots_of_solids_stay_on_the_floor_at_any_step(name, tmp_path):
    robot, runs = robot_of(name, tmp_path), {}
    for step in (0.001, 0.00025):
        run = runs[step] = sp.simulate(robot, Floor(), OpenLoop(Slithering(), rates=True), 1.5, step=step)
        height = run["center_of_mass"][:, 2]
        assert np.ptp(height) < 0.001
        assert np.diff(run["work_contact"]).max() < 1e-4
        load_of = run["contact_force"][50:, :, 2] / (9.81 * MASS)
        assert load_of.min() > 0.3 and load_of.max() < 2.0  # each link lies on its own weight, and none opens
    coarse, fine = runs[0.001], runs[0.00025]
    ways = [np.linalg.norm(run["center_of_mass"][-1] - run["center_of_mass"][50]) for run in (coarse, fine)]
    assert ways[0] == pytest.approx(ways[1], rel=0.03)
    assert coarse["work_contact"][-1] == pytest.approx(fine["work_contact"][-1], rel=0.005)


def test_they_lie_on_a_slope_without_creep(tmp_path):
    run = sp.simulate(robot_of("plates", tmp_path), Slope(), STILL, 1.0)
    moved = run["center_of_mass"][-1] - run["center_of_mass"][50]
    assert np.linalg.norm(moved) < 1e-5


def test_they_fall_and_come_to_rest(tmp_path):
    start = Initial(base_pose=(0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0))
    run = sp.simulate(robot_of("plates", tmp_path), Floor(), STILL, 1.0, initial=start)
    assert run["center_of_mass"][-20:, 2] == pytest.approx(0.01, abs=0.001)
    assert np.abs(run["base_twist"][-1]).max() < 1e-3
    assert run["work_contact"][-1] == pytest.approx(-9.81 * LINKS * MASS * 0.14, rel=0.02)


def test_what_stands_on_little_of_its_mass_has_mujocos_own_contacts(tmp_path):
    path = tmp_path / "skids.xml"
    path.write_text(mjcf(CAPSULE, light=1e-4))
    robot = load(path)
    model = model_of(robot, Floor(), 0.001)
    assert model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    run = sp.simulate(replace(robot, drive=PD(5.0, 0.2, 2.0)), Floor(), STILL, 0.5)
    assert np.ptp(run["center_of_mass"][:, 2]) < 0.002


def test_round_modules_have_the_contacts_they_had():
    model = model_of(SeaSnake(), Floor(), 0.001)
    np.testing.assert_array_equal(np.unique(model.pair_solimp[:, :2]), 0.02)
    np.testing.assert_array_equal(np.unique(model.pair_solref, axis=0), [(0.005, 1.0)])


TURNS = {"as it is": (0.0, 0.0), "on its side": (np.pi / 2, 0.0), "along x": (0.0, np.pi / 2)}
SIZES = {
    "SPHERE": (0.05, 0.0, 0.0), "CAPSULE": (0.02, 0.05, 0.0), "CYLINDER": (0.02, 0.05, 0.0), "BOX": (0.05, 0.03, 0.02),
    "ELLIPSOID": (0.05, 0.03, 0.02),
}  # fmt: skip


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("kind", SIZES)
def test_points_of_solids_are_those_where_mujoco_touches(kind, turn):
    about_x, about_y = TURNS[turn]
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.array([about_x, about_y, 0.0]), "xyz")
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=GEOM.mjGEOM_PLANE, size=(1, 1, 1))
    body = spec.worldbody.add_body(quat=quat, pos=(0.0, 0.0, 1.0))
    body.add_freejoint()
    body.add_geom(type=getattr(GEOM, f"mjGEOM_{kind}"), size=SIZES[kind])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owner, places = all_points(model, data, np.array([1]))
    data.qpos[2] -= places[:, 2].min() + 1e-6
    mujoco.mj_forward(model, data)
    assert len(owner) == data.ncon
    assert np.ptp(places[:, 2]) < 1e-9
    theirs = np.linalg.norm(data.contact.pos[:, :2], axis=1)
    np.testing.assert_allclose(np.sort(np.linalg.norm(places[:, :2], axis=1)), np.sort(theirs), atol=1e-4)


def test_friction_along_a_body_is_refused_to_solids_without_such_a_direction(tmp_path):
    ground = Floor(friction=0.5, friction_along=0.1)
    with refused("world.friction_along"):
        model_of(robot_of("plates", tmp_path), ground, 0.001)
    model_of(robot_of("capsules", tmp_path), ground, 0.001)

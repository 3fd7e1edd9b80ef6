"""More contacts, walls, a fixed base and friction against spinning: dense references, closed forms, convex search."""

import numpy as np
import pytest
from naive_pushing import naive_push, naive_response
from scipy.optimize import minimize

from serpenoid.cli import main
from serpenoid.errors import InvalidValue
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.mechanics import best_push, constraint_maps, push_survey, pushing
from serpenoid.robots.planar import PlanarSnake
from serpenoid.worlds.pushing import Contact, PushedObject, Support

ROBOT = PlanarSnake(links=4, link_length=0.15, link_mass=1.0, link_inertia=0.002)
OBJECT = PushedObject(mass=7.0)
TOUCHES, WALLS = (Contact(3, 0.2, "right"),), (Contact(2, 0.5, "left"), Contact(1, -0.1, "right"))


def test_more_contacts_and_walls_match_the_dense_reference():
    rng = np.random.default_rng(1)
    pressed = np.zeros(6, bool)
    for _ in range(12):
        shape, heading = rng.uniform(-2.0, 2.0, 3), rng.uniform(-3.0, 3.0)
        torques, wrench = rng.uniform(-0.3, 0.3, (8, 3)), np.append(rng.uniform(-0.2, 0.2, 2), 0.0)
        support = Support(TOUCHES, WALLS)
        found = pushing(
            ROBOT, shape, OBJECT, torques, wheels="friction", support=support, wrench=wrench, heading=heading
        )
        rows = [(0, 0.5, 1, True), (3, 0.7, -1, True), (1, 0.5, 1, False), (2, 0.5, 1, False), (3, 0.5, 1, False),
                (2, 1.0, 1, False), (1, 0.4, -1, False)]  # fmt: skip
        rows = [(link, 0.15 * place, side, touches) for link, place, side, touches in rows]
        limit = 0.1 * STANDARD_GRAVITY
        limits = np.array([[0.0, np.inf]] * 2 + [[-limit, limit]] * 3 + [[0.0, np.inf]] * 2)
        parts = naive_push(ROBOT.chain(), shape, heading, rows, OBJECT.mass)
        for i, torque in enumerate(torques):
            acceleration, body, _, norms = naive_response(parts, torque, wrench, limits, OBJECT.mass, OBJECT.inertia)
            np.testing.assert_allclose(found.acceleration[i, 2:], acceleration[2:], atol=1e-8)
            np.testing.assert_allclose(found.object_acceleration[i], body, atol=1e-10)
            assert found.object_norm[i] == pytest.approx(norms[0], abs=1e-9)
            assert found.robot_norm[i] == pytest.approx(norms[1], abs=1e-8)
        pressed |= (found.force[:, [0, 1, 2, 3, 5, 6]] != 0.0).any(axis=0)
    assert pressed.all()


def test_an_arm_is_the_chain_without_the_coordinates_of_its_base():
    """With link 0 fixed the equations of the joints alone remain, in the paper's coordinates."""
    rng = np.random.default_rng(2)
    tip, seen = Contact(3, 0.5, "left"), 0
    for _ in range(10):
        shape, torque = rng.uniform(-2.0, 2.0, 3), rng.uniform(-0.3, 0.3, 3)
        found = pushing(ROBOT, shape, OBJECT, torque, wheels="none", contact=tip, support=Support(base=0))
        mass, _, row, _ = naive_push(ROBOT.chain(), shape, 0.0, [(3, 0.15, 1.0, True)], OBJECT.mass)
        arm, lever = np.linalg.inv(mass[3:, 3:]), row[0, 3:]
        force = max(0.0, lever @ arm @ torque / (lever @ arm @ lever + 1.0 / OBJECT.mass))
        np.testing.assert_allclose(found.acceleration[2:], [0.0, *(arm @ (torque - lever * force))], atol=1e-9)
        assert found.force[0] == pytest.approx(force, abs=1e-12)
        assert found.object_norm == pytest.approx(force**2 / OBJECT.mass, abs=1e-12)
        seen += force > 0.0
    assert 0 < seen < 10


def test_a_wall_takes_the_torque_of_an_arm_at_its_lever():
    arm = PlanarSnake(links=2, link_length=0.15, link_mass=1.0, link_inertia=0.002)
    support = Support(walls=(Contact(1, 0.5, "left"),), base=0)
    found = pushing(arm, [0.7], OBJECT, [[0.3], [-0.3]], wheels="none", support=support)
    assert found.force[0, found.rows.index("wall at link 1")] == pytest.approx(0.3 / 0.15)
    np.testing.assert_allclose(found.acceleration[0], 0.0, atol=1e-12)
    assert found.acceleration[1, 3] < 0.0  # away from the wall
    assert found.force[1, found.rows.index("wall at link 1")] == 0.0
    assert np.isnan(found.ratio[0])  # nothing moves


def test_a_wall_and_a_base_keep_the_robot_from_moving():
    """Fig. 1a: more of the motion goes into the object if the snake leans on a wall, most if it is an arm."""
    shape, heavy = np.array([0.6, -1.1, -2.1]), PushedObject(mass=100.0)
    wall = Support(walls=(Contact(3, 0.5, "left"),))
    alone, leaning, arm = (
        push_survey(ROBOT, [shape], heavy, wheels="none", support=support).ratio[0]
        for support in (None, wall, Support(base=3))
    )
    assert 2.0 * alone < leaning < 0.1 * arm
    assert best_push(ROBOT, shape, heavy, wheels="none", support=wall).ratio == pytest.approx(leaning, abs=2e-6)


def test_maps_of_a_fixed_base_are_those_of_the_solver():
    shape = np.array([0.6, -0.9, 0.4])
    maps = constraint_maps(ROBOT, shape, OBJECT, wheels="none", support=Support(base=3))
    found = pushing(ROBOT, shape, OBJECT, wheels="none", support=Support(base=3))
    held = found.contact_holds
    force = found.torque[held] @ (maps.force_map @ maps.torque_map).T
    np.testing.assert_allclose(force, found.force[held], atol=1e-9)


def sliding_by_search(mass, inertia, force, moment, limit, arm):
    """Return (a, spin) of a body from rest: the minimum of Gauss's function plus the dissipation of the ground."""

    def cost(x):
        pull = force[0] * x[0] + force[1] * x[1] + moment * x[2]
        size = np.sqrt(x[0] ** 2 + x[1] ** 2 + (arm * x[2]) ** 2)
        return 0.5 * mass * (x[0] ** 2 + x[1] ** 2) + 0.5 * inertia * x[2] ** 2 - pull + limit * size

    start = np.array([force[0] / mass, force[1] / mass, moment / inertia])
    return minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-15, "maxiter": 5000}).x


def test_friction_resists_sliding_and_spinning_together():
    thing = PushedObject(mass=2.0, radius=0.2, friction=0.05)
    limit, arm = 0.05 * 2.0 * STANDARD_GRAVITY, 2.0 / 3.0 * 0.2
    rng, moved = np.random.default_rng(4), 0
    for _ in range(12):
        wrench = rng.uniform(-1.5, 1.5, 3) * [1.0, 1.0, 0.15]
        body = pushing(ROBOT, [0.3, 0.2, -0.4], thing, np.zeros(3), wheels="none", wrench=wrench,
                       contact=Contact(0, 0.0, "left" if wrench[1] > 0.0 else "right")).object_acceleration  # fmt: skip
        expected = sliding_by_search(thing.mass, thing.inertia, wrench[:2], wrench[2], limit, arm)
        np.testing.assert_allclose(body, expected, atol=2e-6)
        moved += np.abs(expected).max() > 1e-6
    assert 0 < moved < 12


def test_a_turned_object_is_pushed_aside_more_easily():
    thing = PushedObject(mass=2.0, radius=0.2, friction=0.05)
    torque, shape = [0.3, 0.1, 0.0], [-1.2, -1.0, 0.3]
    spun = pushing(ROBOT, shape, thing, torque, wrench=(0.0, 0.0, 0.3)).object_acceleration
    plain = pushing(ROBOT, shape, thing, torque).object_acceleration
    assert np.linalg.norm(spun[:2]) > np.linalg.norm(plain[:2])
    assert 0.0 < spun[2] < 0.3 / thing.inertia


def test_the_command_prints_every_constraint(capsys):
    words = ["--walls", "2,0.5,right", "--contacts", "1,0,left", "--base", "2", "--torque", "0.05", "0.02"]
    assert main(["statics", *words, "--maxima", "true"]) == 0
    printed = capsys.readouterr().out
    for text in ("contact at link 1", "wall at link 2", "base at link 2, rear", "slippage ratio", "(exact)"):
        assert text in printed


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--base", "7"], "base = 7: must be a link from 0 to 2"),
        (["--walls", "1,0"], "walls = '1,0': must be 3 values"),
        (["--walls", "9,0,left"], "contact.link = 9: must be a link from 0 to 2"),
        (["--shape", "1"], "shape = (1.0,): must be 2 finite numbers"),
        (["push"], "statics takes options only, not push"),
    ],
)
def test_bad_options_are_one_line(words, line, capsys):
    assert main(["statics", *words]) == 2
    printed = capsys.readouterr().err
    assert line in printed
    assert printed.count("\n") == 1


def test_several_contacts_on_rough_ground_are_not_surveyed():
    rough = PushedObject(mass=7.0, friction=0.1)
    with pytest.raises(InvalidValue, match="0 for a survey with several contacts"):
        push_survey(ROBOT, [[0.1, 0.2, 0.3]], rough, support=Support(contacts=TOUCHES))

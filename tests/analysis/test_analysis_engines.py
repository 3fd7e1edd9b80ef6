"""Analysis of the links' motions compared with the engines' records, on real runs."""

import numpy as np
import pytest
from link_energy import kinetic_energy

import serpenoid as sp
from serpenoid import analysis
from serpenoid.analysis.bodies import bodies_of, link_motion, part_of


@pytest.fixture(scope="module", params=["planar", "natrix", "hanging chain"])
def run(request):
    wave = sp.gaits.Serpenoid(amplitude=0.4, frequency=0.8, spatial_frequency=-3.6)
    cases = {
        "planar": (sp.robots.PlanarSnake(), sp.worlds.Plane(medium="viscous"), sp.gaits.Serpenoid()),
        "natrix": (sp.robots.Natrix(), sp.worlds.FreeSpace(), sp.gaits.Undulation(frequency=1.35)),
        "hanging chain": (sp.robots.MovingFrameChain(bodies=6), sp.worlds.FreeSpace(gravity=True), wave),
    }
    return sp.simulate(*cases[request.param], duration=2.0)


def test_kinetic_energy_and_momentum_of_the_links_are_the_engines(run):
    robot = part_of(run, "robot")
    bodies = bodies_of(robot)
    motion = link_motion(run, bodies)
    assert kinetic_energy(motion, bodies) == pytest.approx(run["energy_kinetic"], rel=1e-10, abs=1e-14)
    momentum = analysis.momentum(run)
    scale = momentum.linear_scale.max()
    assert momentum.linear == pytest.approx(run["momentum_linear"], abs=1e-12 * scale)
    moved = np.cross(run["center_of_mass"], momentum.linear)
    spinning = (momentum.angular + moved)[:, 2] - run["momentum_angular"].reshape(run.times.size, -1)[:, -1]
    assert np.abs(spinning).max() < 1e-12 * momentum.angular_scale.max() + 1e-14
    assert (motion.center * bodies.mass[:, None]).sum(axis=1) / bodies.mass.sum() == pytest.approx(
        run["center_of_mass"]
    )


def test_energy_balance_closes(run):
    """The remaining error is the quadrature between samples 10 ms apart."""
    assert analysis.energy_residual(run) < 1e-4


def test_powers_of_the_joints_sum_to_that_of_the_drive(run):
    given = analysis.joint_power(run)
    assert given.sum(axis=1) == pytest.approx(run["power_drive"], rel=1e-9, abs=1e-9)
    assert np.abs(given).sum() == pytest.approx(run["power"].sum(), rel=2e-3)  # less where one turns within a sample
    assert np.all(np.abs(given).sum(axis=1) <= run["power"] + 1e-9)


def test_the_balance_does_not_depend_on_the_samples():
    parts = sp.robots.PlanarSnake(), sp.worlds.Plane(medium="dry"), sp.gaits.Serpenoid(0.8, 2.0, 2.4 * np.pi)
    coarse, fine = (sp.simulate(*parts, duration=2.0, sample_period=period) for period in (0.1, 0.001))
    assert analysis.energy_residual(coarse) == pytest.approx(analysis.energy_residual(fine), rel=1e-3)
    assert analysis.energy_residual(coarse) < 1e-6
    assert analysis.power(coarse) == pytest.approx(analysis.power(fine), rel=1e-12)

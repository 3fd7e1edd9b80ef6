"""Drives: what every one of them states, and what engines and batches do with one that they have no law for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from serpenoid.configuration.annotations import kinds_of
from serpenoid.engines import find_engine
from serpenoid.engines.contact.drives import KINDS
from serpenoid.errors import Unsupported
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.laws.drive import JOINT_LAWS, MOTOR_NUMBERS
from serpenoid.kernels.pegs.joints import REVISIONS, TORQUES, WORKS
from serpenoid.robots import PD, Drive, Natrix, PlanarSnake, Prescribed, SeaSnake, SeriesElastic
from serpenoid.scenarios.slither import Slither
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.worlds import Floor, FreeSpace, PegBoard, Plane, PushingFloor

JOINTS = 4
OURS = [kind() for kind in kinds_of(Drive) if kind.__module__.startswith("serpenoid.")]


class CubicRecord(NamedTuple):
    """The fields of a StiffDrive, for another law."""

    stiffness: NDArray
    damping: NDArray
    limit: NDArray


@dataclass(frozen=True)
class Cubic(PD):
    """A PD whose record says that it is another law."""

    def record(self, joints):
        return CubicRecord(*super().record(joints))


@dataclass(frozen=True)
class Geared(PD):
    """A PD that has a field more, and derives its gains from it."""

    gear: float = 2.0

    def record(self, joints):
        gains = super().record(joints)
        return gains._replace(stiffness=self.gear * gains.stiffness)


@pytest.mark.parametrize("drive", OURS, ids=lambda drive: type(drive).__name__)
def test_a_drive_states_limits_stiffness_and_energy(drive):
    record = drive.record(JOINTS)
    assert (record is None) == drive.prescribed
    assert drive.direct == (not drive.prescribed and not drive.states)
    assert drive.torque_limits(JOINTS).shape == drive.joint_stiffness(JOINTS).shape == (JOINTS,)
    assert all(gain.shape == (JOINTS,) for gain in drive.servo_gains(JOINTS) or ())
    still, twisted = np.zeros((3, JOINTS)), np.ones((3, JOINTS))
    assert not drive.energy(twisted, twisted, still).any()
    assert (drive.energy(still, twisted, twisted) > 0.0).all() == bool(drive.states)


@pytest.mark.parametrize("drive", OURS, ids=lambda drive: type(drive).__name__)
def test_kernels_keep_the_states_that_a_drive_names(drive):
    kind = type(drive.record(JOINTS))
    assert drive.prescribed or kind in {*JOINT_LAWS, *KINDS}
    if kind in JOINT_LAWS:
        assert len(drive.states) == MOTOR_NUMBERS[kind]


def test_every_law_of_a_drive_is_whole():
    assert JOINT_LAWS.keys() == MOTOR_NUMBERS.keys()
    assert TORQUES.keys() == REVISIONS.keys() == WORKS.keys()


def test_an_unfinished_drive_is_refused():
    with pytest.raises(Unsupported):
        Drive()


PLACES = {
    "planar": (PlanarSnake(), Plane()),
    "tree": (Natrix(), FreeSpace()),
    "pushing": (PlanarSnake(), PushingFloor()),
    "pegs": (SeaSnake(), PegBoard()),
    "contact": (SeaSnake(), Floor()),
}


@pytest.mark.parametrize("name", PLACES)
def test_an_engine_refuses_a_drive_that_it_has_no_law_for(name):
    robot, world = PLACES[name]
    engine = find_engine(robot, world, name)
    with pytest.raises(Unsupported, match=f"Cubic .*engine {name}") as caught:
        engine(replace(robot, drive=Cubic()), world, 1e-4)
    assert "\n" not in str(caught.value)


def test_a_drive_that_derives_from_pd_does_not_run_in_lanes_as_pd(monkeypatch):
    monkeypatch.setitem(JOINT_LAWS, CubicRecord, None)
    monkeypatch.setitem(MOTOR_NUMBERS, CubicRecord, 0)
    robot, world, step = PlanarSnake(), Plane(), 1e-3
    motion = motion_of(Serpenoid(), robot)
    engine = find_engine(robot, world)
    assert engine(robot, world, step).lanes_key(motion) is not None
    for drive in (Cubic(), SeriesElastic(), Prescribed()):
        assert engine(replace(robot, drive=drive), world, step).lanes_key(motion) is None


def test_gains_that_a_drive_derives_are_those_of_its_batch():
    base = Slither(duration=0.2)
    drives = (PD(stiffness=2.0), PD(stiffness=4.0), Geared(stiffness=2.0))
    plain, twice, geared = Slither.batch([replace(base, robot=replace(base.robot, drive=d)) for d in drives])[
        "speed"
    ].value
    assert geared == twice != plain

"""Registry of engines: selected by classes, not by class names, and open to third parties."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from serpenoid import engines
from serpenoid.engines import ENGINES, engine_of, find_engine, register_engine
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import UnknownName, Unsupported
from serpenoid.robots import Natrix, PlanarSnake
from serpenoid.robots.base import PlanarRobot
from serpenoid.worlds import FreeSpace
from serpenoid.worlds.base import World


@pytest.fixture
def own(monkeypatch):
    """A registry that may be changed."""
    monkeypatch.setattr(engines, "ENGINES", dict(ENGINES))
    engine_of.cache_clear()
    yield
    engine_of.cache_clear()


@dataclass(frozen=True)
class Plane(World):
    """A world of a user that has the name of one of ours."""

    def geometry(self):
        return ()


class Swamp(FreeSpace):
    """A world that derives from one of ours."""


def test_a_name_alone_is_not_a_kind():
    with pytest.raises(Unsupported):
        find_engine(PlanarSnake(), Plane())


def test_subclasses_run_where_their_base_does():
    assert find_engine(PlanarSnake(), Swamp()) is PlanarEngine


def test_a_third_party_registers_a_class_or_a_name_of_one(own):
    class Slow(PlanarEngine):
        name = "slow"

    register_engine("slow", Slow, PlanarRobot, Plane)
    assert find_engine(PlanarSnake(), Plane()) is Slow
    register_engine("slow", "serpenoid.engines.planar:PlanarEngine", PlanarRobot, Plane)
    assert find_engine(PlanarSnake(), Plane(), "slow") is PlanarEngine
    with pytest.raises(Unsupported):
        find_engine(Natrix(), Plane())


def test_an_engine_that_is_not_there_is_refused():
    with pytest.raises(UnknownName):
        find_engine(PlanarSnake(), FreeSpace(), "gazebo")

"""Assignment of modules to joints: order, signs and offsets, from a small TOML file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import between, check_fields, from_plain, read_toml, usual
from serpenoid.errors import FileProblem, InvalidValue, require
from serpenoid.robots.base import Robot


@dataclass(frozen=True)
class JointRow:
    """One row of a map."""

    joint: str
    """name of the joint, as the robot names it"""
    module: str
    """name of the module"""
    sign: Annotated[float, usual(-1.0, 1.0)] = 1.0
    """1 or -1: whether the module rotates in the joint's direction"""
    offset: Annotated[float, between(-100.0, 100.0, usual=(-3.2, 3.2))] = 0.0
    """angle of the module at joint angle 0 [rad]"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(self.sign in (1.0, -1.0), "sign", self.sign, "1 or -1")


class JointMap(NamedTuple):
    """Modules in the order of the joints; a module's angle is sign x joint angle + offset."""

    family: str
    names: tuple[str, ...]
    signs: NDArray  # (joints,)
    offsets: NDArray  # (joints,) [rad]

    @classmethod
    def plain(cls, family: str, names: Sequence[str], joints: int) -> JointMap:
        """Create a map of modules named head first that rotate as the joints do."""
        twice(names, "module")
        require(len(names) == joints, "names", ",".join(names), f"{joints} modules, one per joint, head first")
        return cls(family, tuple(names), np.ones(joints), np.zeros(joints))

    @classmethod
    def chosen(cls, robot: Robot, family: str, names: Sequence[str] | None, file: str | Path | None) -> JointMap:
        """Return the map of a file, or of names in the order of the joints."""
        if file is not None:
            return cls.read(Path(file), robot)
        if names is None:
            raise InvalidValue("names", names, "the names of the modules, head first, or a map (TOML)")
        return cls.plain(family, tuple(names), robot.joints)

    @classmethod
    def read(cls, path: Path, robot: Robot) -> JointMap:
        """Read a file with `family` and one table [[joint]] per joint of the robot, with joint, module, sign and
        offset.
        """
        data = read_toml(path)
        family, rows = data.pop("family", None), data.pop("joint", None)
        if not isinstance(family, str) or not isinstance(rows, list) or data:
            raise FileProblem(path, "must contain family = NAME and a table [[joint]] per joint, and nothing else")
        try:
            return cls.of_rows(family, [from_plain(row, JointRow, f"joint[{i}]") for i, row in enumerate(rows)], robot)
        except InvalidValue as error:
            raise FileProblem(path, str(error)) from None

    @classmethod
    def of_rows(cls, family: str, rows: Sequence[JointRow], robot: Robot) -> JointMap:
        """Create a map from rows in any order."""
        twice([row.joint for row in rows], "joint")
        twice([row.module for row in rows], "module")
        found = {row.joint: row for row in rows}
        unknown, missing = set(found) - set(robot.joint_names), [n for n in robot.joint_names if n not in found]
        require(not unknown, "joint", ", ".join(sorted(unknown)), f"one of {', '.join(robot.joint_names)}")
        require(not missing, "joint", f"no row for {', '.join(missing)}", "a row for every joint of the robot")
        ordered = [found[name] for name in robot.joint_names]
        signs, offsets = np.array([row.sign for row in ordered]), np.array([row.offset for row in ordered])
        return cls(family, tuple(row.module for row in ordered), signs, offsets)

    def to_modules(self, angle: NDArray) -> NDArray:
        """Convert joint angles to module angles [rad]."""
        return self.signs * angle + self.offsets

    def to_joints(self, angle: NDArray) -> NDArray:
        """Convert module angles to joint angles [rad]."""
        return self.signs * (angle - self.offsets)


def twice(names: Sequence[str], what: str) -> None:
    """Raise InvalidValue if a name occurs twice."""
    double = [name for name, number in Counter(names).items() if number > 1]
    require(not double, what, ", ".join(double), "named once")

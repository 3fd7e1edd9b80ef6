"""Gains of HEBI modules: their XML files, a module's limits, and the resulting drive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue, require, short, within_field
from serpenoid.robots.cascade import Cascade, Gains
from serpenoid.support.output_paths import check_ending, check_file
from serpenoid.support.reading import decimal, read_text

LOOPS = ("position", "velocity", "effort")
NAMES = tuple(field.name for field in fields(Gains))
STRATEGY = "control_strategy"
ROOT = "group_gains"
PWM_LOOPS = {1: (), 2: ("effort",), 3: LOOPS, 4: ("velocity", "effort")}  # loops with output as voltage fraction
MOST_TORQUE = 7.0  # of a module [N m], Table 2.1 of the thesis
ENCODER_STEP = 2.0 * np.pi / 2**14  # resolution of a module's angle [rad]
LOOP_PERIOD = 1e-3  # period of a module's own control [s]
MOST_MODULES = 200  # largest number in a snake
ENDLESS = 1e6  # replaces an infinite limit of a file


class WrongStrategy(FileProblem):
    """A gains file for another strategy than that of the modules."""

    def __init__(self, path: Path, found: Sequence[int], wanted: int):
        self.found = ", ".join(map(str, found))
        super().__init__(
            path,
            f"is of strategy {self.found}, not of strategy {wanted}: "
            f"write one with serpenoid hebi gains write NEW.xml --strategy {wanted}",
        )


class GainTable(NamedTuple):
    """Gains of a file, one column per module; a file with one column applies to any number of modules."""

    strategy: NDArray  # (columns,) int
    values: Mapping[str, NDArray]  # by loop and gain such as position_kp, (columns,)

    @property
    def columns(self) -> int:
        """Number of modules with their own gains."""
        return max([len(self.strategy), *(len(column) for column in self.values.values())])

    def column(self, name: str, module: int) -> float:
        """Return one gain of one module."""
        values = self.values[name]
        return float(values[module if len(values) > 1 else 0])

    def cascade(self, module: int = 0, base: Cascade | None = None) -> Cascade:
        """Return the drive of one module with the file's gains, the rest from `base`.

        Raise an error if a module would reject it.
        """
        base = base or Cascade()
        strategy = int(self.strategy[module if len(self.strategy) > 1 else 0])
        loops: dict[str, Any] = {loop: self.loop(loop, module, getattr(base, loop)) for loop in LOOPS}
        drive = replace(base, strategy=strategy, **loops)
        check_module(drive)
        return drive

    def loop(self, loop: str, module: int, base: Gains) -> Gains:
        """Return one PID loop of one module."""
        given = {name: self.column(f"{loop}_{name}", module) for name in NAMES if f"{loop}_{name}" in self.values}
        bounded = {name: float(np.clip(value, -ENDLESS, ENDLESS)) for name, value in given.items()}
        if "d_on_error" in bounded:
            bounded["d_on_error"] = bool(bounded["d_on_error"])
        with within_field(loop):
            return replace(base, **bounded)  # type: ignore[arg-type]


def check_module(drive: Cascade) -> None:
    """Raise InvalidValue for gains that exceed a module's voltage or torque."""
    check_resolution(drive)
    for loop in PWM_LOOPS[drive.strategy]:
        gains: Gains = getattr(drive, loop)
        for name in ("min_output", "max_output"):
            value = getattr(gains, name)
            allowed = f"within -1 and 1 in strategy {drive.strategy}: a fraction of the motor's voltage"
            require(-1.0 <= value <= 1.0, f"{loop}.{name}", value, allowed)
    if drive.strategy > 1:
        for name in ("min_target", "max_target"):
            value = getattr(drive.effort, name)
            require(
                abs(value) <= MOST_TORQUE, f"effort.{name}", value, f"within {-MOST_TORQUE:g} and {MOST_TORQUE:g} N m"
            )


def check_resolution(drive: Cascade) -> None:
    """Raise InvalidValue for gains at which one encoder step commands the motor's full output: such a loop chatters.

    In strategy 1 no loop acts.
    """
    if drive.strategy == 1:
        return
    steps = {
        "position": ENCODER_STEP, "velocity": ENCODER_STEP / LOOP_PERIOD, "effort": drive.spring * ENCODER_STEP,
    }  # fmt: skip
    for loop, step in steps.items():
        most = 1.0 if loop in PWM_LOOPS[drive.strategy] else MOST_TORQUE
        for name, felt in (("kp", step), ("ki", step * LOOP_PERIOD), ("kd", step / LOOP_PERIOD)):
            value, limit = getattr(getattr(drive, loop), name), most / felt
            allowed = f"at most {limit:.4g}, at which one encoder step commands the motor's full output"
            require(value <= limit, f"{loop}.{name}", value, allowed)


def read_gains(path: Path) -> GainTable:
    """Read a gains file of HEBI; raise FileProblem for unknown elements."""
    try:
        root = ElementTree.fromstring(read_text(path))
    except ElementTree.ParseError as error:
        raise FileProblem(path, f"cannot be read as XML ({error})") from None
    if root.tag != ROOT:
        raise FileProblem(path, f"is not a gains file: its root is {root.tag}, must be {ROOT}")
    strategy, values = np.zeros(0), dict[str, NDArray]()
    for element in root:
        if element.tag == STRATEGY:
            strategy = numbers(path, STRATEGY, element.text)
        elif element.tag in LOOPS:
            values |= {f"{element.tag}_{gain.tag}": gain_of(path, element.tag, gain) for gain in element}
        else:
            raise FileProblem(path, f"contains {element.tag}; a gains file contains {', '.join((STRATEGY, *LOOPS))}")
    if not strategy.size:
        raise FileProblem(path, f"does not define its {STRATEGY}")
    table = GainTable(strategy.astype(int), values)
    check_columns(path, table, strategy)
    return table


def gain_of(path: Path, loop: str, element: ElementTree.Element) -> NDArray:
    """Return the column of one gain."""
    if element.tag not in NAMES:
        raise FileProblem(path, f"contains {loop}.{element.tag}; a loop has {', '.join(NAMES)}")
    found = numbers(path, f"{loop}.{element.tag}", element.text)
    if np.isnan(found).any():
        raise FileProblem(path, f"{loop}.{element.tag} is not a number: {short(element.text)}")
    return found


def numbers(path: Path, name: str, text: str | None) -> NDArray:
    """Parse numbers separated by spaces."""
    try:
        found = np.array([decimal(word) for word in (text or "").split()])
    except ValueError:
        raise FileProblem(path, f"{name} does not contain numbers: {short(text)}") from None
    if not found.size:
        raise FileProblem(path, f"{name} is empty")
    return found


def check_columns(path: Path, table: GainTable, strategy: NDArray) -> None:
    """Raise FileProblem for columns of different lengths, too many columns, or unknown strategies."""
    if table.columns > MOST_MODULES:
        raise FileProblem(path, f"is for {table.columns} modules: must be at most {MOST_MODULES}")
    for name, column in {STRATEGY: strategy, **table.values}.items():
        if len(column) not in (1, table.columns):
            raise FileProblem(path, f"{name} has {len(column)} values, others {table.columns}")
    if not np.isin(strategy, list(PWM_LOOPS)).all():
        raise FileProblem(path, f"{STRATEGY} is {short(strategy.tolist())}: must be 1, 2, 3 or 4")


def check_gains(path: Path, strategy: int | None = None, modules: int | None = None) -> GainTable:
    """Read a gains file and check every module, and the strategy and number of modules if given."""
    table = read_gains(path)
    if modules is not None and table.columns not in (1, modules):
        raise FileProblem(path, f"is for {table.columns} modules, not for {modules}")
    if strategy is not None and (table.strategy != strategy).any():
        raise WrongStrategy(path, sorted(set(table.strategy[table.strategy != strategy].tolist())), strategy)
    for module in range(table.columns):
        try:
            table.cascade(module)
        except InvalidValue as error:
            raise FileProblem(path, f"module {module}: {error}") from None
    return table


def check_place(path: Path) -> None:
    """Raise FileProblem if gains cannot be written to a path, or if it is not an earlier gains file."""
    check_ending(None, path, (".xml",))
    check_file(path)
    if not path.is_file():
        return
    try:
        held = ElementTree.fromstring(read_text(path)).tag
    except (FileProblem, ElementTree.ParseError):
        held = ""
    if held != ROOT:
        raise FileProblem(path, "exists and is not a gains file; choose another name")


def write_gains(path: Path, drive: Cascade, modules: int = 1) -> None:
    """Write a file that sets a drive's gains on the given number of modules."""
    check_module(drive)
    values = {
        f"{loop}_{name}": np.full(modules, float(getattr(getattr(drive, loop), name)))
        for loop in LOOPS
        for name in NAMES
    }
    write_table(path, GainTable(np.full(modules, drive.strategy), values))


def write_table(path: Path, table: GainTable) -> None:
    """Write columns of gains in the format of hebi-py."""
    root = ElementTree.Element(ROOT)
    ElementTree.SubElement(root, STRATEGY).text = " ".join(str(int(each)) for each in table.strategy)
    for loop in LOOPS:
        element = ElementTree.SubElement(root, loop)
        for name in NAMES:
            if f"{loop}_{name}" in table.values:
                column = table.values[f"{loop}_{name}"]
                ElementTree.SubElement(element, name).text = " ".join(f"{each:.9g}" for each in column)
    ElementTree.indent(root, "\t")
    try:
        path.write_text('<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")
    except OSError as error:
        raise FileProblem(path, f"cannot be written ({error.strerror})") from None

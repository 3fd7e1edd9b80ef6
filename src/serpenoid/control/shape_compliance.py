"""Shape-based compliance: a snake's shape yields to contact, in windows that travel with the wave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import ceil, expm1, pi
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, from_plain, kind_of, read_toml
from serpenoid.control.base import Signal
from serpenoid.control.kernel_law import WaveController
from serpenoid.control.shape_parameters import Parameter, Windows
from serpenoid.control.turning import InertialTurning, no_turning
from serpenoid.errors import InvalidValue, UnknownName, require
from serpenoid.gaits.arc import Backbone, backbone_of
from serpenoid.gaits.modular import Slithering
from serpenoid.gaits.shapes import ShapeFunction, shape_record
from serpenoid.kernels.laws.shape import HELD, shape_places
from serpenoid.kernels.laws.shape_records import Admittance, ShapeLaw, WindowSets
from serpenoid.kernels.laws.turning import HEADED, SIDE
from serpenoid.kernels.laws.windows import FLAT
from serpenoid.kernels.pose.inertial import CLEAR, RATIO, pose_numbers
from serpenoid.robots.base import Robot
from serpenoid.support import kernel_inputs

CONFIGURATIONS = Path(__file__).parent / "configurations"
SPARE = 6  # windows stored in addition to those on the body and next to it
MOST_SLOTS = 400
THESIS_SLITHERING = Slithering(spatial_frequency=3.0 * pi, phase=0.0)  # s starts at the first joint, as in (4.6)
# Constants of the thesis's laboratory, form L: the amplitude yields, the rest is rigid.
SLITHERING = (
    Parameter(
        "amplitude", mass=1.5, damping=3.0, stiffness=4.0, sign=(1.0,), bias=3.0, low=0.0, high=0.5 * pi,
        windows="half_wave",
    ),
    Parameter("spatial_frequency", mass=2.0, damping=1.0, stiffness=1.0, low=2.0 * pi, high=4.0 * pi),
    Parameter("phase", mass=1.0, damping=4.0, stiffness=4.0),
)  # fmt: skip


@dataclass(frozen=True)
class ShapeCompliance(WaveController):
    """Admittance of shape parameters (3.13), (3.14): parameters yield to joint torques, separately in each window.

    The Jacobian from shape parameters to joint angles treats window edges as fixed, although they move with the wave.
    """

    gait: ShapeFunction = THESIS_SLITHERING
    """gait, or a user-defined shape function: a formula with named parameters"""
    windows: tuple[Windows, ...] = (Windows(),)
    """windows in which parameters act"""
    parameters: tuple[Parameter, ...] = SLITHERING
    """compliant parameters of the gait and their admittances; all others are rigid"""
    dead_band: Annotated[float, at_least(0.0, usual=(0.0, 2.0))] = 0.0
    """dead band subtracted from the size of each joint torque; smaller torques are ignored [N m]"""
    torque_limit: Annotated[float, above(0.0, usual=(1.0, 20.0))] = 100.0
    """limit of the joint torque that acts on the parameters, after the dead band [N m]"""
    angle_limit: Annotated[float, between(0.0, pi, usual=(0.5, 0.5 * pi))] = 0.5 * pi - 0.02
    """limit of joint angles [rad]"""
    turning: InertialTurning | None = None
    """reversal and steering by the heading; none disables both"""

    def __post_init__(self) -> None:
        check_fields(self)
        check_names("windows", [w.name for w in self.windows])
        check_names("parameters", [p.name for p in self.parameters])
        given = {p.name: p for p in self.parameters}
        for name in given:
            if name not in self.gait.units:
                raise UnknownName("shape parameter", name, self.gait.units)
        self.gait.check()
        for p in self.parameters:
            check_nominal(p, self.gait)
        places = {"": -1, **{w.name: i for i, w in enumerate(self.windows)}}
        for p in self.parameters:
            if p.windows not in places:
                raise UnknownName(f"windows of {p.name}", p.windows, list(places)[1:])
        for w in self.windows:
            check_windows(w, given, self.gait.units, places)

    @property
    def needs_imu(self) -> bool:
        return self.turning is not None

    def phase_rate(self, robot: Robot) -> float:
        return 2.0 * pi * self.gait.frequency if "phase" in self.gait.units else 0.0

    def from_phase(self, phase: float) -> ShapeCompliance:
        gait: Any = self.gait
        return replace(self, gait=replace(gait, phase=phase)) if "phase" in gait.units else self

    def rigid(self) -> ShapeCompliance:
        """Return the same shape without torque feedback and without bias: open loop."""
        still = tuple(replace(p, sign=(0.0,), bias=0.0, adapt_rate=0.0) for p in self.parameters)
        return replace(self, parameters=still)

    @classmethod
    def presets(cls) -> dict[str, Callable[[], ShapeCompliance]]:
        """Return the configurations of the package by name; each is a TOML file that can be read and changed."""
        return {path.stem: partial(cls.read, path) for path in sorted(CONFIGURATIONS.glob("*.toml"))}

    @classmethod
    def read(cls, path: Path | str) -> ShapeCompliance:
        """Read a configuration from a TOML file with schema = 1 and the fields; parameters and windows are lists of
        tables.
        """
        return from_plain({**read_toml(Path(path)), "type": kind_of(cls)}, cls)

    def kernel(self, robot: Robot, period: float) -> ShapeLaw:
        backbone = backbone_of(robot, self.gait.metres)
        places = {p.name: i for i, p in enumerate(self.in_order)}
        moved = np.where(np.isfinite(backbone.place), 0, -1)
        chosen = list(self.gait.moved(backbone))
        field = f"{type(self.gait).__name__}.moved()"
        moved[kernel_inputs.places(field, chosen, (len(chosen),), 0, moved.size) if chosen else []] = 1
        lateral = np.zeros(moved.size, dtype=np.int64)
        lateral[list(backbone.lateral)] = 1
        shape, admittance = shape_record(self.gait, backbone, places), self.admittance(robot, period)
        integrated = range(len(self.windows) + 1) if shape[1] else admittance.window_set[shape[0].wave]
        law = ShapeLaw(
            *shape, admittance, self.window_sets(backbone, places, period, set(map(int, integrated))),
            self.turning.record(robot, period, places) if self.turning else no_turning(period),
            np.nan_to_num(backbone.place), lateral, moved.astype(np.int64), float(np.nanmax(backbone.place)),
            int(any(p.feels for p in self.parameters)), float(self.dead_band), float(self.torque_limit),
            float(self.angle_limit),
        )  # fmt: skip
        require(period > 0.0, "period", period, "above 0")
        return law

    @property
    def in_order(self) -> tuple[Parameter, ...]:
        """Return all parameters in the gait's order, including rigid ones but not optional ones that are 0."""
        given = {p.name: p for p in self.parameters}
        gait = self.gait
        there = (name for name in gait.units if name in given or name not in gait.optional or gait.nominal(name))
        return tuple(given.get(name) or Parameter(name) for name in there)

    def admittance(self, robot: Robot, period: float) -> Admittance:
        """Return the admittance of the parameters over a period [s]."""
        ps = self.in_order
        nominal = np.array([self.gait.nominal(p.name) for p in ps])
        groups = {"": 0, **{w.name: i + 1 for i, w in enumerate(self.windows)}}
        carry, push = zip(*(p.over_period(period) for p in ps))
        signs = np.zeros((len(ps), max(len(p.sign) for p in ps)))
        for i, p in enumerate(ps):
            signs[i, : len(p.sign)] = p.sign

        def column(values: Any, kind: type = float) -> NDArray:
            return np.array([kind(value) for value in values])

        return Admittance(
            nominal, column(self.phase_rate(robot) * period if p.name == "phase" else 0.0 for p in ps),
            column(0.0 if p.initial is None else p.initial - value for p, value in zip(ps, nominal)),
            np.array(carry), np.array(push), column(p.stiffness for p in ps), column(p.bias for p in ps),
            column((p.shared for p in ps), int), signs, column((len(p.sign) for p in ps), int),
            column(p.low for p in ps), column(p.high for p in ps),
            np.array([[p.adapt_rate * period, p.adapt_low, p.adapt_high] for p in ps]),
            column((groups[p.windows] for p in ps), int),
        )  # fmt: skip

    def window_sets(
        self, backbone: Backbone, places: dict[str, int], period: float, integrated: set[int]
    ) -> WindowSets:
        """Return the sets of windows on a robot; set 0 is one window over the whole body.

        integrated: sets whose parameters the shape integrates along the body. Waves integrate only the wave number;
        user-defined shapes may integrate any parameter.
        """
        ws, last = self.windows, float(np.nanmax(backbone.place))
        slots = 1
        for w in ws:
            pace = self.in_order[places[w.pace]]
            nominal = self.gait.nominal(w.pace)
            length = w.span / nominal
            if length < backbone.spacing * (1.0 - 1e-9):
                allowed = f"at least {backbone.spacing * nominal:.4g} rad, so that a window is not shorter than a joint"
                raise InvalidValue(f"windows.{w.name}.span", w.span, allowed)
            most = (last + 2.0 * FLAT / w.slope) * pace.high / w.span + 4.0
            if most > MOST_SLOTS:
                raise InvalidValue(
                    f"windows.{w.name}.slope", w.slope, f"such that at most {MOST_SLOTS} windows overlap"
                )
            slots = max(slots, ceil(most) + SPARE)
        integers = [
            np.array([first, *rest], dtype=np.int64)
            for first, rest in (
                (-1, [places[w.pace] for w in ws]), (-1, [places.get(w.clock, -1) for w in ws]),
                (0, [int(w.fresh == "neighbour") for w in ws]),
                (int(0 in integrated), [int(i + 1 in integrated) for i in range(len(ws))]),
            )
        ]  # fmt: skip
        spans, anchors, slopes = (
            np.array([1.0, *(float(getattr(w, name)) for w in ws)]) for name in ("span", "anchor", "slope")
        )
        merging = np.array(
            [(0.0, 0.0, 0.0), *((w.merge_below, w.split_above, -expm1(-period / w.merge_time)) for w in ws)]
        )
        return WindowSets(integers[0], integers[1], spans, anchors, slopes, integers[2], integers[3], merging, slots)

    def carry_over(self, before: ShapeLaw, after: ShapeLaw, memory: NDArray) -> None:
        """Keep the current value of parameters whose nominal value changed; the difference becomes a deviation."""
        at, slots = shape_places(before), before.windows.slots
        moved = after.admittance.nominal - before.admittance.nominal
        memory[at.state : at.state + moved.size * slots] -= np.repeat(moved, slots)

    def memory_signals(self, robot: Robot, period: float, memory: NDArray) -> dict[str, Signal]:
        return shape_signals(self, *made_for(self, robot, period), memory)


@lru_cache(maxsize=16)
def made_for(controller: ShapeCompliance, robot: Robot, period: float) -> tuple[ShapeLaw, Backbone]:
    """Return a law's record and backbone, cached because signals need them at every tick."""
    return controller.kernel(robot, period), backbone_of(robot, controller.gait.metres)


def check_names(field: str, names: list[str]) -> None:
    """Raise InvalidValue if a name occurs twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    require(not twice, field, twice, "names that differ")


def check_nominal(parameter: Parameter, gait: ShapeFunction) -> None:
    """Raise InvalidValue if a gait's value lies outside a parameter's limits; the phase takes all values."""
    value, ends = gait.nominal(parameter.name), (parameter.low, parameter.high)
    inside = parameter.low <= value <= parameter.high or (parameter.name == "phase" and gait.frequency != 0.0)
    require(inside, f"gait.{parameter.name}", value, f"within {ends}")


def check_windows(
    windows: Windows, parameters: dict[str, Parameter], units: Mapping[str, str], places: dict[str, int]
) -> None:
    """Raise InvalidValue or UnknownName if the parameters cannot set the length or the clock of a set of windows."""
    field = f"windows.{windows.name}"
    if windows.pace not in parameters:
        raise UnknownName(f"{field}.pace", windows.pace, parameters)
    pace = parameters[windows.pace]
    require(pace.low > 0.0, f"{field}.pace", pace.name, "a parameter whose least value is above 0")
    require(pace.high < 1e6, f"{field}.pace", pace.name, "a parameter with a greatest value")
    if windows.clock and windows.clock not in units:
        raise UnknownName(f"{field}.clock", windows.clock, units)
    allowed = "listed after the windows of the parameter that sets their length"
    require(places[pace.windows] <= places[windows.name], field, windows.name, allowed)
    rides = pace.windows in ("", windows.name) or bool(windows.clock)
    require(rides, f"{field}.clock", windows.clock, "set if another set's windows move with the wave")


def shape_signals(controller: ShapeCompliance, law: ShapeLaw, backbone: Backbone, memory: NDArray) -> dict[str, Signal]:
    """Return parameters, their forces and the window edges from rows of memory (..., numbers)."""
    at, slots = shape_places(law), law.windows.slots
    found: dict[str, Signal] = {"law_held": Signal(memory[..., HELD], "", "1 if readings were missing")}
    names = ["whole_body", *(w.name for w in controller.windows)]
    order = [window_order(memory, at, group, slots) for group in range(len(names))]
    for group, name in enumerate(names[1:], 1):
        begin = at.edges + group * slots
        edges = np.where(order[group][1], memory[..., begin : begin + slots], np.nan)
        meaning = f"start of windows {name}, from the snout"
        found[f"edge_{name}"] = Signal(edges * backbone.unit + backbone.first, "m", meaning, ("window",))
        if controller.windows[group - 1].split_above > 0.0:
            rows = memory[..., at.joined + group * slots : at.joined + (group + 1) * slots]
            joined = np.where(order[group][1], np.take_along_axis(rows, order[group][0], axis=-1), np.nan)
            found[f"joined_{name}"] = Signal(joined, "", f"1 if a window {name} is merged with the next", ("window",))
    for p, parameter in enumerate(controller.in_order):
        unit = controller.gait.units[parameter.name]
        slot, there = order[law.admittance.window_set[p]]
        central = law.admittance.window_set[p] == 0
        for kind, begin in (("shape", at.state), ("force", at.force)):
            rows = memory[..., begin + p * slots : begin + (p + 1) * slots]
            values = np.where(there, np.take_along_axis(rows, slot, axis=-1), np.nan)
            if kind == "shape":
                values = values + law.admittance.nominal[p] + memory[..., at.drift + p, None]
            words = (
                (unit, f"shape parameter {parameter.name}")
                if kind == "shape"
                else ("N m", f"force on {parameter.name}")
            )
            found[f"{kind}_{parameter.name}"] = (
                Signal(values[..., 0], *words) if central else Signal(values, *words, ("window",))
            )
    if controller.turning:
        own = at.turning + pose_numbers(law.turning.body)
        clear, ratio = memory[..., at.turning + CLEAR], memory[..., at.turning + RATIO]
        found["chassis_heading"] = Signal(memory[..., own + HEADED], "rad", "heading over a cycle, minus the desired")
        found["taper_side"] = Signal(memory[..., own + SIDE], "", "1 front half tapered, -1 rear half, 0 none")
        found["chassis_clear"] = Signal(clear, "", "0 if the shape has no main axis")
        found["chassis_ratio"] = Signal(ratio, "", "ratio of the first to the second singular value of the links")
    return found


def window_order(memory: NDArray, at: Any, group: int, slots: int) -> tuple[NDArray, NDArray]:
    """Return the slots of a set's windows from head to tail, and which of them are in use."""
    first, count = memory[..., at.first + group, None], memory[..., at.count + group, None]
    number = np.arange(slots)
    slot = np.zeros_like(number) + 0 * first if group == 0 else np.mod(first + number, slots)
    return slot.astype(int), number < count

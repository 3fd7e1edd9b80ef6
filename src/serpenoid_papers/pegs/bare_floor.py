"""S25 and G9: slithering on a bare isotropic floor, and the reason why it moves tail first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid import analysis
from serpenoid.control import OpenLoop, ShapeCompliance
from serpenoid.control.kernel_law import WaveController
from serpenoid.gaits import Slithering
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.robots import PD, SeaSnake
from serpenoid.simulation import simulate
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pegs.quasi_static import Wave, cycle_of

LENGTH = 3.0 * pi  # phase of the wave along the body [rad]
BARE = PegBoard(density=0.0)


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    amplitudes: tuple[float, ...] = (pi / 4, 1.2)
    """amplitudes of the joint angles [rad]"""
    cycles: int = 10
    """cycles of each run, after one excluded cycle"""
    powers: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    """exponents of the speed in the friction of the model without inertia: 0 Coulomb, 1 viscous"""
    waves: tuple[float, ...] = (2.0, 2.5, 3.0, 3.4, 4.0, 5.0)
    """phase of the wave along the body in that model [pi rad]"""
    modules: tuple[int, ...] = (12, 16, 18, 24)
    """numbers of modules in that model"""

    @classmethod
    def quick(cls) -> Config:
        return cls(cycles=4)

    @classmethod
    def tiny(cls) -> Config:
        return cls(amplitudes=(pi / 4,), cycles=1, powers=(0.0, 1.0), waves=(3.0,), modules=(18,))


class Result(NamedTuple):
    """Travel per cycle [mm], head first, by the varied parameter and by amplitude [rad]."""

    engine: dict[str, dict[float, float]]  # by the engine pegs
    still: dict[str, dict[float, float]]  # by the model without inertia


def run(config: Config, progress: Progress) -> Result:
    """Run the engine, varying one parameter at a time, then the model without inertia and time steps."""
    progress("pegs: slithering on a bare floor")
    engine = {
        name: {a: way_of(cases_law(law, a), config.cycles, **changed) for a in config.amplitudes}
        for name, (law, changed) in CASES.items()
    }
    still: dict[str, dict[float, float]] = {}
    for power in config.powers:
        still[f"friction ~ speed^{power:g}"] = {a: still_way(a, power=power) for a in config.amplitudes}
    for turns in config.waves:
        still[f"wave {turns:g} pi along the body"] = {a: still_way(a, length=turns * pi) for a in config.amplitudes}
    for count in config.modules:
        for joints in (False, True):
            name = f"{count} modules, wave from the {'first joint' if joints else 'snout'}"
            still[name] = {a: still_way(a, modules=count, joints=joints) for a in config.amplitudes}
    still["8 stations per piece"] = {a: still_way(a, stations=8) for a in config.amplitudes}
    return Result(engine, still)


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "as the scenario": ("snout", {}),
    "wave from the first joint": ("first joint", {}),
    "friction 0.05": ("snout", {"world": replace(BARE, friction=0.05)}),
    "friction 1": ("snout", {"world": replace(BARE, friction=1.0)}),
    "eps 1e-5 m/s": ("snout", {"world": replace(BARE, touch=PegTouch(floor_smoothing=1e-5))}),
    "eps 1e-3 m/s": ("snout", {"world": replace(BARE, touch=PegTouch(floor_smoothing=1e-3))}),
    "step 0.25 ms": ("snout", {"step": 0.00025}),
    "a quarter of the rate": ("snout", {"slower": 4.0}),
    "drives 3 times as stiff": ("snout", {"stiffer": 3.0}),
    "8 stations per piece": ("snout", {"world": replace(BARE, touch=PegTouch(stations=8))}),
    "friction along 0.9 of across": ("snout", {"world": replace(BARE, friction_along=0.27)}),
    "friction along 0.5 of across": ("snout", {"world": replace(BARE, friction_along=0.15)}),
}


def cases_law(name: str, amplitude: float) -> WaveController:
    """Return an open-loop wave with a phase of 3 pi from the snout to the tail's end, or over the joints."""
    if name == "snout":
        return OpenLoop(Slithering(amplitude=amplitude))
    law = ShapeCompliance.presets()["slithering_a"]().rigid()
    return replace(law, gait=replace(law.gait, amplitude=amplitude))  # type: ignore[type-var]


def way_of(law: WaveController, cycles: int, slower: float = 1.0, stiffer: float = 1.0, **changed: Any) -> float:
    """Return the travel per cycle [mm], head first, by the engine pegs, without the first cycle."""
    robot = SeaSnake(drive=PD(stiffness=30.0 * stiffer, damping=0.3, torque_limit=7.0))
    if isinstance(law, OpenLoop):
        law = replace(law, gait=replace(law.gait, frequency=law.gait.frequency / slower))  # type: ignore[type-var]
    period = 2.0 * pi / law.phase_rate(robot)
    end = round((cycles + 1) * period, 2)
    run = simulate(robot, changed.pop("world", BARE), law, end, engine="pegs", sample_period=0.01, **changed)
    return 1e3 * analysis.speed(run, round(period, 2)) * period


def still_way(
    amplitude: float, *, power: float = 0.0, length: float = LENGTH, modules: int = 18, joints: bool = False,
    stations: int = 2,
) -> float:  # fmt: skip
    """Return the same by the model without inertia; `joints` starts the wave at the first joint, not at the snout."""
    robot = SeaSnake(modules=modules)
    pieces = robot.planar_chain()
    place = pieces.joints / modules if joints else robot.arc_positions[pieces.joints] / robot.length
    return 1e3 * cycle_of(pieces.chain, Wave(amplitude, length * place), stations, power).way


def claims(result: Result) -> list[Finding]:
    """Report the finding on S25, and the causes of the motion."""
    first, own = result.engine["as the scenario"], result.engine["wave from the first joint"]
    small = min(own)
    viscous = max((abs(way) for way in result.still.get("friction ~ speed^1", {}).values()), default=float("nan"))
    ratio = {f"{a:.3g} rad": first[a] / result.still["friction ~ speed^0"][a] for a in first}
    measured = {"engine over model without inertia": ratio, "largest distance with viscous friction [mm]": viscous}
    both = {"engine": in_words(result.engine), "without inertia": in_words(result.still)}
    return [
        Finding("S25", {"explicit_mm_per_cycle": own[small], "by amplitude": in_words({"": own})[""]},
                "on the floor of the peg boards, friction 0.3, wave as in (4.6); the snake moves tail first"),
        Finding("G9", measured, f"mm per cycle, head first: {both}"),
    ]  # fmt: skip


def in_words(ways: dict[str, dict[float, float]]) -> dict[str, dict[str, float]]:
    """Return travels rounded to 0.1 mm, with amplitudes as words."""
    return {name: {f"{a:.3g} rad": round(way, 1) for a, way in values.items()} for name, values in ways.items()}


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the travel per cycle by the exponent of the friction law, and by the wave."""
    sheet = new_figure(9.0, 3.4)
    for i, (word, label) in enumerate((("friction ~ speed^", "power of the speed in friction [-]"),
                                       ("wave ", "phase of the wave along the body [pi rad]"))):  # fmt: skip
        axes = dressed(sheet.add_subplot(1, 2, i + 1))
        rows = {n.removeprefix(word).split()[0]: ways for n, ways in result.still.items() if n.startswith(word)}
        for j, amplitude in enumerate(result.engine["as the scenario"]):
            ways = [values[amplitude] for values in rows.values()]
            axes.plot([float(n) for n in rows], ways, "o-", color=COLOURS[j], label=f"{amplitude:.3g} rad")
        axes.axhline(0.0, color=GREY, lw=0.8)
        labelled(axes, label, "mm per cycle, head first" if i == 0 else "", "Without inertia" if i == 0 else "")
        legend(axes)
    return [write(sheet, folder / "bare_floor.png")]

"""Calls of the modules' interface, and real-time control by joint sensors alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import hebi_twin as hebi
from hebi_twin.network import SNAKE_NAMES
from serpenoid.control.base import Observation
from serpenoid.control.kernel_law import KernelController, KernelLaw
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.base import Robot
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.benchmarks.hardware import Timed, time_loop
from serpenoid_papers.benchmarks.laws import laws, slowest

PERIOD = 0.01  # [s]
FAMILY = "SEA Snake"
QUIET = 0.95  # share of wall-clock time in which an undisturbed thread runs


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Durations of the measurements."""

    ticks: int = 10_000
    """timed ticks of every law"""
    clock: float = 60.0
    """duration of the real-time loop [s]"""
    listening: float = 20.0
    """duration of rate measurements [s], simulated"""

    @classmethod
    def quick(cls) -> Config:
        return cls(clock=10.0)

    @classmethod
    def tiny(cls) -> Config:
        return cls(ticks=20, clock=0.1, listening=0.2)


class Result(NamedTuple):
    """Results of the experiment."""

    calls: dict[str, bool]  # calls of the thesis's pages 14 and 15, and whether each has its effect
    rates: dict[str, float]  # measured over requested
    whole_chain: bool  # found from each of its modules
    slowest: dict[str, float]  # 99th percentile of a tick by law [ms]
    changed: dict[str, int]  # ticks whose targets change if only joints and IMUs are known, by law
    clocked: Timed  # real-time loop
    share: float  # processor time over wall-clock time of the timed ticks; below 1 if other processes interrupt them


def run(config: Config, progress: Progress) -> Result:
    """Test every call, both rates, every law, and the real-time loop."""
    lookup = hebi.Lookup(link=hebi.link_of(hebi.bench_of(PlanarSnake(links=17), Plane()), realtime=False))
    found = rates(lookup, config.listening)
    whole = all(size_of(lookup.get_connected_group_from_name(FAMILY, name)) == 16 for name in SNAKE_NAMES)
    called = dict(calls(lookup))
    robot, slow, changed = SeaSnake(), {}, {}
    elapsed = own = 0.0
    for name, controller in laws().items():
        progress(f"sea-snake: ticks of {name}")
        law, sensed = KernelLaw(controller, robot, PERIOD), sense(robot, 0, True)
        began, began_own = time.perf_counter(), time.thread_time()
        slow[name] = 1e-3 * slowest(law, sensed, config.ticks)
        elapsed, own = elapsed + time.perf_counter() - began, own + time.thread_time() - began_own
        changed[name] = changed_targets(controller, robot, min(config.ticks, 500))
    return Result(called, found, whole, slow, changed, time_loop(config.clock), own / elapsed)


def size_of(group: Any) -> int:
    """Return the number of its modules; 0 if there is none."""
    return 0 if group is None else group.size


def rates(lookup: hebi.Lookup, seconds: float) -> dict[str, float]:
    """Return the measured rates of look-ups and feedback over the requested 5 Hz and 100 Hz."""
    heard: list[Any] = []
    group, bench = lookup.get_group_from_family(FAMILY), lookup.link.bench  # type: ignore[attr-defined]
    assert group is not None
    group.add_feedback_handler(heard.append)
    asked = bench.asked
    lookup.link.sleep(seconds)
    group.close()
    return {"lookup": (bench.asked - asked) / (5.0 * seconds), "feedback": len(heard) / (100.0 * seconds)}


def calls(lookup: hebi.Lookup) -> Iterator[tuple[str, bool]]:
    """Yield the eleven calls of the lookup and the eleven of a group on pages 14 and 15, and whether each has its
    effect.
    """
    lookup.initial_group_command_lifetime = 80
    lookup.initial_group_feedback_frequency = 50.0
    lookup.lookup_frequency = 10.0
    yield "setLookupFrequency", lookup.lookup_frequency == 10.0
    named = lookup.get_group_from_names(FAMILY, list(SNAKE_NAMES))
    yield "newGroupFromNames", size_of(named) == 16
    yield "setInitialGroupCommandLifetime", named is not None and named.command_lifetime == 80
    yield "setInitialGroupFeedbackFrequency", named is not None and named.feedback_frequency == 50.0
    macs = [entry.mac_address for entry in lookup.entrylist if entry.family == FAMILY]
    yield "newGroupFromMacs", size_of(lookup.get_group_from_macs(macs[:2])) == 2
    yield "newGroupFromFamily", size_of(lookup.get_group_from_family("Snake Monster")) == 4
    yield "newConnectedGroupFromMac", size_of(lookup.get_connected_group_from_mac(macs[0])) == 16
    chain = lookup.get_connected_group_from_name("*", SNAKE_NAMES[2])
    yield "newConnectedGroupFromName", size_of(chain) == 16
    lookup.reset()
    yield "clearModuleList", len(lookup.entrylist) == 0 and size_of(lookup.get_group_from_family(FAMILY)) == 16
    lookup.reset("10.10.10.11")
    yield "setLookupAddresses", size_of(lookup.get_group_from_family(FAMILY)) == 1
    if chain is not None:
        yield from calls_of_a_group(chain)
    hebi.util.clear_all_groups()
    yield "clearGroups", not lookup.link.bench.subscriptions  # type: ignore[attr-defined]


def calls_of_a_group(group: hebi.Group) -> Iterator[tuple[str, bool]]:
    """Yield the calls of a group, in an order in which each has a visible effect."""
    yield "getNumModules", group.size == 16
    group.feedback_frequency = 200.0
    yield "setFeedbackFrequency", group._link.bench.subscriptions[group._sender].frequency == 200.0  # type: ignore
    yield "getFeedbackFrequency", group.feedback_frequency == 200.0
    group.command_lifetime = 500
    yield "setCommandLifetime", group.command_lifetime == 500
    info = group.request_info()
    yield "getInfo", info is not None and info.name == list(SNAKE_NAMES)  # type: ignore[attr-defined]
    yield "getGains", info is not None and bool((info.position_kp > 0.0).all())  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        yield "startLog", Path(group.start_log(folder, "run")).is_file()
        command = hebi.GroupCommand(group.size)
        command.position = 0.2  # type: ignore[attr-defined]
        yield "set", group.send_command(command)
        feedback = [group.get_next_feedback() for _ in range(3)][-1]
        echoed = feedback is not None and np.allclose(feedback.position_command, 0.2)  # type: ignore[attr-defined]
        yield "getNextFeedback", echoed
        yield "getCommandLifetime", group.command_lifetime == 500
        log = group.stop_log()
        yield "stopLog", log is not None and len(list(log.feedback_iterate)) == 3


def sense(robot: Robot, tick: int, all_known: bool) -> Observation:
    """Return the observation of a pushed snake, with everything but joints and IMUs random or unknown."""
    draw, links = np.random.default_rng(tick), len(robot.link_names)
    found = {name: draw.normal(0.0, 0.3, robot.joints) for name in ("joint_position", "joint_velocity", "joint_torque")}
    found["accelerometer"] = np.array([0.0, 0.0, STANDARD_GRAVITY]) + draw.normal(0.0, 0.3, (links, 3))
    found["gyroscope"] = draw.normal(0.0, 0.3, (links, 3))
    for name in ("motor_position", "temperature", "voltage", "current"):
        found[name] = draw.normal(0.0, 1.0, robot.joints) if all_known else np.full(robot.joints, np.nan)
    return Observation(tick * PERIOD, found)


def changed_targets(controller: KernelController, robot: Robot, ticks: int) -> int:
    """Return the number of ticks at which a law with full knowledge differs from one with joints and IMUs only."""
    first, second = (KernelLaw(controller, robot, PERIOD) for _ in range(2))
    pairs = ((first(sense(robot, k, True)), second(sense(robot, k, False))) for k in range(ticks))
    return sum(not np.array_equal(one.position, two.position, equal_nan=True) for one, two in pairs)


def claims(result: Result) -> list[Finding]:
    """Report the findings on S5 and S6."""
    error = max(abs(rate - 1.0) for rate in result.rates.values())
    five = {"calls": sum(result.calls.values()), "rate_error": error, "whole_chain": result.whole_chain}
    failed = [name for name, good in result.calls.items() if not good]
    six = {
        "tick_99_ms": max(result.slowest.values()), "changed_outputs": sum(result.changed.values()),
        "periods_kept": result.clocked.kept,
    }  # fmt: skip
    busy = f"the machine is busy: the timed thread had {result.share:.0%} of a processor"
    ticks = ", ".join(f"{name} {time:.3g} ms" for name, time in result.slowest.items())
    return [
        Finding("S5", five, f"of {len(result.calls)} calls, without effect: {', '.join(failed) or 'none'}"),
        Finding(
            "S6",
            six,
            f"{ticks}; periods of 10 ms kept with emulated modules over UDP, of {result.clocked.periods:.0f}",
            "" if result.share >= QUIET else busy,
        ),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the delays of commands after their ticks."""
    sheet = new_figure(7.0, 3.5)
    axes = dressed(sheet.add_subplot())
    late = 1e3 * np.sort(result.clocked.delays)
    axes.semilogy(late, 1.0 - np.arange(late.size) / late.size, color=COLOURS[0])
    axes.axvline(1e3 * PERIOD, color=COLOURS[1], linestyle="--")
    labelled(axes, "delay after the tick [ms]", "share of commands with a longer delay", "Real-time loop, 18 joints")
    return [write(sheet, folder / "loop_against_the_clock.png")]

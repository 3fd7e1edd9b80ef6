"""Identities without physics (S12-S14, S17-S19, S52, S66, Fig. 4.2, 4.12): shapes, windows, wells."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance
from serpenoid.control.shape_parameters import carried_over
from serpenoid.kernels.laws import shape
from serpenoid.kernels.laws.shape import pass_joints
from serpenoid.kernels.laws.turning import reversal_history
from serpenoid.kernels.laws.windows import place_windows
from serpenoid.mechanics.bisection import edge_of
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.sea_snake.boards import change_parameter, preset
from serpenoid_papers.sea_snake.ticked import PERIOD, ROBOT, Ticked

THREE = {"slithering": "slithering_awp", "helix": "helix", "sidewinding": "sidewinding_ac_sfc"}
STRETCHES, STRETCH = 4, 60  # segments of a random history, and ticks of each
AT_ONCE, LEAST = 1e-4, 1e-12  # duration of a tick with a push [s]; smallest motion of a joint that counts [rad]
PERIODS = (PERIOD, 0.5 * PERIOD, 0.25 * PERIOD)  # steps of continuous targets scale with the period [s]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Numbers of states and histories."""

    states: int = 1000
    """states of each gait"""
    histories: int = 1000
    """histories of the windows"""

    @classmethod
    def tiny(cls) -> Config:
        return cls(states=3, histories=5)


class Result(NamedTuple):
    """Measures by claim."""

    measured: dict[str, dict[str, Any]]
    words: dict[str, str]


def run(config: Config, progress: Progress) -> Result:
    """Measure all claims."""
    measured = {
        "S12": bases(), "S13": attractor(), "S14": jacobian(config.states), "S17": interference(), "S18": growing(),
        "S19": manager(config.histories), "S52": wells(), "S66": framework(),
    }  # fmt: skip
    counted = {name: len(preset(file).parameters) for name, file in THREE.items()}
    rides, steps = measured["S14"], measured["S19"]["greatest_steps"]
    words = {
        "S12": "100 random sets of parameters", "S13": "pulses and random states of four admittances",
        "S14":
        f"{config.states} states of each of {', '.join(THREE)}, half of them with an edge on a joint; edges fixed. "
        "Edges that move with the wave add terms to the Jacobian that are not used; then "
        f"{rides['other_way_riding']:.2%} of {rides['pushes']} pushes of either sign have the opposite effect",
        "S17": "slope of the law's own phase in the middle half of each window; Gaussian windows for comparison",
        "S18": "nine joints; the values of Fig. 4.4",
        "S19":
        f"{config.histories} random histories of {STRETCHES * STRETCH * PERIOD:g} s from the start, with the phase "
        "moved forwards and backwards; weights at all joints and between. Largest step of a target with periods of "
        f"{', '.join(f'{1e3 * period:g}' for period in PERIODS)} ms: {', '.join(f'{step:.2g}' for step in steps)} "
        "rad",
        "S52": "(4.21) alone, ratio 1; closed form 129 deg",
        "S66": f"parameters: {counted}; one kernel, table-driven",
    }  # fmt: skip
    return Result(measured, words)


def claims(result: Result) -> list[Finding]:
    """Return the findings as measured."""
    return [Finding(id, measured, result.words[id]) for id, measured in result.measured.items()]


def bases() -> dict[str, Any]:
    """Measure S12: the serpenoid as a sum of bases, (3.6) with A in its first line and sigma_3 = -A sin."""
    rigid, rng = preset("slithering_a").rigid(), np.random.default_rng(0)
    s, worst = np.arange(0, 18, 2) / 18.0, 0.0
    for _ in range(100):
        mean, size, wave, phase = rng.uniform([-0.2, 0.1, 2.0 * pi, 0.0], [0.2, 1.0, 4.0 * pi, 6.0])
        gait: Any = replace(rigid.gait, amplitude=size, spatial_frequency=wave, phase=phase, offset=mean)  # type: ignore[type-var]
        law = Ticked(replace(rigid, gait=gait))
        angles = law.tick(np.zeros(ROBOT.joints))[::2]
        summed = mean + size * np.cos(phase) * np.sin(wave * s) - size * np.sin(phase) * np.cos(wave * s)
        worst = max(worst, float(np.abs(angles - summed).max()))
    return {"difference": worst}


def attractor() -> dict[str, Any]:
    """Measure S13: a second with force, two without, against the closed form by eigenvalues, and the return."""
    worst, returned, rng = 0.0, 0, np.random.default_rng(5)
    for mass, damping, stiffness in ((1.5, 3.0, 4.0), (2.0, 1.0, 1.0), (1.0, 10.0, 1.0), (0.1, 3.0, 3.0)):
        carry, push = carried_over(mass, damping, stiffness, PERIOD)
        system = np.array([[0.0, 1.0], [-stiffness / mass, -damping / mass]])
        values, vectors = np.linalg.eig(system)
        states = rng.standard_normal((2, 25))
        here, rest = states.copy(), np.array([[2.0 / stiffness], [0.0]])
        for tick in range(300):
            here = carry.reshape(2, 2) @ here + push[:, None] * (2.0 if tick < 100 else 0.0)

        def after(time: float, start: NDArray, v: NDArray = values, e: NDArray = vectors) -> NDArray:
            return (e @ (np.exp(v * time)[:, None] * np.linalg.solve(e, start.astype(complex)))).real

        wanted = after(2.0, rest + after(1.0, states - rest))
        worst = max(worst, float(np.abs(here - wanted).max()))
        back = np.linalg.matrix_power(carry.reshape(2, 2), 12_000) @ states
        returned += int((np.abs(back).max(axis=0) < 1e-4).sum())
    return {"difference": worst, "returned": returned}


def jacobian(states: int) -> dict[str, Any]:
    """Measure S14: slopes by differences and by power, and the work of one push on each joint."""
    rng, worst = np.random.default_rng(7), [0.0, 0.0]
    for file in THREE.values():
        law = Ticked(replace(preset(file), turning=None))
        for state in range(states):
            law.wander(rng)
            if state % 2:
                law.put_an_edge_on_a_joint(rng)
            worst = [max(a, b) for a, b in zip(worst, law.slopes(rng))]
    found = {sign: [] for sign in (1.0, -1.0)}  # type: ignore[var-annotated]
    for file in THREE.values():
        for sign, answers in found.items():
            answers.append(push_targets(file, sign, states))
    held = {sign: np.concatenate([a[0] for a in answers]) for sign, answers in found.items()}
    riding = np.concatenate([sign * a[1] for sign, answers in found.items() for a in answers])
    return {
        "difference": worst[0], "power": worst[1], "compliance_yields": bool(np.all(held[1.0] > 0.0)),
        "anti_compliance_resists": bool(np.all(held[-1.0] < 0.0)), "pushes": int(held[1.0].size),
        "other_way_riding": float(np.mean(riding <= 0.0)),
    }  # fmt: skip


def push_targets(file: str, sign: float, states: int) -> tuple[NDArray, NDArray]:
    """Return the immediate motion [rad] of a joint's target by a push of 1 N m on it, with one sign of all forces.

    It covers every joint that a yielding parameter moves, at random states, with fixed and with moving window edges.
    """
    law, rng = replace(preset(file), turning=None), np.random.default_rng(13)
    ticked, how = Ticked(law), law.kernel(ROBOT, AT_ONCE).admittance
    own = ticked.law
    limits = {"low": np.full_like(how.low, -np.inf), "high": np.full_like(how.high, np.inf)}
    signed = how._replace(signs=sign * np.abs(np.sign(how.signs)), **limits)
    free = own._replace(dead_band=0.0, angle_limit=100.0, admittance=signed)
    found, at = [], ticked.at
    values, targets = slice(at.ordered, at.pressed), slice(at.target, at.turning)
    for _ in range(states):
        ticked.law = own
        ticked.wander(rng)
        start, ticked.law = ticked.memory.copy(), free
        ticked.tick(np.zeros(ROBOT.joints))
        alone = ticked.memory.copy()
        for joint in np.flatnonzero(own.moved == 1):
            ticked.memory[:] = start
            ticked.tick(-np.eye(ROBOT.joints)[joint])
            riding = ticked.memory[targets][joint]
            alone_held = alone.copy()
            alone_held[values] = ticked.memory[values]
            pass_joints(free, alone_held, at, own.place, False)
            found.append([alone_held[targets][joint], riding] - alone[targets][joint])
        ticked.memory[:] = start
    held, rides = np.transpose(found)
    moves = np.abs(held) > LEAST
    return held[moves], rides[moves]


EDGES, WAVES = np.array([0.0, 0.25, 0.5, 1.0]), np.array([4.0, 4.0, 2.0]) * pi  # values of S17, Fig. 4.2 and 4.4


def with_waves(values: NDArray) -> Ticked:
    """Return a slithering law, its lowest spatial frequency pi / 2, with these values in its first windows."""
    ticked = Ticked(change_parameter(preset("slithering_aw"), "spatial_frequency", low=0.5 * pi))
    at, slots = ticked.at, ticked.law.windows.slots
    for window, value in enumerate(values):
        ticked.memory[at.state + slots + window % slots] = value - 3.0 * pi
    place_windows(ticked.law, ticked.memory, at, 1)
    first, count = (int(ticked.memory[place + 1]) for place in (at.first, at.count))
    own = ticked.memory[at.state + slots + np.arange(first, first + count) % slots]
    ticked.memory[at.ordered + slots : at.ordered + slots + count] = 3.0 * pi + own
    return ticked


def sigmoid_waves(s: NDArray) -> NDArray:
    """Return the local wave number [rad/body] at positions s [body], the slope of the law's phase along the body."""
    ticked, phase = with_waves(WAVES), []
    for place in np.column_stack([s - 1e-5, s + 1e-5]).ravel():
        ticked.look_at(place)
        phase.append(ticked.memory[ticked.at.integral + 1])
    return np.diff(np.reshape(phase, (-1, 2)), axis=1)[:, 0] / 2e-5


def gaussian_waves(s: NDArray) -> NDArray:
    """Return the same for the sum of Gaussian windows, which have half height at a window's end."""
    width = np.diff(EDGES) / 2.0 / np.sqrt(2.0 * np.log(2.0))
    return np.sum(WAVES * np.exp(-0.5 * ((s[:, None] - 0.5 * (EDGES[1:] + EDGES[:-1])) / width) ** 2), axis=1)


def interference() -> dict[str, Any]:
    """Measure S17: error of the wave number in the middle half of a window."""
    off = {sigmoid_waves: [], gaussian_waves: []}  # type: ignore[var-annotated]
    for a, b, wave in zip(EDGES, EDGES[1:], WAVES):
        s = np.linspace(a + 0.25 * (b - a), b - 0.25 * (b - a), 50)
        for local, found in off.items():
            found.append(float(np.abs(local(s) / wave - 1.0).max()))
    return {"sigmoid": max(off[sigmoid_waves]), "gaussian": min(off[gaussian_waves])}


def growing() -> dict[str, Any]:
    """Measure S18: joints in the first window before and after it grows, and windows that fill the body."""
    found, phase = [], 0.0
    for wave in (3.0 * pi, 1.8 * pi):
        edges, s = edges_on_body(grown := with_waves(np.array([wave]))), grown.law.place[::2]
        found.append(int(np.sum((s >= edges[0]) & (s < edges[1] - 1e-9))))
        phase = max(phase, abs(float((edges[1] - edges[0]) * wave) - pi))
    fill = float(np.abs(edges_on_body(with_waves(WAVES)) - EDGES).max())
    return {"joints_before": found[0], "joints_after": found[1], "fill_error": fill, "phase_error": phase}


def edges_on_body(ticked: Ticked) -> NDArray:
    """Return the edges of the first windows on the body."""
    at, slots = ticked.at, ticked.law.windows.slots
    first, count = (int(ticked.memory[place + 1]) for place in (at.first, at.count))
    return ticked.memory[at.edges + slots : at.edges + slots + count][-first : -first + 4].copy()


def manager(histories: int) -> dict[str, Any]:
    """Measure S19: order, weights, continuity and memory of the windows under random torques and phase rates."""
    few = max(1, histories // 10)
    _, ordered, error = led_about(histories, PERIOD)
    jumps = [led_about(few, period)[0] for period in PERIODS]
    returned = [values_return(np.random.default_rng(k)) for k in range(few)]
    return {
        "in_order": ordered, "weight_error": error,
        "continuous": all(b <= 0.6 * a for a, b in zip(jumps, jumps[1:])), "values_return": all(returned),
        "greatest_steps": jumps,
    }  # fmt: skip


def led_about(histories: int, period: float) -> tuple[float, bool, float]:
    """Return the largest step of a target [rad] in random histories, whether edges stay in order, and the weights'
    error.

    The histories in time are the same for every period, so the steps of continuous targets scale with it.
    """
    ticked, rng = Ticked(preset("slithering_awp"), period), np.random.default_rng(11)
    at, slots, clock = ticked.at, ticked.law.windows.slots, 2 * ticked.law.windows.slots
    ordered, error, jump = True, 0.0, 0.0
    for _ in range(histories):
        ticked.begin()
        before = ticked.tick(np.zeros(ROBOT.joints))
        for _ in range(STRETCHES):
            speed, push = rng.uniform(-6.0, 6.0), 4.0 * rng.standard_normal() * rng.standard_normal(ROBOT.joints)
            for _ in range(round(STRETCH * PERIOD / period)):
                ticked.memory[at.state + clock] += speed * period  # move the phase forwards or backwards
                target = ticked.tick(push)
                jump, before = max(jump, float(np.abs(target - before).max())), target
                count = int(ticked.memory[at.count + 1])
                edges = ticked.memory[at.edges + slots : at.edges + slots + count]
                ordered &= bool(np.all(np.diff(edges) > 0.0))
            for place in (*ticked.law.place, *rng.uniform(0.0, 1.0, 9)):
                ticked.look_at(place)
                error = max(error, abs(float(ticked.memory[at.weight + slots : at.weight + slots + count].sum()) - 1.0))
    return jump, ordered, error


def values_return(rng: np.random.Generator) -> bool:
    """Return whether a window that left at the tail returns unchanged when the wave runs backwards."""
    law = preset("slithering_a")
    ticked = Ticked(replace(law, parameters=tuple(replace(p, bias=0.0) for p in law.parameters)))
    at, slots = ticked.at, ticked.law.windows.slots
    for _ in range(rng.integers(200, 500)):
        ticked.tick(rng.standard_normal(ROBOT.joints))
    still, clock = np.zeros(ROBOT.joints), at.drift + 2
    rearmost = int(ticked.memory[at.first + 1] + ticked.memory[at.count + 1]) - 1
    kept = None
    while kept is None or int(ticked.memory[at.first + 1] + ticked.memory[at.count + 1]) > rearmost:
        kept, phase = ticked.memory[at.state + rearmost % slots], ticked.memory[clock]
        ticked.tick(still)
    for _ in range(300):
        ticked.tick(still)
    how = ticked.law.admittance
    ticked.law = ticked.law._replace(admittance=how._replace(drift=-how.drift))
    while ticked.memory[clock] > phase:
        ticked.tick(still)
    return bool(abs(ticked.memory[at.state + rearmost % slots] - kept) < 1e-12 + 0.05 * abs(kept))


def settle_beta(beta: float, heading: float) -> float:
    """Return the resting value of beta [rad] under a constant heading, ratio 1."""
    return float(reversal_history(beta, np.full(6000, heading), 2.0, 2.0, PERIOD)[-1])


def wells() -> dict[str, Any]:
    """Measure S52: small headings, the switching heading by bisection, and ten reversals in both directions."""
    share = max(
        abs(settle_beta(0.0, way * np.radians(d))) / np.radians(d) for d in (10, 20, 30, 45) for way in (1.0, -1.0)
    )
    slope = np.polynomial.Polynomial([0.5 * pi**2, -3.0 * pi, 3.0]) + 1.0
    x = float(np.real(slope.roots()).min())
    wanted, off = x + x * (x - 0.5 * pi) * (x - pi), 0.0
    for way in (1.0, -1.0):
        stays = lambda heading, way=way: abs(settle_beta(0.0, way * heading)) <= 0.5 * pi  # noqa: E731
        last, _ = edge_of(stays, 0.5 * pi, pi, pi / 2**13)
        off = max(off, float(np.degrees(abs(last - wanted))))
    turns = {}
    for name, way in (("turns_left", 1.0), ("turns_right", -1.0)):
        found = reversal_history(0.0, way * pi * np.repeat(np.arange(11), 1000), 2.0, 2.0, PERIOD)[999::1000]
        turns[name] = int((np.abs(found[1:] - way * pi * np.arange(1, 11)) < 0.02).sum())
    return {"share_of_heading": float(share), "switching_error_deg": off, **turns}


def framework() -> dict[str, Any]:
    """Measure S66: names of gaits in the source of the law and its configuration."""
    from serpenoid.control import shape_compliance
    from serpenoid.kernels.laws import waves, windows

    text = "\n".join(inspect.getsource(module) for module in (shape, waves, windows))
    text += inspect.getsource(shape_compliance.ShapeCompliance)
    branches = [line for line in text.splitlines() if line.strip().startswith(("if ", "elif "))]
    named = [line for line in branches if any(word in line for word in ("slither", "helix", "sidewind"))]
    same = all(isinstance(preset(file), ShapeCompliance) for file in THREE.values())
    return {"branches_on_the_name": len(named), "gaits_counted": len(THREE) if same else 0}


def wells_potential(beta: NDArray, heading: float) -> NDArray:
    """Return the potential [rad^2/s] of beta [rad] at a heading [rad]: minus the integral of (4.21), K_b = K_h = 2."""
    x = np.mod(beta, pi)
    return np.asarray(2.0 * (0.25 * x**4 - 0.5 * pi * x**3 + 0.25 * pi**2 * x**2) + (beta - heading) ** 2)


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.2 (Gaussian and sigmoid windows), the resting beta by heading, and Fig. 4.12 (the potential)."""
    sheet = new_figure(11.0, 3.5)
    left, middle, right = (dressed(sheet.add_subplot(1, 3, i + 1)) for i in range(3))
    s = np.linspace(0.0, 1.0, 400)
    for colour, name, local in zip(COLOURS, ("sigmoid", "Gaussian"), (sigmoid_waves, gaussian_waves)):
        left.plot(s, local(s) / pi, color=colour, label=name)
    left.legend(fontsize=8, frameon=False)
    headings = np.linspace(0.0, pi, 37)
    for colour, start in zip(COLOURS, (0.0, pi)):
        middle.plot(np.degrees(headings), [settle_beta(start, h) / pi for h in headings], color=colour)
    beta = np.linspace(-0.5, 4.0, 300)
    for colour, h in zip(COLOURS, (0.0, 0.5 * pi, 0.75 * pi)):
        right.plot(beta, wells_potential(beta, h), color=colour, label=f"heading {np.degrees(h):.0f} deg")
    right.legend(fontsize=8, frameon=False)
    labelled(left, "position [body]", "spatial frequency [pi/body]", "Fig. 4.2: windows")
    labelled(middle, "constant heading [deg]", "beta at rest [pi]", "(4.21): equilibrium of beta")
    labelled(right, "beta [rad]", "potential [rad^2/s]", "Fig. 4.12: the wells' potential")
    return [write(sheet, folder / "fig_4_2_and_12.png")]

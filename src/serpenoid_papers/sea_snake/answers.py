"""Responses of shape laws to pushes: measures of the claims S20-S24 by the keys of their criteria."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.kernel_law import WaveController
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.gaits.arc import backbone_of
from serpenoid_papers.sea_snake.boards import change_parameter, nominal
from serpenoid_papers.sea_snake.led_chain import ChainLaw, LateralChain
from serpenoid_papers.sea_snake.ticked import PERIOD, ROBOT

STRONGEST = 7.0  # torque limit of a joint [N m]
NEWTONS_PER_SECOND = 40.0  # rate at which a pressing force increases
# times at which head and tail are pressed together and pulled apart [s]
PRESSED, PULLED, END = (1.5, 3.5), (7.5, 8.5), 12.0
AFTER = 3.5  # time after a release at which the shape should be back [s]
BRAKED, BRAKE = (2.75, 3.75), 5.0  # time interval of braking [s], and brake damping [N m s/rad]
# interval in which the head window is pressed straight [s]; it entered the body at pi / 1.8 = 1.75 s
PINCHED = (1.85, 2.35)
SIDEWAYS, HELD = 5.0, 1.0  # force on one module [N], and its duration [s]


class Pressing:
    """Head and tail pressed together, later pulled apart, by a force that grows until the deviation is pi, or 7 N m."""

    def __init__(self, nominal: float):
        self.nominal, self.force = nominal, 0.0

    def __call__(self, time: float, chain: LateralChain, ticked: ChainLaw) -> NDArray:
        sign = 1.0 if PRESSED[0] <= time < PRESSED[1] else -1.0 if PULLED[0] <= time < PULLED[1] else 0.0
        wave = ticked.central("spatial_frequency")
        if sign == 0.0:
            self.force = 0.0
            return np.zeros(len(chain.joints))
        longer = (2.0 if sign < 0.0 else 1.0) * NEWTONS_PER_SECOND * PERIOD
        more = sign * (abs(self.force) + longer)
        if abs(wave - self.nominal) < pi and np.abs(chain.pressed(more)).max() < STRONGEST:
            self.force = more
        strongest = np.abs(chain.pressed(self.force)).max()
        self.force *= min(1.0, STRONGEST / strongest) if strongest else 1.0  # the shape has changed meanwhile
        return chain.pressed(self.force)


def travelling(
    controller: WaveController, rival: WaveController, pulse: float = 1.0, duration: float = 10.0
) -> dict[str, Any]:
    """Measure S20: an amplitude pulse in the head window at the first and last joint, relative to a run without it.

    The rival is a CPG, measured for comparison.
    """
    laws, found = {"shape": controller, "cpg": rival}, {}
    for name, law in laws.items():
        run, free = (ChainLaw(law).through(duration, partial(pinch, size)) for size in (pulse, 0.0))
        first, last = (amplitude_at(run, place, name) - amplitude_at(free, place, name) for place in (0, -1))
        found[name] = (*best_lag(first, last), run["time"], first, last)
    gait: Any = controller.gait  # type: ignore[attr-defined]
    delay = 8.0 / 9.0 * gait.spatial_frequency / controller.phase_rate(ROBOT)
    return {
        "delay_ratio": found["shape"][0] / delay, "correlation": found["shape"][1], "cpg_correlation": found["cpg"][1],
        "curves": {name: values[2:] for name, values in found.items()},
    }  # fmt: skip


def pinch(pulse: float, time: float, chain: LateralChain, ticked: ChainLaw) -> NDArray:
    """Return torques that press the first lateral joint straight, for half a second after a window entered the body."""
    torques = np.zeros(ticked.angles.size)
    if PINCHED[0] <= time < PINCHED[1]:
        torques[0] = -pulse * np.sign(ticked.angles[0])
    return torques


def amplitude_at(run: dict[str, NDArray], place: int, kind: str) -> NDArray:
    """Return the amplitude (ticks,) at the first or the last lateral joint [rad]."""
    if kind == "cpg":
        return run["oscillator_amplitude"][:, place]
    backbone = backbone_of(ROBOT, metres=False)
    where = backbone.place[list(ROBOT.yaw_joints)][place] * backbone.unit + backbone.first
    edges = run["edge_half_wave"]
    window = np.sum(edges <= where + 1e-9, axis=1) - 1
    return np.take_along_axis(run["shape_amplitude"], window[:, None], axis=1)[:, 0]


def best_lag(first: NDArray, last: NDArray) -> tuple[float, float]:
    """Return the delay [s] with the best correlation of a later signal with an earlier one, and that correlation."""
    size = np.sqrt((first @ first) * (last @ last))
    if size < 1e-12:
        return 0.0, 0.0
    correlation = np.correlate(last, first, "full")[len(first) - 1 :] / size
    lag = int(np.argmax(correlation))
    return lag * PERIOD, float(correlation[lag])


def yielding_wave(law: ShapeCompliance, phase: float = 0.5 * pi) -> dict[str, Any]:
    """Measure S22: one window and a standing wave whose amplitude does not yield."""
    gait: Any = law.gait
    controller = change_parameter(nominal(law, frequency=0.0), "amplitude", sign=(0.0,), bias=0.0)
    run = ChainLaw(controller.from_phase(phase)).through(END, Pressing(gait.spatial_frequency))
    wave = run["shape_spatial_frequency"] / pi
    return {
        "least_over_pi": float(wave.min()), "greatest_over_pi": float(wave.max()),
        "saturated": int((np.abs(run["torques"]).max(axis=1) > STRONGEST + 1e-9).sum()),
        "return_error": return_error(run["time"], wave, gait.spatial_frequency / pi),
        "time": run["time"], "wave": wave, "torques": run["torques"],
    }  # fmt: skip


def return_error(times: NDArray, values: NDArray, nominal: float) -> float:
    """Return the larger of the relative deviations at the set time after each release."""
    back = [values[np.searchsorted(times, end + AFTER - 1e-9)] for _, end in (PRESSED, PULLED)]
    return float(max(abs(value / nominal - 1.0) for value in back))


def local_wave(law: ShapeCompliance) -> dict[str, Any]:
    """Measure S21: a standing wave, one module of each third pushed sideways, and responses of near and far windows."""
    controller, gait = change_parameter(nominal(law, frequency=0.0), "amplitude", bias=0.0), law.gait
    edges = f"edge_{next(p.windows for p in law.parameters if p.name == 'spatial_frequency')}"
    far, near, single = [], [], []
    for piece in (1, 4, 8):
        run = ChainLaw(controller).through(HELD, partial(sideways, piece))
        change = np.abs(run["shape_spatial_frequency"] - gait.nominal("spatial_frequency"))
        most = np.nanmax(np.where(np.isnan(change), 0.0, change), axis=0)
        on_body, pushed = windows_on_body(run[edges][0], piece)
        single.append({int(w): float(most[w]) for w in on_body})
        others = [w for w in on_body if w != pushed]
        far += [most[w] / most[pushed] for w in others if abs(w - pushed) > 1]
        near += [most[w] / most[pushed] for w in others if abs(w - pushed) == 1]
    return {"far_share": float(max(far)), "next_share": float(max(near)), "changes": single}


def sideways(piece: int, time: float, chain: LateralChain, ticked: ChainLaw) -> NDArray:
    """Return torques of a lateral push on one piece of the body."""
    return chain.pushed_sideways(piece, SIDEWAYS)


def windows_on_body(edges: NDArray, piece: int) -> tuple[list[int], int]:
    """Return the windows that contain a joint, and the one at the middle of a piece between joints."""
    backbone = backbone_of(ROBOT, metres=False)
    places = backbone.place[list(ROBOT.yaw_joints)] * backbone.unit + backbone.first
    middles = np.concatenate([places[:1], 0.5 * (places[1:] + places[:-1]), places[-1:]])
    owner = [int(np.sum(edges <= place + 1e-9)) - 1 for place in (*places, middles[piece])]
    return sorted(set(owner[:-1])), owner[-1]


def braked_phase(controller: WaveController) -> dict[str, Any]:
    """Measure S23: the central phase yields while joints are braked against the wave for a second."""
    speed = controller.phase_rate(ROBOT)

    def brake(time: float, chain: LateralChain, ticked: ChainLaw) -> NDArray:
        return -BRAKE * ticked.rates if BRAKED[0] <= time < BRAKED[1] else np.zeros(ticked.rates.size)

    run = ChainLaw(controller).through(BRAKED[1] + 6.0, brake)
    times, phase = run["time"], run["shape_phase"]
    rate, lag = np.gradient(phase, times), speed * times - phase
    inside = (times >= BRAKED[0]) & (times < BRAKED[1])
    after = times >= BRAKED[1]
    held = float(np.mean(rate[inside])) / speed
    later = lag[np.searchsorted(times, BRAKED[1] + 3.0 - 1e-9)]
    return {
        "held_rate": held, "faster_after": bool(rate[after].max() > 1.001 * speed),
        "lag_share": float(abs(later) / np.abs(lag).max()), "time": times, "lag": lag, "rate": rate,
    }  # fmt: skip


def pushing_back(law: ShapeCompliance) -> dict[str, Any]:
    """Measure S24: the pushes of S22 on the standing lateral wave of sidewinding, with both signs of the force."""
    deviation, errors = {}, []
    still = nominal(replace(law, turning=None), frequency=0.0)
    for sign in (1.0, -1.0):
        controller = change_parameter(still, "spatial_frequency", sign=(sign,))
        run = ChainLaw(controller.from_phase(0.5 * pi)).through(END, Pressing(3.0 * pi))
        wave = run["shape_spatial_frequency"]
        deviation[sign] = [change_over(run["time"], wave, *span) for span in (PRESSED, PULLED)]
        errors.append(return_error(run["time"], wave, 3.0 * pi))
    opposite = all(a * b < 0.0 for a, b in zip(deviation[1.0], deviation[-1.0]))
    greatest = max(abs(value) for values in deviation.values() for value in values)
    return {"opposite_sign": opposite, "return_error": max(errors), "greatest": greatest / (3.0 * pi)}


def change_over(times: NDArray, values: NDArray, begin: float, end: float) -> float:
    """Return the change of values between two times."""
    first, last = np.searchsorted(times, [begin - 1e-9, end - 1e-9])
    return float(values[last] - values[first])

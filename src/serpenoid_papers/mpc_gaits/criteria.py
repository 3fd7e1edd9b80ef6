"""Criteria of the claims of the MPC paper, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serpenoid_papers.criterion import Criterion, matching


def on_front(m: Mapping[str, Any], limit: int) -> bool:
    """Return whether every set is within 5 % of the front or above it at a limit, and a dry one at least 20 % above.

    Where a limit leaves no serpenoid gait of at most the power of a plan, that plan is above the front.
    """
    above = [curve[limit] is None or curve[limit] >= -5.0 for curve in matching(m, "beta")]
    well = [curve[limit] is None or curve[limit] >= 20.0 for curve in matching(m, "dry")]
    return all(above) and any(well)


def at_every_limit(verdicts: list[bool]) -> bool | None:
    """Return a verdict that is the same at every limit; None if it depends on the limit."""
    return verdicts[0] if len(set(verdicts)) == 1 else None


CRITERIA: dict[str, Criterion] = {
    "M1": Criterion(
        "one set of weights (alpha 1, beta 0.01, goal -20) moves the snake in all three media",
        "yes",
        "above 0.1 m/s in all three",
        lambda m: all(value > 0.1 for value in matching(m, "beta 0.01,")),
    ),
    "M2": Criterion(
        "Fig. 3: planned gaits (N = 25) are comparable to the Pareto front of serpenoid gaits or better, dry +45 %",
        "all on the front or above; dry +45 %",
        "every set that moves within 5 % of the front or above it, and dry at least +20 % somewhere. The paper counts "
        "gaits with a successfully tuned PD but gives no limit: holds if so at every limit of the tracking error, not "
        "if at none, otherwise undecided",
        lambda m: at_every_limit([on_front(m, i) for i in range(len(m["limits of the tracking error [%]"]))]),
    ),
    "M3": Criterion(
        "the same with N = 40 (ours)",
        "not in the paper",
        "beta 0.01: above 0 % dry and fluid, at least -3 % viscous",
        lambda m: all(
            (
                (m["dry, beta 0.01, goal -20"] or 0.0) > 0.0,
                (m["fluid, beta 0.01, goal -20"] or 0.0) > 0.0,
                (m["viscous, beta 0.01, goal -20"] or -100.0) >= -3.0,
            )
        ),
    ),
    "M4": Criterion(
        "Table III: one dominant frequency common to all joints",
        "dry 6.31, viscous 6.75, fluid 5.25 Hz",
        "within one bin of the DFT; dry 5.7-6.9 Hz, viscous 5.4-7.4 Hz",
        lambda m: all(
            (
                all(m[f"{medium}, spread in bins"] <= 1.0 for medium in ("dry", "viscous", "fluid")),
                all(5.7 <= value <= 6.9 for value in m["dry [Hz]"]),
                all(5.4 <= value <= 7.4 for value in m["viscous [Hz]"]),
            )
        ),
    ),
    "M5": Criterion(
        "Table III: amplitude grows from head to tail",
        "dry .25 .32 .37 .42; viscous .53 .62 .67 .83; fluid .51 .76 1.40 2.42 rad",
        "dry and viscous: in order, each within 25 % of the paper",
        lambda m: all(
            m[f"{medium}, off the paper"] <= 0.25 and m[f"{medium} [rad]"] == sorted(m[f"{medium} [rad]"])
            for medium in ("dry", "viscous")
        ),
    ),
    "M6": Criterion(
        "Table III: the ratio of the tail's amplitude to the head's is greatest in fluid",
        "dry 1.7, viscous 1.6, fluid 4.7",
        "greatest in fluid",
        lambda m: None if None in (m["fluid"], m["dry"], m["viscous"]) else m["fluid"] > max(m["dry"], m["viscous"]),
    ),
    "M7": Criterion(
        "Fig. 4: sharp turn to a goal beside the snake; the motion has more than one frequency",
        "shown",
        "goal reached within 0.02 m, joints within limits",
        lambda m: all(
            (m["least distance from the goal [m]"] <= 0.02, m["largest joint angle [rad]"] <= m["limit [rad]"])
        ),
    ),
    "M8": Criterion(
        "Fig. 4: the snake passes a narrow tunnel without contact; links in the narrowest part stay still while "
        "others propel",
        "shown",
        "no contact, passed; joints slower inside than outside",
        lambda m: all(
            (
                m["least clearance [m]"] > 0.0,
                m["tail passed"],
                m["joint rate inside [rad/s]"] < m["joint rate outside at the same times [rad/s]"],
            )
        ),
    ),
    "M9": Criterion(
        "loss of speed if c_t is wrong by 5 % / 25 % in the planner",
        "2 % / 4 %",
        "loss at most 2 % / 4 % for both signs, N = 25",
        lambda m: all(
            (
                all(m[f"c_t {sign}5%, N = 25, plain [%]"] <= 2.0 for sign in "+-"),
                all(m[f"c_t {sign}25%, N = 25, plain [%]"] <= 4.0 for sign in "+-"),
            )
        ),
    ),
    "M10": Criterion(
        "Fig. 2: the dry law dissipates at least as much as any force on the ellipse; the box law does not",
        "yes",
        "dry at least 1 - 1e-6 of the best at every velocity; box below 0.99 at some",
        lambda m: all(
            (
                m["dry, least share of the best"] >= 1.0 - 1e-6,
                m["box within the ellipse, least share of the best"] < 0.99,
            )
        ),
    ),
    "M11": Criterion(
        "time of one optimisation, N = 25: real time at 100 Hz on one core",
        "1.4 +- 1.4, 1.0 +- 0.6, 1.0 +- 0.5 s on 16 cores",
        "99 % of the plans within 10 ms in every medium",
        lambda m: all(value >= 99.0 for value in matching(m, "within 10 ms")),
    ),
    "M12": Criterion(
        "effect of applying several actions of a plan instead of one",
        "mentioned, not measured",
        "no verdict: speed and time for 1, 2 and 5 actions",
        lambda m: None,
    ),
    "B1": Criterion(
        "beyond the paper: plans from random starts cost the same as ipopt's on the same problem, or both are minima",
        "our question",
        "same problem (next states to 1e-9); 90 % of our plans converge; ipopt improves none of the converged "
        "ones. Local minima and failures of either are counted separately",
        lambda m: all(
            (
                m["largest difference of a next state"] < 1e-9,
                m["plans of ours that do not say converged"] <= 0.1 * m["all starts"],
                not any(matching(m, "ipopt improves ours")),
            )
        ),
    ),
    "B2": Criterion(
        "beyond the paper: the planner also moves MuJoCo's model of the snake",
        "our question",
        "above 0.1 m/s in all three media; loss of speed reported",
        lambda m: all(value > 0.1 for value in matching(m, "MuJoCo", "[m/s]")),
    ),
    "B3": Criterion(
        "beyond the paper: the head follows a path to its end",
        "not in the paper",
        "within 0.1 m of the path in all three media; errors of a wanted velocity and of a moving goal are reported",
        lambda m: all(value <= 0.1 for value in (*matching(m, "way left"), *matching(m, "largest"))),
    ),
    "B4": Criterion(
        "beyond the paper: M1 to M4 with the squared distance, because the text calls (16) and (17) quadratic",
        "1.6 m/s at 35 W, 6.31 Hz dry",
        "no verdict: speed, power, gain over the front and frequencies",
        lambda m: None,
    ),
    "B5": Criterion(
        "beyond the paper: what plans from encoders, IMUs and an external pose lose against the true state",
        "not in the paper",
        "no verdict: speed, loss of speed and error of the position",
        lambda m: None,
    ),
    "B6": Criterion(
        "beyond the paper: what explicit Euler synthesis about the head and finite differences cost",
        "used by the paper, not measured",
        "no verdict: speed reached, speed promised by the plans, and times",
        lambda m: None,
    ),
}

"""Criteria of the claims of the paper on pushing, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion


def within(measured: dict[str, float], expected: tuple[float, ...], share: float) -> bool:
    """Return whether measured values, in their order, lie within a relative tolerance of the expected ones."""
    return len(measured) == len(expected) and all(
        abs(value - wanted) <= share * wanted for value, wanted in zip(measured.values(), expected)
    )


def sideways(degrees: float) -> bool:
    """Return whether an angle is within 15 deg of 90 or -90 deg."""
    return abs(abs(degrees) - 90.0) <= 15.0


CRITERIA: dict[str, Criterion] = {
    "P1": Criterion(
        "largest |a_obj|^2 on the rim in scenarios 1, 2, 3 at q = (-135, -135) deg, kappa = 100",
        [0.00707, 0.00845, 0.00845], "each within 2 %", lambda m: within(m, (0.00707, 0.00845, 0.00845), 0.02),
    ),
    "P2": Criterion(
        "largest slippage ratio on the rim, same shape", [0.017, 0.917, 0.987], "each within 2 %",
        lambda m: within(m, (0.017, 0.917, 0.987), 0.02),
    ),
    "P3": Criterion(
        "the joint far from the object has almost no effect on it, in all scenarios", "almost no effect",
        "far / near below 15 % at that shape in every scenario; over all shapes reported",
        lambda m: all(m[f"scenario_{n}"] < 0.15 for n in (1, 2, 3)),
    ),
    "P4": Criterion(
        "the ratio is 0 without contact; the object moves in all scenarios; the region of high ratio is small in "
        "scenario 2 and large in 3", "Fig. 4c",
        "ratio 0 without contact, motion in all three, area of ratio > 0.5 in scenario 2 at most half of that in 3",
        lambda m: all([
            m["ratio_without_contact"] == 0.0, m["moves_1"], m["moves_2"], m["moves_3"],
            m["high_area_2"] <= 0.5 * m["high_area_3"],
        ]),
    ),
    "P5": Criterion(
        "without wheels, the constraint forces are largest with the centre of mass at +-90 deg", "+-90 deg (Fig. 5a)",
        "within 15 deg", lambda m: sideways(m["angle_deg"]),
    ),
    "P6": Criterion(
        "without wheels, |a_obj|^2 is largest at +-90 deg, and wheels change it little", "+-90 deg (Fig. 5b)",
        "within 15 deg, median of scenario 3 / 1 from 1.0 to 1.3; 95th percentile and the angle of scenario 3 reported",
        lambda m: all([sideways(m["angle_1_deg"]), 1.0 <= m["median_3_over_1"] <= 1.3]),
    ),
    "P7": Criterion(
        "wheels, even non-ideal ones, have a big impact on the slippage ratio", "Fig. 5c: a change of scale",
        "median over shapes at least 10 times as high in scenarios 2 and 3 as in 1; shapes where it falls are counted",
        lambda m: all(spread["median"] >= 10.0 for spread in (m["scenario_2_over_1"], m["scenario_3_over_1"])),
    ),
    "P8": Criterion(
        "wheels couple the far joint into the motion", "discussion of Fig. 4",
        "the far joint moves the object more in scenario 3 than in 1, in the median over all shapes",
        lambda m: m["far_joint_3_over_1_median"] > 1.0,
    ),
    "P9": Criterion(
        "best and worst shapes for |a_obj|^2 and for the ratio, three joints",
        "Fig. 6; the numbers of table 2 are unknown", "none; ours are reported", lambda m: None,
    ),
    "P10": Criterion(
        "scenario 3 matches the closed form (22)-(29); scenario 2 becomes 3 with infinite friction, 1 with none",
        "derived", "relative differences at most 1e-9", lambda m: all(value <= 1e-9 for value in m.values()),
    ),
}  # fmt: skip

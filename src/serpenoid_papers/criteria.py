"""The criterion of every claim in one table, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.jams.criteria import JAMS
from serpenoid_papers.pegs.criteria import PEGS
from serpenoid_papers.sea_snake.criteria import GAITS, SEA_SNAKE

NATRIX: dict[str, Criterion] = {
    "N1": Criterion(
        "recursion (12)-(13), closed sums (14)-(16) and an independent library agree, torques included",
        "not shown",
        "relative differences at most 1e-10",
        lambda m: all(value <= 1e-10 for value in m.values()) if "Pinocchio, base" in m else None,
    ),
    "N2": Criterion(
        "Fig. 4: a frozen shape afloat keeps its energy over 10 s",
        "loses 1 %",
        "at most 1e-6",
        lambda m: m <= 1e-6,
    ),
    "N3": Criterion(
        "Fig. 4: about 15 oscillations in 10 s; the energy oscillates at twice the frequency of the motion",
        "15; twice",
        "12.5 to 15.5; 1.99 to 2.01",
        lambda m: 12.5 <= m["oscillations in 10 s"] <= 15.5 and abs(m["energy over motion frequency"] - 2.0) <= 0.01,
    ),
    "N4": Criterion(
        "Fig. 5: bending without external force leaves the centre of mass in its place, 20 s",
        "1e-4 m",
        "at most 1e-9 m",
        lambda m: m <= 1e-9,
    ),
    "N5": Criterion(
        "Fig. 6: the head's roll grows towards resonance and decays beyond",
        "grows towards 1.5-2 Hz",
        "rank correlation at least 0.7 below and at most -0.7 above",
        lambda m: m["rank correlation below"] >= 0.7 and m["rank correlation above"] <= -0.7,
    ),
    "N6": Criterion(
        "Fig. 6 B: beats on both sides of the band, two lines close to each other",
        "seen on both sides",
        "found on both sides",
        lambda m: bool(m["beating below [Hz]"]) and bool(m["beating above [Hz]"]),
    ),
    "N7": Criterion(
        "Fig. 6 C: capsizing in a narrow band",
        "1.33-1.41 Hz, 180 deg",
        "90 deg: width 0.03 to 0.2 Hz, centre over mean roll frequency 0.9 to 1.1; 180 deg reached",
        lambda m: (
            bool(m.get("180 deg [Hz]"))
            and 0.03 <= m["width [Hz]"] <= 0.2
            and 0.9 <= m["centre over mean roll frequency"] <= 1.1
        ),
    ),
    "N8": Criterion(
        "the band lies between beats at every amplitude and moves up in frequency as the amplitude grows",
        "tongue, moving up",
        "between beats wherever it capsizes, shift above 0",
        lambda m: (
            m["amplitudes that capsize"] > 0
            and m["of them between beats"] == m["amplitudes that capsize"]
            and (m["shift per rad [Hz]"] or 0.0) > 0.0
        ),
    ),
    "N9": Criterion(
        "the shells change immersion and static stability",
        "stated",
        "waterline moves by 1 mm or more and the metacentric height by 10 % or more",
        lambda m: (
            m["waterline moves by [mm]"] >= 1.0
            and m["to [mm]"] - m["metacentric height from [mm]"] >= 0.1 * abs(m["apex up [mm]"])
        ),
    ),
    "N10": Criterion(
        "time for 1 s of physics at RK4 1 ms, without and with buoyancy",
        "0.12 s and 1.23 s",
        "below the paper's",
        lambda m: m["dry [s]"] < 0.12 and m["with buoyancy [s]"] < 1.23,
    ),
    "B1": Criterion(
        "beyond the paper: the shells keep the head upright over the whole band where the open loop capsizes",
        "open question",
        "roll below 45 deg in every run; shells within 1 rad, 6 rad/s, 0.5 N m",
        lambda m: (
            bool(m["open loop capsizes at [Hz]"])
            and m["largest roll with the shells [deg]"] < 45.0
            and m["largest shell angle [rad]"] <= 1.0 + 1e-9
            and m["largest shell rate [rad/s]"] <= 6.0 + 1e-9
            and m["largest shell torque [N m]"] <= 0.5
        ),
    ),
    "B2": Criterion(
        "beyond the paper: with a levelled head the Floquet edges of the tongue are the simulated ones",
        "open question",
        "within 0.01 Hz at every amplitude",
        lambda m: m["largest difference of an edge [Hz]"] <= 0.01,
    ),
    "B3": Criterion(
        "beyond the paper: the least damping that removes capsizing, and added mass",
        "open question",
        "a table, no verdict",
        lambda m: None,
    ),
    "B4": Criterion(
        "beyond the paper: drag and added mass identified from a noisy recording",
        "asked for",
        "every coefficient within 20 % of the true one",
        lambda m: m["largest relative error"] <= 0.2,
    ),
    "B5": Criterion(
        "beyond the paper: the forced periodic orbits of the robot's own head and their Floquet multipliers",
        "open question",
        "a table, no verdict",
        lambda m: None,
    ),
}

MPC_GAITS: dict[str, Criterion] = {
    "M1": Criterion(
        "one set of weights (alpha 1, beta 0.01, goal -20) moves the snake in all three media, untouched",
        "yes",
        "above 0.1 m/s in all three",
        lambda m: all(value > 0.1 for key, value in m.items() if "beta 0.01," in key),
    ),
    "M2": Criterion(
        "Fig. 3: planned gaits (N = 25) are comparable to the Pareto front of serpenoid gaits or better, dry +45 %",
        "all on the front or above; dry +45 %",
        "every set that moves within 5 % of the front or above it, and dry at least +20 % somewhere",
        lambda m: (
            all(value >= -5.0 for value in m.values() if value is not None)
            and any(value >= 20.0 for key, value in m.items() if key.startswith("dry") and value is not None)
        ),
    ),
    "M3": Criterion(
        "the same with N = 40 (ours)",
        "not in the paper",
        "beta 0.01: above 0 % dry and fluid, at least -3 % viscous",
        lambda m: (
            (m["dry, beta 0.01, goal -20"] or 0.0) > 0.0
            and (m["fluid, beta 0.01, goal -20"] or 0.0) > 0.0
            and (m["viscous, beta 0.01, goal -20"] or -100.0) >= -3.0
        ),
    ),
    "M4": Criterion(
        "Table III: one dominant frequency common to all joints",
        "dry 6.31, viscous 6.75, fluid 5.25 Hz",
        "within one bin of the DFT; dry 5.7-6.9 Hz, viscous 5.4-7.4 Hz",
        lambda m: (
            all(m[f"{medium}, spread in bins"] <= 1.0 for medium in ("dry", "viscous", "fluid"))
            and all(5.7 <= value <= 6.9 for value in m["dry [Hz]"])
            and all(5.4 <= value <= 7.4 for value in m["viscous [Hz]"])
        ),
    ),
    "M5": Criterion(
        "Table III: amplitude grows from head to tail",
        "dry .25 .32 .37 .42; viscous .53 .62 .67 .83; fluid .51 .76 1.40 2.42 rad",
        "dry and viscous: in order, each within 25 % of the paper",
        lambda m: all(
            m[f"{medium} [rad]"] == sorted(m[f"{medium} [rad]"]) and m[f"{medium}, off the paper"] <= 0.25
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
        "Fig. 4: sharp turn to a goal beside the snake, not a single-frequency motion",
        "shown",
        "goal reached within 0.02 m, joints within limits",
        lambda m: m["least distance from the goal [m]"] <= 0.02 and m["largest joint angle [rad]"] <= m["limit [rad]"],
    ),
    "M8": Criterion(
        "Fig. 4: narrow tunnel without touching; links in the narrowest part are kept still while the others propel",
        "shown",
        "no contact, passed; joints slower inside than outside",
        lambda m: (
            m["least clearance [m]"] > 0.0
            and m["tail passed"]
            and m["joint rate inside [rad/s]"] < m["joint rate outside at the same times [rad/s]"]
        ),
    ),
    "M9": Criterion(
        "planned with c_t wrong by 5 % / 25 %: loss of speed",
        "2 % / 4 %",
        "plain loss at most 2 % / 4 % for both signs, N = 25",
        lambda m: (
            all(m[f"c_t {sign}5%, N = 25, plain [%]"] <= 2.0 for sign in "+-")
            and all(m[f"c_t {sign}25%, N = 25, plain [%]"] <= 4.0 for sign in "+-")
        ),
    ),
    "M10": Criterion(
        "Fig. 2: the dry law dissipates at least as much as any force on the ellipse; the box law does not",
        "yes",
        "dry at least 1 - 1e-6 of the best at every velocity; box below 0.99 at some",
        lambda m: (
            m["dry, least share of the best"] >= 1.0 - 1e-6
            and m["box within the ellipse, least share of the best"] < 0.99
        ),
    ),
    "M11": Criterion(
        "time of one optimisation, N = 25: ours in real time at 100 Hz on one core",
        "1.4 +- 1.4, 1.0 +- 0.6, 1.0 +- 0.5 s on 16 cores",
        "99 % of the plans within 10 ms in every medium",
        lambda m: all(value >= 99.0 for key, value in m.items() if "within 10 ms" in key),
    ),
    "M12": Criterion(
        "applying the first few actions of a plan instead of one",
        "mentioned, not measured",
        "no verdict: speed and time for 1, 2 and 5 actions",
        lambda m: None,
    ),
    "B1": Criterion(
        "beyond the paper: plans from random starts cost the same as ipopt's on the same problem, or both are minima",
        "asked for",
        "the same problem (next states to 1e-9), nine of ten plans of ours converge, and nowhere does ipopt go on from "
        "one that says so; local minima and failures of either are counted apart",
        lambda m: (
            m["largest difference of a next state"] < 1e-9
            and m["plans of ours that do not say converged"] <= 0.1 * m["all starts"]
            and not any(value for key, value in m.items() if "ipopt goes on from ours" in key)
        ),
    ),
    "B2": Criterion(
        "beyond the paper: closed round MuJoCo's model of the snake it still moves",
        "asked for",
        "above 0.1 m/s in all three media; loss of speed stated",
        lambda m: all(value > 0.1 for key, value in m.items() if "MuJoCo" in key and "[m/s]" in key),
    ),
    "B3": Criterion(
        "beyond the paper: the head is steered along a path to its end",
        "not in the paper",
        "within 0.1 m of the path in all three media; how well a wanted velocity and a moving goal are kept is stated",
        lambda m: all(value <= 0.1 for key, value in m.items() if "way left" in key or "largest" in key),
    ),
}


def within(measured: dict[str, float], expected: tuple[float, ...], share: float) -> bool:
    """Whether measured values, in their order, lie within a share of the expected ones."""
    return len(measured) == len(expected) and all(
        abs(value - wanted) <= share * wanted for value, wanted in zip(measured.values(), expected)
    )


def sideways(degrees: float) -> bool:
    """Whether an angle is within 15 deg of 90 or -90 deg."""
    return abs(abs(degrees) - 90.0) <= 15.0


PUSHING: dict[str, Criterion] = {
    "P1": Criterion(
        "greatest |a_obj|^2 on the rim in scenarios 1, 2, 3 at q = (-135, -135) deg, kappa = 100",
        [0.00707, 0.00845, 0.00845], "each within 2 %", lambda m: within(m, (0.00707, 0.00845, 0.00845), 0.02),
    ),
    "P2": Criterion(
        "greatest slippage ratio on the rim, same shape", [0.017, 0.917, 0.987], "each within 2 %",
        lambda m: within(m, (0.017, 0.917, 0.987), 0.02),
    ),
    "P3": Criterion(
        "the joint far from the object hardly moves it, in all scenarios", "almost no effect",
        "far / near below 15 % at that shape in every scenario; over all shapes reported",
        lambda m: all(m[f"scenario_{n}"] < 0.15 for n in (1, 2, 3)),
    ),
    "P4": Criterion(
        "the ratio is 0 where contact is lost; the object can be moved in all scenarios; the region of high ratio is "
        "small in scenario 2 and large in 3", "Fig. 4c",
        "ratio 0 without contact, motion in all three, area of ratio > 0.5 in scenario 2 at most half of that in 3",
        lambda m: m["ratio_without_contact"] == 0.0 and all(m[f"moves_{n}"] for n in (1, 2, 3))
        and m["high_area_2"] <= 0.5 * m["high_area_3"],
    ),
    "P5": Criterion(
        "without wheels the constraint forces are greatest with the centre of mass at +-90 deg", "+-90 deg (Fig. 5a)",
        "within 15 deg", lambda m: sideways(m["angle_deg"]),
    ),
    "P6": Criterion(
        "without wheels |a_obj|^2 is greatest at +-90 deg, and wheels hardly change it", "+-90 deg (Fig. 5b)",
        "within 15 deg, median of scenario 3 / 1 from 1.0 to 1.3; 95th percentile and the angle of scenario 3 reported",
        lambda m: sideways(m["angle_1_deg"]) and 1.0 <= m["median_3_over_1"] <= 1.3,
    ),
    "P7": Criterion(
        "wheels, ideal or not, raise the slippage ratio over all configurations", "Fig. 5c",
        "no shape has a lower ratio in scenario 2 or 3 than in 1",
        lambda m: all(spread["least"] >= 1.0 for spread in m.values()),
    ),
    "P8": Criterion(
        "wheels couple the far joint into the motion", "discussion of Fig. 4",
        "the far joint moves the object more in scenario 3 than in 1, in the median over all shapes",
        lambda m: m["far_joint_3_over_1_median"] > 1.0,
    ),
    "P9": Criterion(
        "best and worst shapes for |a_obj|^2 and for the ratio, three joints",
        "Fig. 6; the numbers of table 2 are not known", "none: ours are reported", lambda m: None,
    ),
    "P10": Criterion(
        "scenario 3 is the closed form (22)-(29); scenario 2 is scenario 3 with endless friction, scenario 1 with none",
        "derived", "relative differences at most 1e-9", lambda m: all(value <= 1e-9 for value in m.values()),
    ),
}  # fmt: skip

MOVING_FRAME: dict[str, Criterion] = {
    "F1": Criterion(
        "B q' gives the velocities, and the energy of a chain without torque and gravity is constant",
        "stated, not shown", "every error at most 1e-9, over 1 s",
        lambda m: all(value <= 1e-9 for value in m.values()),
    ),
    "F2": Criterion(
        "the same accelerations as the recursive dynamics and as an independent library",
        "not tested", "relative differences at most 1e-9",
        lambda m: all(value <= 1e-9 for value in m.values()) if "pinocchio" in m else None,
    ),
    "F3": Criterion(
        "angles -> torques -> angles comes back, for accordion, cobra and spiral", "judged by eye",
        "below 1e-3 rad at 5 ms, order 3.7 to 4.3",
        lambda m: all(
            value < 1e-3 if name.endswith("error_rad") else all(3.7 <= order <= 4.3 for order in value)
            for name, value in m.items()
        ),
    ),
    "F4": Criterion(
        "linear ramps of the built robot and the polynomial of the simulation have the same maxima at the same times",
        "approximately the same maxima (Fig. 4)", "every maximum within 0.02 rad and 0.04 s",
        lambda m: m["peaks"] > 0 and m["angle_difference_rad"] <= 0.02 and m["time_difference_s"] <= 0.04,
    ),
    "F5": Criterion(
        "an animated 3D view of all three movements in a browser", "a WebGL page",
        "three pages that show the movement and need no server",
        lambda m: sorted(m) == ["accordion", "cobra", "spiral"] and all(
            page["frames"] > 50 and page["moves_m"] > 0.1 and not page["needs_a_server"] for page in m.values()
        ),
    ),
}  # fmt: skip

CRITERIA = {
    "natrix": NATRIX,
    "mpc-gaits": MPC_GAITS,
    "pushing": PUSHING,
    "moving-frame": MOVING_FRAME,
    "gaits": GAITS,
    "pegs": PEGS,
    "sea-snake": SEA_SNAKE,
    "jams": JAMS,
}

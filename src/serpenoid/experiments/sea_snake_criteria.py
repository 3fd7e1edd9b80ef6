"""The criteria of the claims of the SEA-snake thesis by their numbers, fixed before any run; no run() imports this."""

from __future__ import annotations

from typing import Any

from serpenoid.experiments.criterion import Criterion


def moves(m: dict[str, Any]) -> bool | None:
    """S8: every gait gets on, in its direction; open as long as slithering among pegs is missing."""
    good = all(part["lengths_per_cycle"] >= 0.02 and part["off_deg"] <= 30.0 for part in m.values())
    return good and None if "slithering" not in m else good


def best_of_three(m: dict[str, Any]) -> bool:
    """S9: linear progression slowest and dearest, sidewinding at least twice as fast."""
    speed, cost = m["speed"], m["cost"]
    slowest = min(speed, key=speed.get) == max(cost, key=cost.get) == "linear progression"
    return slowest and speed["sidewinding"] >= 2.0 * speed["linear progression"]


def little_friction(m: dict[str, Any]) -> bool:
    """S10: speed at 0.2 to 1, on rough ground, and the work of friction."""
    held = all(abs(share - 1.0) <= 0.15 for mu, share in m["friction"].items() if 0.2 <= float(mu) <= 1.0)
    return held and m["rough"]["0.01"] >= 0.7 and m["friction_work_ratio"] <= 0.5


SEA_SNAKE: dict[str, Criterion] = {
    "S7": Criterion(
        "one formula with few parameters gives the gaits", "p. 17; list p. 3-4",
        "every named gait is (3.1) plus taper or helix term to 1e-12, at most 9 parameters for 18 joints",
        lambda m: m["difference"] <= 1e-12 and m["parameters"] <= 9,
    ),
    "S8": Criterion(
        "what each gait does", "p. 3-4",
        "each moves at least 0.02 body lengths per cycle within 30 deg of the stated direction", moves,
    ),
    "S9": Criterion(
        "sidewinding one of the most efficient and fastest, rolling efficient, linear progression not very",
        "p. 3, 43", "linear progression slowest and dearest of the three; sidewinding at least 2 x its speed",
        best_of_three,
    ),
    "S10": Criterion(
        "sidewinding independent of the ground, little friction", "p. 3, 43",
        "speed at friction 0.2-1 within 15 % of 0.5; at least 70 % at 10 mm of roughness; friction work per metre at "
        "most half of linear progression's", little_friction,
    ),
    "S25": Criterion(
        "does not move without pegs, isotropic friction", "p. 25, 33",
        "below 5 mm per cycle at pi/4 on the explicit floor; MuJoCo's is reported beside it",
        lambda m: abs(m["explicit_mm_per_cycle"]) < 5.0 if "explicit_mm_per_cycle" in m else None,
    ),
    "S39": Criterion(
        "amplitude and wave number give radius and pitch, their ratio stays with omega_S = k A", "(4.9)-(4.12), p. 37",
        "radius 5 %, pitch 10 % for r of 8 cm or more; p / r constant within 1 %",
        lambda m: m["radius"] <= 0.05 and m["pitch"] <= 0.1 and m["ratio"] <= 0.01,
    ),
    "S43": Criterion(
        "climbs up and down without falling", "p. 4, 36",
        "no fall in at least 95 %; slip at most 10 % (here: fixed shape, without compliance)",
        lambda m: m["fall_share"] <= 0.05 and m["slip_share"] <= 0.05,
    ),
    "S47": Criterion(
        "crawls inside pipes", "p. 4, 36",
        "level: at least 0.02 body lengths per cycle; upright: no fall (here: fixed shape)",
        lambda m: all(way >= 0.02 for way in m["level"].values()) and not any(m["upright_falls"].values()),
    ),
    "S51": Criterion(
        "delta = 3 pi/4 gives straight sidewinding, beta = pi reverses it", "p. 47",
        "radius of the path at least 5 body lengths, speed at least half of the best; beta = pi: direction 180 +-15 "
        "deg, speed within 10 %",
        lambda m: m["radius_lengths"] >= 5.0 and m["speed_over_best"] >= 0.5 and m["turned_deg"] >= 165.0
        and abs(m["speed_ratio"] - 1.0) <= 0.1,
    ),
    "S55": Criterion(
        "conical sidewinding turns about the apex, radius set by the taper", "p. 49",
        "radius falls with every step; whole body: within a factor 2 of l (1 / taper - 1/2); other half, other way",
        lambda m: all(m["falls"].values()) and all(0.5 <= r <= 2.0 for r in m["whole_over_ideal"]) and m["other_way"],
    ),
}  # fmt: skip

GAITS = {id: SEA_SNAKE[id] for id in ("S7", "S8", "S9", "S10", "S25", "S39", "S43", "S47", "S51", "S55")}

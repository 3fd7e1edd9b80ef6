"""The bands of every claim in one table, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Band(NamedTuple):
    """A claim of a paper, what the paper says, and the test of a measured value against it."""

    claim: str
    paper_value: Any
    band: str  # the test in words
    holds: Callable[[Any], bool | None]


NATRIX: dict[str, Band] = {}

MPC_GAITS: dict[str, Band] = {}

PUSHING: dict[str, Band] = {}

MOVING_FRAME: dict[str, Band] = {
    "F1": Band(
        "B q' gives the velocities, and the energy of a chain without torque and gravity is constant",
        "stated, not shown", "every error at most 1e-9, over 1 s",
        lambda m: all(value <= 1e-9 for value in m.values()),
    ),
    "F2": Band(
        "the same accelerations as the recursive dynamics and as an independent library",
        "not tested", "relative differences at most 1e-9",
        lambda m: all(value <= 1e-9 for value in m.values()) if "pinocchio" in m else None,
    ),
    "F3": Band(
        "angles -> torques -> angles comes back, for accordion, cobra and spiral", "judged by eye",
        "below 1e-3 rad at 5 ms, order 3.7 to 4.3",
        lambda m: all(
            value < 1e-3 if name.endswith("error_rad") else all(3.7 <= order <= 4.3 for order in value)
            for name, value in m.items()
        ),
    ),
    "F4": Band(
        "linear ramps of the built robot and the polynomial of the simulation have the same maxima at the same times",
        "approximately the same maxima (Fig. 4)", "every maximum within 0.02 rad and 0.04 s",
        lambda m: m["peaks"] > 0 and m["angle_difference_rad"] <= 0.02 and m["time_difference_s"] <= 0.04,
    ),
    "F5": Band(
        "an animated 3D view of all three movements in a browser", "a WebGL page",
        "three pages that show the movement and need no server",
        lambda m: sorted(m) == ["accordion", "cobra", "spiral"] and all(
            page["frames"] > 50 and page["moves_m"] > 0.1 and not page["needs_a_server"] for page in m.values()
        ),
    ),
}  # fmt: skip

BANDS = {"natrix": NATRIX, "mpc-gaits": MPC_GAITS, "pushing": PUSHING, "moving-frame": MOVING_FRAME}

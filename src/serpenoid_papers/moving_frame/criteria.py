"""Criteria of the claims of the moving frame paper, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion

CRITERIA: dict[str, Criterion] = {
    "F1": Criterion(
        "B q' gives the velocities, and the energy of a chain without torque and gravity is constant",
        "stated, not shown", "every error at most 1e-9, over 1 s",
        lambda m: all(value <= 1e-9 for value in m.values()),
    ),
    "F2": Criterion(
        "the same accelerations as the recursive dynamics and as an independent library",
        "not tested", "relative differences at most 1e-9",
        lambda m: None if m["pinocchio"] is None else all(value <= 1e-9 for value in m.values()),
    ),
    "F3": Criterion(
        "angles -> torques -> angles returns the original angles, for accordion, cobra and spiral", "judged by eye",
        "below 1e-3 rad at 5 ms, order 3.7 to 4.3",
        lambda m: all(
            value < 1e-3 if name.endswith("error_rad") else all(3.7 <= order <= 4.3 for order in value)
            for name, value in m.items()
        ),
    ),
    "F4": Criterion(
        "linear ramps of the built robot and the polynomial of the simulation have the same maxima at the same times",
        "approximately the same maxima (Fig. 4)", "every maximum within 0.02 rad and 0.04 s",
        lambda m: all((m["peaks"] > 0, m["angle_difference_rad"] <= 0.02, m["time_difference_s"] <= 0.04)),
    ),
    "F5": Criterion(
        "an animated 3D view of all three movements in a browser", "a WebGL page",
        "three pages that show the movement and need no server",
        lambda m: sorted(m) == ["accordion", "cobra", "spiral"] and all(
            page["frames"] > 50 and page["moves_m"] > 0.1 and not page["needs_a_server"] for page in m.values()
        ),
    ),
    "F6": Criterion(
        "normal forces of a floor in (75), and lift-off", "named in (75), omitted in the simulation",
        "motor torques at rest, and the floor's share J^T N, within 1 % of MuJoCo",
        lambda m: max(m["support_difference"], m["torque_difference"]) <= 0.01,
    ),
}  # fmt: skip

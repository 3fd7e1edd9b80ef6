"""Criteria on planning through contact, fixed before the boards of the study were run.

Twelve other boards had been seen with the sampling planner: all left, 0.96 cycles per metre. Of these, three had been
seen with the contact planner before C7 to C11 were written: all left, 1.01 cycles per metre. Twelve pushes with other
seeds had been seen with push-to: all delivered.

The limits of D1 and D2 are from the plan. Exploratory designs had been seen in all media. They had 11 to 98 % of the
grid's speed, and more in the fluid and on dry ground at 5 W. Fewer starts and iterations were then chosen to save time.
"""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.sea_snake.rules import both, least, limits, most, ratios

LAWS = ("three lines", "learned", "open loop", "CPG", "AWP")

CRITERIA: dict[str, Criterion] = {
    "C1": Criterion(
        "with all pegs known, the sampling planner leaves almost all boards that nothing was tuned on",
        "best law: three lines, 98.8 %", "at least 98 % of 300 boards in 120 s", least(out=0.98),
    ),
    "C2": Criterion(
        "it needs fewer cycles per metre than every law", "three lines: 1.84",
        "pooled cycles per metre over its own: all intervals above 1 (paired bootstrap)",
        ratios(*(f"{name} / planned" for name in LAWS)),
    ),
    "C3": Criterion(
        "it reaches the aim", "none", "at least 99.5 % out, at most 1.5 cycles per metre",
        both(least(out=0.995), limits(cycles_per_metre=(0.0, 1.5))),
    ),
    "C4": Criterion(
        "it also needs less energy per metre than every law", "none", "all intervals above 1 (paired bootstrap)",
        ratios(*(f"energy {name} / planned" for name in LAWS)),
    ),
    "C5": Criterion(
        "with pegs known by touch alone it still needs fewer cycles per metre than every law", "none",
        "all intervals above 1", ratios(*(f"{name} / felt" for name in LAWS)),
    ),
    "C6": Criterion(
        "10 plans per second over 1.5 s on two cores", "none",
        "mean processor time of a plan, all threads, at most 200 ms", most(processor=0.2),
    ),
    "C7": Criterion(
        "with all pegs known, the contact planner leaves almost all boards that nothing was tuned on",
        "none", "at least 98 % of 60 boards in 120 s", least(out=0.98),
    ),
    "C8": Criterion(
        "the contact planner needs fewer cycles per metre than the law of three lines", "none",
        "interval of the pooled ratio above 1 (paired bootstrap)", ratios("three lines / joints"),
    ),
    "C9": Criterion(
        "the contact planner needs fewer cycles per metre than the sampling planner", "none",
        "interval of the pooled ratio above 1 (paired bootstrap)", ratios("waves / joints"),
    ),
    "C10": Criterion(
        "plans of the contact planner keep their promised progress", "none",
        "plans of 0.25 s keep at least 90 % of their progress at the engine's step and stiffness", least(kept=0.9),
    ),
    "C11": Criterion(
        "the contact planner plans 25 times per second on one core at 1e6 N/m", "IDTO: 60 to 200 Hz at 2000 N/m",
        "mean processor time of a plan (9 joints, N = 25 at 20 ms) at most 40 ms", most(processor=0.04),
    ),
    "D1": Criterion(
        "a few hundred runs with derivatives per medium and power find gaits as fast as the grid of Table II",
        "front of 2.06 million serpenoid gaits per medium",
        "at least 98 % of its speed at 5, 10, 20, 35 W in all media, at most 240 s of processor time",
        both(least(least_ratio=0.98), most(processor=240.0)),
    ),
    "D2": Criterion(
        "with harmonics they are faster than every gait of the grid", "none", "more than its speed at all of them",
        least(least_ratio=1.0),
    ),
    "O1": Criterion(
        "push-to brings an object from random starts to random goals within 2 m", "none",
        "at least 90 % within 5 cm of the goal and at rest (1 mm/s) within 90 s", least(delivered=0.9),
    ),
    "O2": Criterion("it reaches the aim", "none", "at least 98 % of the runs of O1", least(delivered=0.98)),
    "O3": Criterion(
        "contacts only press and do not penetrate, and energy is conserved, in every run of O1", "none",
        "pull at most 1e-9 N, depth at most 1e-8 m, force times gap at most 1e-8 J, energy residual at most 1e-3",
        most(pull=1e-9, depth=1e-8, force_times_gap=1e-8, energy_residual=1e-3),
    ),
}  # fmt: skip

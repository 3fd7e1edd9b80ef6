"""Criteria on planning through contact, fixed before the boards of the study were run.

Twelve other boards had been seen with the sampling planner: all left, 0.96 cycles per metre.

The limits of C7 and C8 are from the plan. Exploratory designs had been seen in all media. They had 11 to 98 % of the
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
        "a few hundred runs with derivatives per medium and power find gaits as fast as the grid of Table II",
        "front of 2.06 million serpenoid gaits per medium",
        "at least 98 % of its speed at 5, 10, 20, 35 W in all media, at most 240 s of processor time",
        both(least(least_ratio=0.98), most(processor=240.0)),
    ),
    "C8": Criterion(
        "with harmonics they are faster than every gait of the grid", "none", "more than its speed at all of them",
        least(least_ratio=1.0),
    ),
}  # fmt: skip

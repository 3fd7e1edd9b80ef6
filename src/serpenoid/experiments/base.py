"""What a reproduction of a paper is made of: experiments that measure, findings, claims judged by their criteria."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.errors import UnknownName

Progress = Callable[[str], None]


class Finding(NamedTuple):
    """What an experiment found on a claim: measured values only, the verdict is the criterion's."""

    id: str
    measured: Any  # a number, or a dict of numbers, words and truth values (plain data)
    reason: str  # how it was measured, and what stands out


class Paper(NamedTuple):
    """A paper and the experiments that answer it, one module a figure or table.

    Each module has Config (a frozen dataclass with `quick()`), run(config, progress), claims(result) -> [Finding] and
    figure(result, folder) -> [paths].
    """

    name: str
    title: str
    package: str
    modules: tuple[str, ...]


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "natrix", "Recursive inverse dynamics of a swimming snake-like robot", "natrix",
            (
                "agreement", "conservation", "response", "tongue", "explanation", "orbits", "shells", "damping",
                "stabiliser", "identification", "cost",
            ),
        ),
        Paper(
            "mpc-gaits", "Automatic snake gait generation using model predictive control", "mpc_gaits",
            (
                "fronts", "spectra", "complex_gaits", "robustness", "friction", "timing", "steering", "agreement",
                "another_engine",
            ),
        ),
        Paper(
            "pushing", "Studying slippage on pushing applications with snake robots", "pushing",
            ("torque_plane", "far_joint", "polar_maps", "shapes", "closed_forms", "in_time"),
        ),
        Paper(
            "moving-frame", "A multi-linked robotic system using the moving frame method", "moving_frame",
            ("energy", "agreement", "round_trip", "cost", "servo_comparison", "animations"),
        ),
    )
}  # fmt: skip


def find_paper(name: str) -> Paper:
    """A paper by its name."""
    if name not in PAPERS:
        raise UnknownName("paper", name, PAPERS)
    return PAPERS[name]


def reproduce(paper: Paper, out: Path, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """Run every experiment of a paper; leave claims.json, figures and report.html in a folder; return the claims."""
    from serpenoid.experiments.criteria import CRITERIA
    from serpenoid.experiments.report import write_report

    out.mkdir(parents=True, exist_ok=True)
    findings: dict[str, Finding] = {}
    pictures: list[Path] = []
    for name in paper.modules:
        module = import_module(f"serpenoid.experiments.{paper.package}.{name}")
        progress(f"{paper.name}: {name.replace('_', ' ')}")
        config = module.Config.quick() if quick else module.Config()
        if not quick and hasattr(config, "store"):
            config = replace(config, store=str(out))  # a long sweep goes on where it was interrupted
        result = module.run(config, progress)
        findings.update({finding.id: finding for finding in module.claims(result)})
        pictures += module.figure(result, out)
    claims = [judge(id, band, findings.get(id)) for id, band in CRITERIA[paper.name].items()]
    document = {"paper": paper.name, "quick": quick, "versions": package_versions(), "claims": claims}
    (out / "claims.json").write_text(json.dumps(document, indent=2) + "\n")
    write_report(paper, document, pictures, out / "report.html")
    return claims


def judge(id: str, band: Any, finding: Finding | None) -> dict[str, Any]:
    """A claim with its verdict: true, false, or null where nothing was measured or no verdict is possible."""
    measured = None if finding is None else finding.measured
    reason = "not measured in this run" if finding is None else finding.reason
    holds = None if finding is None else band.holds(measured)
    return {
        "id": id, "claim": band.claim, "paper_value": band.paper_value, "band": band.band,
        "measured": measured, "holds": None if holds is None else bool(holds), "reason": reason,
    }  # fmt: skip


def package_versions() -> dict[str, str]:
    """Versions of what the result rests on."""
    from serpenoid.trajectory import versions

    return versions()

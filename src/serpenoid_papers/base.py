"""Reproductions of papers: experiments that measure, findings, and claims judged by criteria."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, cast

from serpenoid.errors import FileProblem, UnknownName, require
from serpenoid.support import plugins
from serpenoid.support.versions import versions

if TYPE_CHECKING:
    from serpenoid_papers.criterion import Criterion

Progress = Callable[[str], None]
KINDS = ("papers", "studies")  # groups of entry points
Size = Literal["full", "quick", "tiny"]


class Finding(NamedTuple):
    """Measured values of an experiment on a claim; the criterion gives the verdict."""

    id: str
    measured: Any  # a number, or a dict of numbers, words and booleans; None if the run is too small
    reason: str  # the method of measurement, and notable details
    undecided: str = ""  # why the run is too small for a verdict
    reading: str = ""  # name of the paper's reading under which it was measured


@dataclass(frozen=True)
class ExperimentConfig:
    """Base of the configurations of experiments; every experiment has its own Config."""

    @classmethod
    def quick(cls) -> Self:
        """Return a configuration that takes minutes instead of hours and gives the same verdicts."""
        return cls()

    @classmethod
    def tiny(cls) -> Self:
        """Return a configuration that takes seconds: every line runs, and no claim is judged."""
        return cls.quick()

    def kept_in(self, folder: Path) -> Self:
        """Return this configuration with its long sweeps stored in a folder, to resume after an interruption."""
        return self


@dataclass(frozen=True)
class SweepConfig(ExperimentConfig):
    """Base of the configurations of experiments with long sweeps."""

    store: str | None = None
    """folder of the sweeps, which resume after an interruption; None for a temporary folder"""

    def kept_in(self, folder: Path) -> Self:
        return replace(self, store=str(folder))


class Experiment(Protocol):
    """Interface of the modules in `serpenoid_papers/<paper>/`: one figure, table or question of a paper."""

    Config: type[ExperimentConfig]

    def run(self, config: Any, progress: Progress) -> Any:
        """Measure; claims and figure read the result."""
        ...

    def claims(self, result: Any) -> list[Finding]:
        """Return the findings on each claim that the experiment answers."""
        ...

    def figure(self, result: Any, folder: Path) -> list[Path]:
        """Draw into a folder and return the pictures (.png), animations (.html) and texts (.txt) written."""
        ...


class Paper(NamedTuple):
    """A paper, or a study of ours, and its experiments, one module per figure or table.

    The `__init__.py` of its folder defines it. An entry point of serpenoid.papers or serpenoid.studies names it.
    """

    name: str
    title: str
    package: str  # package of the experiments' modules
    modules: tuple[str, ...]
    also: tuple[str, ...] = ()  # other papers whose experiments answer claims of this one too

    @property
    def all_modules(self) -> tuple[str, ...]:
        """Experiments of the included papers, as package.module, then its own."""
        others = map(find_paper, self.also)
        return (*(f"{folder(other)}.{module}" for other in others for module in other.modules), *self.modules)

    def chosen(self, only: Sequence[str]) -> tuple[str, ...]:
        """Return the named experiments in the paper's order; all experiments if none is named."""
        # its own experiments override those of included papers
        known = {name.rpartition(".")[2]: name for name in self.all_modules}
        for name in only:
            if name not in self.all_modules and name not in known:
                raise UnknownName("experiment", name, known)
        wanted = {known.get(name, name) for name in only}
        return tuple(name for name in self.all_modules if not only or name in wanted)

    @property
    def criteria(self) -> dict[str, Criterion]:
        """Criterion of each claim, from `criteria.py` of its folder."""
        return import_module(f"{self.package}.criteria").CRITERIA

    def experiment(self, module: str) -> Experiment:
        """Return one of its experiments."""
        owner, _, name = module.rpartition(".")
        packages = {folder(other): other.package for other in map(find_paper, self.also)}
        return cast(Experiment, import_module(f"{packages.get(owner, self.package)}.{name}"))


def folder(paper: Paper) -> str:
    """Return the last part of the name of a paper's package."""
    return paper.package.rpartition(".")[2]


def papers() -> dict[str, Paper]:
    """Return the papers and studies of this and other installed packages, by name."""
    return {paper.name: paper for kind in KINDS for paper in plugins.load_all(kind).values()}


def find_paper(name: str) -> Paper:
    """Return a paper or a study by its name; only this one is imported."""
    found = next((paper for kind in KINDS if (paper := plugins.load(kind, name)) is not None), None)
    if found is None:
        raise UnknownName("paper", name, paper_names())
    return found


def paper_names() -> list[str]:
    """Return the names of all papers, then those of all studies."""
    return [name for kind in KINDS for name in plugins.entries(kind)]


def reproduce(
    paper: Paper, out: Path, size: Size, progress: Progress, only: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Run the experiments of a paper, write claims.json, figures and report.html into a folder, and return the claims.

    If `only` names experiments, the other claims stay as in the folder's claims.json.
    """
    from serpenoid_papers.report import write_report

    names = paper.chosen(only)
    kept_claims(paper, out, size)  # refuse early to replace the claims of another paper or size
    out.mkdir(parents=True, exist_ok=True)
    findings: dict[str, dict[str, Finding]] = {}
    pictures: list[Path] = []
    for name in names:
        progress(f"{paper.name}: {name.replace('_', ' ')}")
        experiment = paper.experiment(name)
        result = experiment.run(config_of(experiment, size, out), progress)
        for finding in experiment.claims(result):
            findings.setdefault(finding.id, {})[finding.reading] = finding
        pictures += experiment.figure(result, out)
    # Read them again, because other processes may have changed them meanwhile.
    earlier, drawn = kept_claims(paper, out, size) if only else ({}, [])
    pictures += [picture for picture in drawn if picture not in pictures]
    claims = [
        earlier[id]
        if id in earlier and id not in findings
        else judge_readings(id, criterion, findings.get(id, {}), size)
        for id, criterion in paper.criteria.items()
    ]
    document = {"paper": paper.name, "size": size, "versions": versions(), "claims": claims}
    (out / "claims.json").write_text(json.dumps(document, indent=2, allow_nan=False) + "\n")
    write_report(paper, document, pictures, out / "report.html")
    return claims


def kept_claims(paper: Paper, out: Path, size: Size) -> tuple[dict[str, dict[str, Any]], list[Path]]:
    """Return the claims by id and the pictures that an earlier reproduction left in a folder; both may be empty."""
    file = out / "claims.json"
    if not file.is_file():
        return {}, []
    try:
        document = json.loads(file.read_text())
        found, made = (document["paper"], document["size"]), {claim["id"]: claim for claim in document["claims"]}
    except (ValueError, KeyError, TypeError) as error:
        raise FileProblem(file, "must contain the claims of a reproduction; choose another --out") from error
    allowed = f"a folder of {paper.name}, {size}; it contains {found[0]}, {found[1]}"
    require(found == (paper.name, size), "out", str(out), allowed)
    pages = [page for page in sorted(out.glob("*.html")) if page.name != "report.html"]
    return made, [*sorted(out.glob("*.png")), *sorted(out.glob("*.txt")), *pages]


def config_of(experiment: Experiment, size: Size, out: Path) -> ExperimentConfig:
    """Return an experiment's configuration of a size; only a full run keeps its sweeps."""
    if size == "full":
        return experiment.Config().kept_in(out)
    return experiment.Config.quick() if size == "quick" else experiment.Config.tiny()


def judge_readings(
    id: str, criterion: Criterion, findings: Mapping[str, Finding], size: Size = "full"
) -> dict[str, Any]:
    """Return a claim with the verdict of its last reading, and measures and verdicts of all readings if it has some."""
    claims = {reading: judge(id, criterion, finding, size) for reading, finding in findings.items()}
    if not claims:
        return judge(id, criterion, None, size)
    whole = list(claims.values())[-1]
    own = {name: {key: claim[key] for key in ("measured", "holds", "reason")} for name, claim in claims.items() if name}
    return whole | ({"readings": own} if own else {})


def judge(id: str, criterion: Criterion, finding: Finding | None, size: Size = "full") -> dict[str, Any]:
    """Return a claim with its verdict: true, false, or null if nothing, or too little, was measured."""
    finding = Finding(id, None, "not measured in this run") if finding is None else finding
    holds = verdict(id, criterion, finding.measured)
    open_claim = holds is None or size == "tiny" or finding.undecided
    return {
        "id": id, "claim": criterion.claim, "paper_value": criterion.paper_value, "band": criterion.band,
        "measured": plain(finding.measured), "holds": None if open_claim else bool(holds),
        "reason": "; ".join(filter(None, (finding.undecided, finding.reason))),
    }  # fmt: skip


def verdict(id: str, criterion: Criterion, measured: Any) -> bool | None:
    """Test a measured value; a key that the criterion does not find is an error, even if no claim is judged."""
    try:
        return None if measured is None else criterion.holds(measured)
    except KeyError as error:
        raise UnknownName(f"measure of claim {id}", error.args[0], measured) from error


def plain(value: Any) -> Any:
    """Return a measured value for JSON, with NaN and infinity as None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

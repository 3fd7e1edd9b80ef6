"""Command `serpenoid reproduce`: a paper's experiments, its claims with their verdicts, figures and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.exit_messages import keeps
from serpenoid.cli.printing import note, say, table
from serpenoid.support import plugins
from serpenoid.support.output_paths import check_writable
from serpenoid_papers.base import KINDS, find_paper, paper_names, reproduce

WHAT_STAYS = {  # message after an interruption, by --quick
    False: "sweeps in progress are kept in {out}; the same command resumes them",
    True: "a quick reproduction keeps nothing; the same command starts again",
}


@dataclass(frozen=True)
class Options:
    """Options of `reproduce`."""

    quick: bool = False
    """coarser grids and shorter runs: minutes instead of an hour"""
    out: str | None = None
    """folder of the results; out/PAPER by default"""
    only: str | None = None
    """experiments to run, such as poles,row; the other claims stay as in the folder's claims.json"""
    strict: bool = False
    """exit with code 1 if a claim does not hold"""


def main(words: list[str]) -> int:
    """Run the experiments of a paper or a study and judge its claims."""
    given = arguments.read(words)
    if given.help:
        names = {kind: ", ".join(plugins.entries(kind)) for kind in KINDS}
        title = "serpenoid reproduce NAME: run the experiments of a paper or a study"
        title += "".join(f"\n{kind}: {known}" for kind, known in names.items())
        for name in given.positionals[:1]:
            title += f"\nexperiments of {name}: {', '.join(find_paper(name).all_modules)}"
        say(arguments.help_text(title, Options()))
        return 0
    paper = find_paper(arguments.only(given.positionals, "paper", paper_names))
    options = arguments.applied(Options(), given.flags)
    out = Path(options.out or Path("out") / paper.name)
    only = options.only.split(",") if options.only else []
    paper.chosen(only)  # fail before anything is compiled
    check_writable(out / "claims")  # not the file itself, because an earlier reproduction may be replaced
    keeps(WHAT_STAYS[options.quick].format(out=out))
    with announced(), progress_bar(paper.name):
        claims = reproduce(paper, out, "quick" if options.quick else "full", note, only)
    words_of = {True: "holds", False: "DOES NOT HOLD", None: "no verdict"}
    say(table([[c["id"], words_of[c["holds"]], c["claim"]] for c in claims], ["id", "verdict", "claim"]))
    say(f"\nclaims: {out / 'claims.json'}\nreport: {out / 'report.html'}")
    return 1 if options.strict and any(claim["holds"] is False for claim in claims) else 0

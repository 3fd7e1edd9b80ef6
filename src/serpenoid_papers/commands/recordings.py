"""Command `serpenoid recordings`: recordings of a real snake among pegs compared with our law and our runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.printing import number, say, table
from serpenoid.cli.sweep import words_of
from serpenoid.configuration import between, check_fields

TITLE = """serpenoid recordings FOLDER [--out FOLDER] [--boards N] [--sign-boards N]

FOLDER: recordings of a snake of 16 modules among pegs, run_*.csv with time_s, angle0_rad .. angle15_rad (commanded),
torque0_Nm .. torque15_Nm, x_m, y_m, z_m. Prints, and writes recordings.json and recordings.png."""


@dataclass(frozen=True)
class Options:
    """Options of `recordings`."""

    out: str = "out/recordings"
    """folder of the figure, the numbers and the sweeps of our runs; existing sweeps are resumed"""
    boards: Annotated[int, between(2, 10_000, usual=(6, 80))] = 40
    """boards at each density and sign, with 16 modules"""
    sign_boards: Annotated[int, between(2, 100_000, usual=(100, 1000))] = 1000
    """boards on which both signs of the law are compared, with 18 modules"""
    threads: Annotated[int, between(1, 4096, usual=(1, 16))] = 2
    """number of runs in parallel"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Compare recordings of a real snake among pegs with our law and our runs."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    folders, options = given
    folder = Path(arguments.only(folders, "folder with recordings"))
    from serpenoid_papers import recordings as beside

    found = beside.recordings(folder)  # fail before anything runs
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    with announced():
        replays = {name: beside.differences(readings) for name, readings in found.items()}
        shown = {name: beside.measure_recording(readings)._asdict() for name, readings in found.items()}
        print_recorded(shown, replays)
        runs, sign = run_sweeps(beside, out, options)
    print_ours(runs, sign)
    numbers = {"recorded": shown, "rms_difference": replays, "simulated": runs, "sign": sign}
    (out / "recordings.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    from serpenoid_papers.recordings_figure import draw

    say(f"figure: {draw(next(iter(found.values())), numbers, out / 'recordings.png')}")
    return 0


def run_sweeps(beside: Any, out: Path, options: Options) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run our snake at three densities, and compare both signs of the law."""
    from serpenoid.sweeps import Threads

    with Threads(options.threads) as executor:
        with progress_bar("densities.zarr") as bar:
            report = lambda status: bar(status.done / status.total, words_of(status))  # noqa: E731
            data = beside.simulate_runs(out / "densities.zarr", options.boards, executor, report)
        with progress_bar("signs.zarr") as bar:
            report = lambda status: bar(status.done / status.total, words_of(status))  # noqa: E731
            sign = beside.sign_question(out / "signs.zarr", options.sign_boards, executor, report)
    return beside.by_density(data), sign


def print_recorded(shown: dict[str, Any], replays: dict[str, Any]) -> None:
    """Print the recordings' measures, and our law compared with them."""
    header = ["recording", "net cycles per metre", "torque rms [N m]", "greatest [N m]", "share of angles cut"]
    say(table([[name, *values.values()] for name, values in shown.items()], header))
    say("\nangles that our law commands with the recorded torques T, minus those sent, rms [rad]:")
    first = next(iter(replays.values()))
    columns = [(feels, anchor) for feels in first for anchor in first[feels]]
    rows = [
        [f"{feels}, windows {anchor}", *(found[feels][anchor] for found in replays.values())]
        for feels, anchor in columns
    ]
    say(table(rows, ["torque input", *replays]) + "\n")


def print_ours(runs: dict[str, Any], sign: dict[str, Any]) -> None:
    """Print our runs by the same measures, and compare both signs."""
    rows = [[float(density), law, *values.values()] for density, laws in runs.items() for law, values in laws.items()]
    names = ["net cycles per metre (median)", "torque rms [N m] (median)", "out", "stuck"]
    say(table(rows, ["pegs per m^2", "law", *names]) + "\n")
    rows = [[law, sign["out"][law], sign["stuck"][law], sign["pooled_cycles_per_metre"][law]] for law in sign["out"]]
    say(f"both signs on {sign['boards']} boards, 27 pegs per m^2:")
    say(table(rows, ["law", "out", "stuck", "pooled cycles per metre"]))
    value, low, high = (number(each, digits=3) for each in sign["cycles_ratio"])
    say(f"cycles per metre, yielding over pushing back: {value} ({low} to {high})")
    say(f"out, McNemar: p = {number(sign['out_p'], digits=2)}\n")

"""`serpenoid optimise --by gradient`: fastest gaits at given powers, one TOML file each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid import configuration
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.printing import number, plural, say, table
from serpenoid.cli.run import name_of
from serpenoid.configuration.toml import toml_text
from serpenoid.errors import InvalidValue, MissingValue
from serpenoid.support.output_paths import check_folder

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario
    from serpenoid.sweeps import Design


def design(scenario: Scenario, ranges: tuple[dict[str, str], dict[str, str]], options: Any) -> int:
    """Design a gait for every power, write the files and print the front."""
    from serpenoid.sweeps import design_gaits

    check_options(ranges, options)
    folder = Path(options.out or Path("out") / f"{name_of(scenario)}-gaits")
    check_folder(folder)
    with announced(), progress_bar(folder.name) as bar:
        found = design_gaits(scenario, options.power, options.harmonics, options.starts, scenario.seed, bar)
    files = [save(folder, one) for one in found]
    rows = [[one.limit, one.speed, one.power, file] for one, file in zip(found, files)]
    runs = plural(found[-1].runs, "run")
    say(f"{runs} with derivatives, {plural(options.harmonics, 'harmonic')} per joint", "")
    say(table(rows, ["limit [W]", "speed [m/s]", "power [W]", "file"]), "")
    say(f"run one: serpenoid run --from {files[-1]}")
    return 0


def check_options(ranges: tuple[dict[str, str], dict[str, str]], options: Any) -> None:
    """Refuse varied fields, and missing powers."""
    if not options.power:
        raise MissingValue("--power", "limits of the mean power [W], such as 5,10,20")
    for flag, values in zip(("--over", "--average"), ranges):
        if values:
            raise InvalidValue(flag, ", ".join(values), "omitted with --by gradient: gait and gains are searched")


def save(folder: Path, found: Design) -> Path:
    """Write the scenario of a gait as a TOML file."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = configuration.to_plain(found.scenario)
    plain = {"scenario": name_of(found.scenario)} | {name: value for name, value in plain.items() if name != "type"}
    file = folder / f"{number(found.limit, digits=4)}W.toml"
    comment = (
        f"{number(found.speed, digits=4)} m/s at {number(found.power, digits=4)} W: serpenoid run --from {file.name}"
    )
    file.write_text(toml_text(plain, comment), encoding="utf-8")
    return file

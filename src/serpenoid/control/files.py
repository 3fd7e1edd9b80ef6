"""Controllers in TOML files: `type` names the class and cannot run code, the rest are its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serpenoid.configuration import from_plain, read_toml, to_plain, toml_text
from serpenoid.control.base import Controller
from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.support.reading import check_regular

MOST_BYTES = 1 << 23  # of a file; a policy of 100,000 weights has 2 MB


def read_controller(path: Path | str, annotation: Any = Controller) -> Any:
    """Read a controller of a kind from a TOML file with schema = 1 and type = NAME."""
    file = Path(path)
    check_regular(file, MOST_BYTES)
    data = read_toml(file)
    try:
        return from_plain(data, annotation)
    except SerpenoidError as error:
        raise FileProblem(file, str(error)) from None


def write_controller(path: Path | str, controller: Controller, comment: str) -> Path:
    """Write a controller whose fields are numbers, words, lists of these and other dataclasses."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(toml_text(to_plain(controller), comment), encoding="utf-8")
    return file

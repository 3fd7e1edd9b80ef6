"""TOML files of a known schema."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem
from serpenoid.support.reading import read_text

SCHEMA = 1


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of a supported schema and return it without its schema entry."""
    try:
        data = tomllib.loads(read_text(path, encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FileProblem(path, f"is not valid TOML ({error})") from None
    schema = data.pop("schema", None)
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        said = "does not state its schema" if schema is None else f"has schema = {schema!r}"
        raise FileProblem(path, f"{said}: must have a line schema = {SCHEMA}")
    return data

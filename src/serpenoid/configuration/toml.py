"""TOML files of a known schema."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem
from serpenoid.support.reading import read_text

SCHEMA = 1
PER_LINE = 6  # numbers per line of a long list


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


def toml_text(data: Mapping[str, Any], comment: str) -> str:
    """Format plain data without lists of tables as a TOML file; entries that are None are omitted."""
    return "\n".join([f"# {comment}", f"schema = {SCHEMA}", *table_lines(data, "")]) + "\n"


def table_lines(data: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Yield the lines of a table: its values, then its tables."""
    for key, value in data.items():
        if value is not None and not isinstance(value, Mapping):
            yield f"{key} = {value_text(value)}"
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield f"\n[{prefix}{key}]"
            yield from table_lines(value, f"{prefix}{key}.")


def value_text(value: Any) -> str:
    """Format a word, a switch, a number or a list of these."""
    if not isinstance(value, list):
        return json.dumps(value)
    words = [value_text(item) for item in value]
    if len(words) <= PER_LINE:
        return f"[{', '.join(words)}]"
    rows = (", ".join(words[i : i + PER_LINE]) for i in range(0, len(words), PER_LINE))
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"

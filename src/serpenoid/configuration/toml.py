"""TOML files of a known schema."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem

SCHEMA = 1


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file of a schema that this release reads, without its schema entry."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileProblem(path, f"cannot be read ({problem})") from None
    except tomllib.TOMLDecodeError as error:
        raise FileProblem(path, f"is no valid TOML ({error})") from None
    schema = data.pop("schema", None)
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        said = "does not say its schema" if schema is None else f"has schema = {schema!r}"
        raise FileProblem(path, f"{said}: must have a line schema = {SCHEMA}")
    return data

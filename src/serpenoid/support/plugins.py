"""Plug-ins of installed packages, from entry points of the groups `serpenoid.KIND`.

Reading the metadata of all installed packages takes some 10 ms: ask only for an unknown name, or to list all.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PREFIX = "serpenoid."


@cache
def entries(kind: str) -> dict[str, EntryPoint]:
    """Return the entry points of a kind (commands, scenarios, robots ...) by name; nothing is imported."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=PREFIX + kind), key=lambda entry: entry.name):
        found.setdefault(entry.name, entry)  # of two packages, the one that Python finds first
    return found


def load(kind: str, name: str) -> Any:
    """Import and return the object that an installed package adds under a name; None if none does or the import
    fails.
    """
    entry = entries(kind).get(name)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as error:  # a third-party package may raise anything
        owner = entry.dist.name if entry.dist else entry.value
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        warnings.warn(f"{name} of {owner} ({PREFIX}{kind}) is omitted: {problem}", stacklevel=2)
        return None


def load_all(kind: str) -> dict[str, Any]:
    """Import and return all objects of a kind that installed packages add, by name."""
    found = {name: load(kind, name) for name in entries(kind)}
    return {name: part for name, part in found.items() if part is not None}


def summary(kind: str, name: str) -> str:
    """Return the first line of a function's docstring, read from its source: importing all commands takes a second."""
    import ast
    from importlib.util import find_spec

    entry = entries(kind)[name]
    try:
        spec = find_spec(entry.module)
        tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))  # type: ignore[union-attr, arg-type]
    except Exception:  # loading it will report the problem
        return ""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry.attr]
    line = (ast.get_docstring(functions[0]) or "").partition("\n")[0].rstrip(".") if functions else ""
    return line[:1].lower() + line[1:]

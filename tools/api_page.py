"""Python reference: docs/reference/api.md, generated from the `__all__` of every public package.

Run `python tools/api_page.py` to rewrite the page. mkdocstrings fills in the docstrings when the site is built.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- names: made by tools/api_page.py -->", "<!-- end of names -->"
PACKAGES = (
    "robots", "worlds", "gaits", "control", "planning", "estimation", "scenarios", "analysis", "mechanics", "plotting",
    "sweeps", "training", "studio", "interchange", "hardware", "learning", "configuration",
)  # fmt: skip


def top_level() -> list[str]:
    """Return the dotted names behind `sp.NAME`, packages omitted."""
    package = import_module("serpenoid")
    found = {name: getattr(package, name) for name in package.__all__}
    return [f"{found[name].__module__}.{name}" for name in found if not isinstance(found[name], ModuleType)]


def hides_a_file(module: ModuleType, name: str) -> bool:
    """Return whether a public name is also a file of its package, which mkdocstrings would take instead."""
    return any((Path(folder) / f"{name}.py").exists() for folder in module.__path__)


def defined_as(module: ModuleType, name: str) -> str:
    """Return the dotted name of a function or class at its definition, or of a public module."""
    found = getattr(module, name)
    return found.__name__ if isinstance(found, ModuleType) else f"{found.__module__}.{name}"


def names() -> str:
    """Return the mkdocstrings directives of all public names."""
    parts = ["## serpenoid\nThese names are available as `sp.NAME` after `import serpenoid as sp`."]
    parts += [f"::: {name}" for name in top_level()]
    for package in PACKAGES:
        module = import_module(f"serpenoid.{package}")
        parts.append(f"::: serpenoid.{package}\n    options: {{members: [{', '.join(module.__all__)}]}}")
        parts += [f"::: {defined_as(module, name)}" for name in module.__all__ if hides_a_file(module, name)]
    return "\n\n".join(parts)


def written(page: str) -> str:
    """Return the page with the names of this version between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{names()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

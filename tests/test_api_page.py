"""docs/reference/api.md lists every public name of every package."""

import pkgutil
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import serpenoid

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^::: ([\w.]+)(?:\n    options: \{members: \[(.*?)\]\})?", TEXT, re.MULTILINE))


def public_packages():
    """Return the packages of the library that state their public names."""
    found = (import_module(f"serpenoid.{info.name}") for info in pkgutil.iter_modules(serpenoid.__path__) if info.ispkg)
    return [package for package in found if getattr(package, "__all__", None)]


@pytest.mark.parametrize("package", public_packages(), ids=lambda package: package.__name__)
def test_every_name_of_a_package_is_listed(package):
    assert BLOCKS[package.__name__].split(", ") == list(package.__all__), "run: python tools/api_page.py"


def test_every_name_of_the_top_level_is_listed():
    for name in serpenoid.__all__:
        found = getattr(serpenoid, name)
        assert (found.__name__ if isinstance(found, ModuleType) else f"{found.__module__}.{name}") in BLOCKS


def test_the_page_is_that_of_the_tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    assert import_module("api_page").written(TEXT) == TEXT, "run: python tools/api_page.py"

"""Kernels use only documented names of numba; every other name is listed here with the reason.

Documented means: named in numba's manual, in an example of the manual, or in the docstring of a public function.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import serpenoid

ROOT = Path(serpenoid.__file__).parents[1]
# Names of numba that kernels may use, by module; None allows every name.
DOCUMENTED: dict[str, set[str] | None] = {
    "numba": {"carray", "cfunc", "config", "njit", "typeof", "types"},
    "numba.extending": None,
    "numba.core.cgutils": None,  # low-level extension API
    "numba.core.errors": {"NumbaError", "TypingError"},  # guide to @overload: mynorm.py
    "numba.core.event": None,  # event API
}
# Names outside the manual, by file: the number of private names of numba that remain.
UNDOCUMENTED = {
    # The manual lists these classes for NUMBA_CACHE_LOCATOR_CLASSES without their module, and UserProvidedCacheLocator
    # only by its effect (NUMBA_CACHE_DIR). A locator of our own inherits from them to keep numba's choice of folder.
    ("kernels/cache.py", "numba.core", "caching"),
    # The base class that `numba.extending.infer_getattr` asks for; the manual names it in NBEP 2 without its module.
    # The documented `overload_attribute` needs every field name of every record, and compiles each field separately.
    ("kernels/reference.py", "numba.core.typing.templates", "AttributeTemplate"),
    # What `can_convert_from` of a type must return; `array[i] = number` of an array of vectors asks for it.
    ("kernels/simd.py", "numba.core.typeconv", "Conversion"),
}
LOCATORS = {"UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator"}
MODULES = {"numba.core": {"cgutils", "event"}}
# `_nrt` is in the docstring of `numba.extending.register_jitable`.
OPTIONS = {"nogil", "fastmath", "error_model", "cache", "forceinline", "inline", "boundscheck", "_nrt"}
# Attributes with a leading underscore: the manual's Interval example calls `_getvalue` of struct proxies. The others
# belong to namedtuples.
UNDERSCORED = {"_getvalue", "_replace", "_fields", "_asdict", "_make"}


def sources():
    return sorted(path for package in ("serpenoid", "serpenoid_papers") for path in (ROOT / package).rglob("*.py"))


def numba_sources():
    return [path for path in sources() if re.search(r"^\s*(from|import) (numba|llvmlite)", path.read_text(), re.M)]


def imported(path):
    """Names of numba that a file imports, as (module, name)."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (("", alias.name) for alias in node.names if alias.name.split(".")[0] == "numba")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            yield from ((node.module, alias.name) for alias in node.names)


def is_documented(module, name):
    if not module:
        return name == "numba"
    allowed = DOCUMENTED.get(module, MODULES.get(module, set()))
    return allowed is None or name in allowed


def test_imported_names_are_documented_or_listed():
    found = {
        (path.relative_to(ROOT / "serpenoid").as_posix(), module, name)
        for path in numba_sources()
        for module, name in imported(path)
        if not is_documented(module, name)
    }
    assert found == UNDOCUMENTED


def test_only_documented_names_are_read_from_imported_modules():
    reads = {"numba": DOCUMENTED["numba"], "caching": LOCATORS}
    for path in sources():
        text = path.read_text()
        if "numba" not in text:
            continue
        for module, allowed in reads.items():
            found = set(re.findall(rf"(?<![\w.\"'`/]){module}\.([a-zA-Z_]\w*)", strip_strings(text)))
            assert found <= allowed, (path, found - allowed)


@pytest.mark.parametrize("path", numba_sources(), ids=lambda path: path.stem)
def test_attributes_with_an_underscore_are_documented(path):
    """Catches private attributes of numba's objects."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            assert own or node.attr in UNDERSCORED, f"{path.name}:{node.lineno}: .{node.attr}"


def test_options_are_documented():
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(node, "func", None), "attr", getattr(getattr(node, "func", None), "id", ""))
            if isinstance(node, ast.Call) and name in ("njit", "jit", "register_jitable", "cfunc"):
                assert {word.arg for word in node.keywords if word.arg} <= OPTIONS, path
    written = [path.name for path in sources() if '"_nrt"' in path.read_text()]
    assert written == ["compile.py"], "only one file sets the option"


def strip_strings(text: str) -> str:
    """Return a source without docstrings, comments and imports."""
    return re.sub(r'"""(.|\n)*?"""|#[^\n]*|"[^"\n]*"|^from numba[^\n]*', "", text, flags=re.M)

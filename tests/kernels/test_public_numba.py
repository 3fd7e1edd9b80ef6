"""Kernels use only documented names of numba."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import serpenoid

ROOT = Path(serpenoid.__file__).parents[1]
# Names of numba that kernels may use, by module; None allows every name. A comment marks undocumented names.
DOCUMENTED: dict[str, set[str] | None] = {
    "numba": {"carray", "cfunc", "config", "njit", "typeof", "types"},
    "numba.extending": None,
    "numba.core.cgutils": None,  # Low-level extension API
    "numba.core.errors": {"NumbaError", "TypingError"},  # A guide to using @overload (mynorm.py)
    "numba.core.event": None,  # Event API
    # Notes on Caching; NUMBA_CACHE_LOCATOR_CLASSES
    "numba.core.caching": {"UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator"},
    # Not in the manual: what `numba.extending.infer_getattr` asks for, and what `Type.can_convert_from` returns.
    "numba.core.typing.templates": {"AttributeTemplate"},
    "numba.core.typeconv": {"Conversion"},
}
MODULES = {"numba.core": {"caching", "cgutils", "event"}}
OPTIONS = {"nogil", "fastmath", "error_model", "cache", "forceinline", "inline", "boundscheck", "_nrt"}


def sources():
    return sorted(path for package in ("serpenoid", "serpenoid_papers") for path in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("path", [path for path in sources() if "numba" in path.read_text()], ids=lambda p: p.stem)
def test_only_documented_names_are_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not [a.name for a in node.names if a.name.startswith("numba.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            names = {alias.name for alias in node.names}
            allowed = DOCUMENTED.get(node.module, MODULES.get(node.module, set()))
            assert allowed is None or names <= allowed, f"from {node.module} import {sorted(names - allowed)}"
            assert not [name for name in names if name.startswith("_")]


def test_only_documented_names_are_read_from_imported_modules():
    reads = {"numba": DOCUMENTED["numba"], "caching": DOCUMENTED["numba.core.caching"]}
    for path in sources():
        text = path.read_text()
        if "numba" not in text:
            continue
        for module, allowed in reads.items():
            found = set(re.findall(rf"(?<![\w.\"'`/]){module}\.([a-zA-Z_]\w*)", strip_strings(text)))
            assert found <= allowed, (path, found - allowed)


def test_options_are_documented():
    """`_nrt` is the one with an underscore; numba documents it with `register_jitable`."""
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

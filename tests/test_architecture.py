"""Signatures on docs/reference/architecture.md agree with the code.

It reads blocks fenced as ```python title="signatures": one line `serpenoid.module.Class.method(self, a, b=1)` each.
Text after the closing bracket or a # is ignored.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "architecture.md"


def shown(text):
    """(dotted name, arguments) of every line of the blocks."""
    blocks = re.findall(r'^```python title="signatures"\n(.*?)^```', text, re.DOTALL | re.MULTILINE)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [split(line) for line in lines if line and not line.startswith("#")]


def split(line):
    """The dotted name and what stands between its brackets."""
    name, bracket, rest = line.partition("(")
    depth = 1
    for end, letter in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return name, rest[:end]
    raise AssertionError(f"{line}: not NAME(ARGUMENTS)")


def found(name):
    """Return the object of a dotted name; a method as the plain function."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
        return getattr(thing, "__func__", thing)
    raise AssertionError(f"{name} is not there")


def parameters(thing):
    """(kind, name, default as text) of each parameter, annotations omitted."""
    return [
        (str(p.kind), p.name, None if p.default is p.empty else repr(p.default))
        for p in inspect.signature(thing).parameters.values()
    ]


def parameters_of_text(arguments):
    """The same of a line of the page."""
    scope = {}
    code = ast.parse(f"def line({arguments}): ...")
    exec(compile(code, "architecture.md", "exec"), scope)
    return parameters(scope["line"])


@pytest.mark.parametrize(("name", "arguments"), shown(PAGE.read_text(encoding="utf-8")))
def test_signature(name, arguments):
    assert parameters_of_text(arguments) == parameters(found(name))


def test_the_page_shows_the_interfaces():
    names = {name.rpartition(".")[0] for name, _ in shown(PAGE.read_text(encoding="utf-8"))}
    for interface in ("engines.base.Engine", "control.base.Controller", "scenarios.base.Scenario"):
        assert f"serpenoid.{interface}" in names


def test_a_wrong_line_would_be_seen():
    here = "test_architecture.split"
    ((name, arguments),) = shown(
        f'text\n```python title="signatures"\n    {here}(line) -> (name, arguments)   # why\n```\n'
    )
    assert (name, arguments) == (here, "line")
    assert parameters_of_text(arguments) == parameters(found(name))
    for wrong in ("", "text", "line, more", "line=None", "*line", "*, line"):
        assert parameters_of_text(wrong) != parameters(found(name))
    with pytest.raises((AssertionError, AttributeError)):
        found("serpenoid.engines.base.Motor.advance")

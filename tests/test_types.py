"""Typed interfaces: drives and robots declare their properties, without checks of class or attributes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.py"))
DRIVES = {"Drive", "Prescribed", "PD", "SeriesElastic", "Cascade", "StiffDrive", "ElasticDrive", "CascadeDrive"}
OWN = ("robots/drives.py", "robots/cascade.py")


def names_in(node):
    """Names and last parts of dotted names below a node."""
    return {part for n in ast.walk(node) for part in (getattr(n, "id", None), getattr(n, "attr", None)) if part}


def calls(tree, *functions):
    """Calls of plain functions."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", None) in functions]


def asks_for_a_drive(tree):
    """Lines that ask for the class of a drive."""
    return [call.lineno for call in calls(tree, "isinstance", "issubclass") if names_in(call.args[1]) & DRIVES]


def asks_a_robot(tree):
    """Lines that look for an attribute of a robot."""
    found = calls(tree, "hasattr", "getattr")
    return [call.lineno for call in found if {"robot", "body"} & {last(call.args[0])}]


def last(node):
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def untyped_robots(tree):
    """Lines that annotate a robot as anything."""
    marked = [n for n in ast.walk(tree) if isinstance(n, ast.arg | ast.AnnAssign) and n.annotation is not None]
    names = [(n.arg if isinstance(n, ast.arg) else last(n.target), n) for n in marked]
    return [n.lineno for name, n in names if name == "robot" and last(n.annotation) == "Any"]


@pytest.mark.parametrize("rule", [asks_for_a_drive, asks_a_robot, untyped_robots], ids=lambda rule: rule.__name__)
def test_interfaces_are_typed(rule):
    files = [path for path in FILES if not path.as_posix().endswith(OWN)]
    broken = [f"{path.relative_to(ROOT)}:{line}" for path in files for line in rule(ast.parse(path.read_text()))]
    assert not broken


def test_breaches_would_be_seen():
    text = "def f(robot: Any):\n    isinstance(robot.drive, PD | Cascade)\n    getattr(self.robot, 'radius', 0.0)\n"
    tree = ast.parse(text)
    assert (untyped_robots(tree), asks_for_a_drive(tree), asks_a_robot(tree)) == ([1], [2], [3])

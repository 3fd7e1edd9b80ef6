"""Language rules over the whole repository, and the checker itself on small texts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("language", ROOT / "tools" / "language.py")
language = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(language)


def test_no_file_breaks_the_rules():
    found = [finding for path in language.checked_files([]) for finding in language.findings(path)]
    lines = [f"{f.path.relative_to(ROOT)}:{f.line}: {f.rule}: {f.text[:100]}" for f in found]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize(
    "source, rule",
    [
        ('def f():\n    """What a step costs."""\n', "clause"),
        ('def f():\n    """The cost of a step."""\n', "verb"),
        ('def f():\n    """Return ' + "a word " * 13 + '."""\n', "words"),
        ('def f():\n    """Return: one; two: three."""\n', "colon"),
        ('"""Chains."""\nx = 1  # ' + "the " + "books balance\n", "energy balance"),
        ('"""Chains."""\nx = "this is ' + 'no recording"\n', "is not a"),
        ('class A:\n    """Chain."""\n\n    x: int = 1\n    """what moves the joints"""\n', "field"),
    ],
)
def test_each_rule_finds_its_case(tmp_path, source, rule):
    path = tmp_path / "case.py"
    path.write_text(source)
    assert any(rule in finding.rule for finding in language.findings(path))


def test_good_text_passes(tmp_path):
    path = tmp_path / "case.py"
    path.write_text('"""Planar chains."""\n\n\ndef f():\n    """Return the mass of a chain [kg]."""\n')
    assert not list(language.findings(path))


def test_pages_are_checked_outside_code_and_formulas(tmp_path):
    path = tmp_path / "page.md"
    long = "word " * 30
    path.write_text(f"# Title\n\n```\n{long}\n```\n\n$$\n{long}\n$$\n\nShort text with `{long}` inside.\n")
    assert not list(language.findings(path))
    path.write_text(f"{long}.\n")
    assert [finding.rule for finding in language.findings(path)] == ["30 words"]

"""The page of environments follows their tasks."""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")
TOOL = Path(__file__).parents[2] / "tools" / "environment_tables.py"


def test_the_tables_are_up_to_date():
    parts = runpy.run_path(str(TOOL))
    text = parts["PAGE"].read_text(encoding="utf-8")
    assert text == parts["page"](), "run python tools/environment_tables.py"
    assert text.count("\n## Serpenoid/") == 9

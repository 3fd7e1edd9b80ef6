"""Every example has a title, runs, and ends in a picture."""

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def test_examples_are_numbered_without_gaps():
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_ends_in_a_picture(path, tmp_path, monkeypatch, capsys):
    title = ast.get_docstring(ast.parse(path.read_text()))
    assert title and title.endswith(".") and len(title) < 120
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("picture: ")
    assert (tmp_path / last.removeprefix("picture: ")).stat().st_size > 5_000

"""Every example, the notebook and the run file have a title, run, and end in a picture."""

import ast
import json
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


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


def test_the_notebook_runs_and_its_figures_appear(tmp_path, monkeypatch):
    """Cell by cell, as a notebook does; there figures are pyplot's."""
    import webbrowser

    from matplotlib import pyplot

    from serpenoid.plotting import style

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(style, "figures_displayed", lambda: True)
    monkeypatch.setattr(webbrowser, "open", lambda address: True)  # no IPython here: the film goes to a browser
    cells = json.loads((FOLDER / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
    names, figures = {}, []
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "notebook", "exec"), names)
            figures.append(len(pyplot.get_fignums()))
            pyplot.close("all")
    assert sum(figures) == 3
    assert names["best"].quantities["speed"][0] > 0.0


def test_the_run_in_a_file_runs(tmp_path, monkeypatch, capsys):
    from serpenoid.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["run", "--from", str(FOLDER / "run.toml"), "--duration", "0.5", "--out", "file.zarr"]) == 0
    assert "speed" in capsys.readouterr().out and (tmp_path / "file.zarr").exists()

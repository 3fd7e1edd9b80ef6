"""The site builds without a warning, and every Python and TOML snippet of every page runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from serpenoid.cli import main
from serpenoid.trajectory import Trajectory

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def page_name(page):
    """Return the path of a page from the root, since names repeat between folders."""
    return page.relative_to(ROOT).with_suffix("").as_posix()


def blocks(page, language):
    """The blocks of a page that are fenced as a language, and as nothing more."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=page_name)
def test_python_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    module = f"page_{re.sub('[^a-zA-Z]', '_', page_name(page))}"
    (tmp_path / f"{module}.py").write_text("\n\n".join(blocks(page, "python")))
    monkeypatch.syspath_prepend(tmp_path)
    __import__(module)  # a module, so that classes of its own have a home


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=page_name)
def test_toml_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "toml"):
        Path("run.toml").write_text(block)
        assert main(["run", "--from", "run.toml", "--duration", "0.5", "--out", "a.zarr", "--overwrite", "true"]) == 0
        assert Trajectory.load("a.zarr").configuration["scenario"]["duration"] == 0.5


def test_every_fence_has_a_form_that_the_site_renders():
    """Other words after the language would turn the block into one line of inline code."""
    for page in PAGES:
        for opened in re.findall(r"^```([^\n]*)\n.*?^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            assert re.fullmatch(r'\w*( title="[^"]+")?', opened), f"{page.name}: ```{opened}"


def test_no_python_stands_outside_a_fence():
    for page in PAGES:
        assert not re.search(r"^    import ", page.read_text(encoding="utf-8"), re.MULTILINE), page.name


def test_the_site_builds_strictly(tmp_path):
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(tmp_path / "site")]
    ended = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "PlanarSnake" in (tmp_path / "site" / "reference" / "api" / "index.html").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        inside = page.relative_to(ROOT / "docs").with_suffix("")
        name = Path("index.html") if page.stem == "index" else inside / "index.html"
        assert (tmp_path / "site" / name).exists(), page.name
    home = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "assets/mathjax-tex-svg.js" in home and not re.search(r'<script[^>]+src="https?:', home)

"""The benchmark page agrees with the committed results; results of topics join, and ratios stand beside each other."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
try:
    tool = importlib.import_module("benchmark_page")
finally:
    sys.path.pop(0)


def result(version, **ratios):
    """Return a result with one row per name, and a row without a peer."""
    rows = [
        {"name": name, "ours_us": 2.0, "peer": "rival", "peer_us": 2.0 * r, "ratio": r} for name, r in ratios.items()
    ]
    alone = {"name": f"alone {version}", "ours_us": 1234.5, "peer": None, "peer_us": None, "ratio": None}
    machine = {"processor": "P", "cores": 2, "python": "3.11"}
    return {"rows": [*rows, alone], "machine": machine, "versions": {"serpenoid": version, "numba": "0.68"}}


def test_the_page_is_that_of_the_tool():
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.written(page, tool.releases()), "run: python tools/benchmark_page.py"


def test_ratios_of_all_releases_stand_in_one_line(tmp_path):
    results = {"0.1.0": result("0.1.0", step=2.0, old=3.0), "0.10.0": result("0.10.0", step=4.0, new=1.5)}
    text = tool.tables(results)
    assert (
        "| step | rival | 2 | 4 |" in text and "| old | rival | 3 | - |" in text and "| new | rival | - | 1.5 |" in text
    )
    assert "| alone 0.10.0 | 1234 | - | - | - |" in text and "## Release 0.10.0" in text and "numba 0.68" in text
    tool.draw(results, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_topics_of_one_run_join_and_others_are_refused():
    joined = tool.join([result("1", step=2.0), {**result("1"), "rows": [{"name": "b", "peer": "c"}]}])
    assert [row["name"] for row in joined["rows"]] == ["step", "alone 1", "b"]
    with pytest.raises(SystemExit, match="alone 1"):
        tool.join([result("1"), result("1")])
    with pytest.raises(SystemExit, match="same versions"):
        tool.join([result("1"), result("2")])

"""The release tool refuses wheels with the wrong contents and versions that disagree."""

import importlib
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
try:
    tool = importlib.import_module("release")
finally:
    sys.path.pop(0)
INFORMATION = [
    f"serpenoid-1.dist-info/{name}" for name in ("licenses/LICENSE", "METADATA", "RECORD", "entry_points.txt")
]
SOURCES = ["serpenoid/__init__.py", "serpenoid/kernels/a.py", "serpenoid_papers/x/criteria.py", "hebi_twin/py.typed"]
KERNELS = ["serpenoid/kernels/__pycache__/a.nbi", "serpenoid/kernels/__pycache__/a.nbc"]
PURE, PLATFORM = "serpenoid-1-py3-none-any.whl", "serpenoid-1-cp311-cp311-manylinux_2_28_x86_64.whl"


def problems(folder, name, files):
    """Return the problems of a wheel with some files."""
    with zipfile.ZipFile(folder / name, "w") as archive:
        for file in files:
            archive.writestr(file, "")
    return list(tool.content_problems(folder / name))


@pytest.mark.parametrize(("name", "kernels"), [(PURE, []), (PLATFORM, KERNELS)])
def test_wheels_with_sources_and_licence_pass(tmp_path, name, kernels):
    assert problems(tmp_path, name, [*SOURCES, *kernels, *INFORMATION]) == []


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("tests/test_a.py", "must not contain tests/test_a.py"),
        ("serpenoid/tests/test_a.py", "must not contain serpenoid/tests/test_a.py"),
        ("serpenoid/docs/a.txt", "must not contain serpenoid/docs/a.txt"),
        ("mkdocs.yml", "must not contain mkdocs.yml"),
        ("serpenoid/run.zarr", "unexpected type"),
        ("serpenoid/kernels/__pycache__/a.nbc", "tag and the presence of compiled kernels contradict"),
    ],
)
def test_a_foreign_file_is_named(tmp_path, file, message):
    [problem] = problems(tmp_path, PURE, [*SOURCES, file, *INFORMATION])
    assert message in problem


def test_a_missing_licence_and_missing_kernels_are_named(tmp_path):
    first, second = problems(tmp_path, PLATFORM, [*SOURCES, *INFORMATION[1:]])
    assert "must contain licenses/LICENSE" in first and "absence of compiled kernels" in second


def test_one_version_in_all_places_and_a_tag_must_be_that_version():
    assert list(tool.version_problems([])) == []
    assert list(tool.version_problems([f"v{tool.version()}"])) == []
    [problem] = tool.version_problems(["v99.0"])
    assert problem.startswith("tag v99.0: must be v")

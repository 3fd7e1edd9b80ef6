"""Kernel cache: coverage of stamps, and detection of changed sources."""

from __future__ import annotations

import ast
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from filelock import FileLock, Timeout

import serpenoid
from serpenoid.kernels import cache
from serpenoid.kernels.cache import import_closure, imported_kernels, kernel_files, source_stamp
from serpenoid.kernels.compile import Release, inner, kernel
from serpenoid.kernels.planar import media

LAW = """
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.media import dry_force

@kernel
def law(x):
    return {factor} * x
"""


def test_a_stamp_covers_everything_that_is_imported(tmp_path):
    user = tmp_path / "law.py"
    user.write_text(LAW.format(factor=2.0))
    names = {path.name for path in import_closure(user)}
    assert {"law.py", "media.py", "simd.py", "arrays.py", "compile.py"} <= names
    assert {path.name for path in import_closure(Path(media.__file__))} <= names | {"trigonometry.py"}


def test_imports_are_found_as_by_parsing(tmp_path):
    odd = tmp_path / "odd.py"
    odd.write_text(
        "import os, serpenoid.kernels.lie as lie\nfrom serpenoid.kernels.planar import (\n    media as m,  # why\n"
        "    waves,\n)\ndef f():\n    from serpenoid.kernels import motion\n"
    )
    for path in [odd, *Path(cache.__file__).parent.rglob("*.py")]:
        names = []
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
        assert set(imported_kernels(path)) == {file for name in names for file in kernel_files(name)}


def test_a_stamp_follows_the_content(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(LAW.format(factor=2.0))
    two.write_text(LAW.format(factor=3.0))
    assert source_stamp(str(one)) != source_stamp(str(two))


def test_a_changed_law_is_compiled_again_and_an_unchanged_one_is_not(tmp_path):
    script = "import law; law.law(1.0); print(law.law(1.0), sum(law.law.stats.cache_hits.values()))"

    def answer() -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(Path(serpenoid.__file__).parents[1])}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    (tmp_path / "law.py").write_text(LAW.format(factor=2.0))
    assert answer() == ["2.0", "0"]
    assert answer() == ["2.0", "1"]
    (tmp_path / "law.py").write_text(LAW.format(factor=3.5))
    assert answer() == ["3.5", "0"]


def test_a_re_export_of_a_room_changes_the_stamp(tmp_path):
    package = tmp_path / "serpenoid"
    shutil.copytree(Path(serpenoid.__file__).parent / "kernels", package / "kernels")
    (package / "support").mkdir()
    shutil.copy(Path(serpenoid.__file__).parent / "support/compiling.py", package / "support")
    for folder in (package, package / "support"):
        (folder / "__init__.py").touch()
    (tmp_path / "law.py").write_text("from serpenoid.kernels.laws import law\n")
    script = "from serpenoid.kernels.cache import source_stamp; print(source_stamp('law.py'))"

    def stamp() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    (package / "kernels" / "laws" / "__init__.py").write_text("from serpenoid.kernels.linear import first as law\n")
    before = stamp()
    (package / "kernels" / "laws" / "__init__.py").write_text("from serpenoid.kernels.linear import other as law\n")
    after = stamp()
    assert after != before
    (package / "kernels" / "linear.py").write_text("other = 2.0\n")
    assert stamp() not in (before, after), "the stamp follows the re-exports of the room"


@inner
def half(x):
    return 0.5 * x


@kernel
def quarter(x):
    return half(half(x))


def test_an_inner_kernel_works_in_compiled_code_and_in_python():
    assert quarter(8.0) == 2.0
    assert half(8.0) == 4.0


def test_a_first_call_waits_for_another_process_that_compiles():
    name = quarter.py_func
    with cache.hold_lock(name) as lock:
        assert lock.is_locked
        with pytest.raises(Timeout):
            FileLock(lock.lock_file, timeout=0).acquire()
    FileLock(lock.lock_file, timeout=0).acquire().lock.release()


def test_the_lock_is_free_when_the_outermost_compilation_has_ended():
    with cache.hold_lock(quarter.py_func) as lock:
        release = Release(lock)
        release.on_start(None)
        release.on_start(None)
        release.on_end(None)
        assert lock.is_locked
        release.on_end(None)
        assert not lock.is_locked


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(quarter)) is quarter


def test_where_code_is_kept_is_no_part_of_its_stamp(tmp_path, monkeypatch):
    user = tmp_path / "law.py"
    user.write_text(LAW.format(factor=2.0))
    before = source_stamp.__wrapped__(str(user))
    assert Path(cache.__file__) in import_closure(user)
    monkeypatch.setattr(cache, "UNSTAMPED", ())
    assert source_stamp.__wrapped__(str(user)) != before


def test_a_damaged_cache_is_compiled_anew(tmp_path):
    (tmp_path / "law.py").write_text(LAW.format(factor=2.0))
    environment = {**os.environ, "PYTHONPATH": str(Path(serpenoid.__file__).parents[1])}
    moved = pickle.dumps(numba.__version__) + b"cserpenoid.kernels.records\nGone\n."
    for damage in (b"", b"not a pickle", moved):
        for index in tmp_path.rglob("*.nbi"):
            index.write_bytes(damage)
        command = [sys.executable, "-c", "import law; print(law.law(1.0))"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.stdout.split() == ["2.0"], done.stderr


def test_guards_against_nan_survive_the_optimiser():
    @kernel
    def is_nan(x):
        return x != x

    assert is_nan(np.nan)
    assert not is_nan(np.inf)


def test_a_change_of_the_built_in_costs_recompiles_the_planner():
    """Costs reach the solver through the class of a record, not by a call that names their file."""
    from serpenoid.kernels.ilqr import cost_terms, solve

    assert Path(cost_terms.__file__) in import_closure(Path(solve.__file__))

"""Precompiled kernels of a wheel: found in any folder, if the processor supports them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding
from numba import config

import serpenoid
from serpenoid.kernels import target

# Number of cache hits of a small kernel, and its processor.
SCRIPT = """
from serpenoid.kernels.trigonometry import sine_cosine
from serpenoid.support.versions import versions
sine_cosine(1.0)
print(len(sine_cosine.stats.cache_hits), versions().get("target"))
"""


@pytest.fixture
def unnamed(monkeypatch):
    """Run without a processor named from outside, and restore that after the test."""
    for name in ("CPU_NAME", "CPU_FEATURES"):
        monkeypatch.setattr(config, name, None)


def test_the_target_is_chosen_where_a_wheel_holds_kernels(unnamed, tmp_path):
    target.choose(tmp_path / "none.txt")
    assert target.named_target() is None
    mark = tmp_path / "mark.txt"
    mark.write_text(target.FIXED)
    target.choose(mark)
    assert target.named_target() == (target.FIXED if target.carries(binding.get_host_cpu_features()) else None)


def test_a_processor_that_is_named_has_its_way(unnamed, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CPU_NAME", "generic")
    mark = tmp_path / "mark.txt"
    mark.write_text(target.FIXED)
    target.choose(mark)
    assert target.named_target() == "generic"


def test_an_older_processor_does_not_carry_it():
    assert target.carries(dict.fromkeys(target.NEEDED, True))
    assert not target.carries({**dict.fromkeys(target.NEEDED, True), "avx2": False})


def test_compiled_kernels_are_found_in_another_place(tmp_path):
    """Compiled in one folder, moved, and read there while new code is stored elsewhere."""
    made, moved = tmp_path / "made", tmp_path / "moved"
    source = Path(serpenoid.__file__).parent
    shutil.copytree(source, made / "serpenoid", ignore=shutil.ignore_patterns("__pycache__"))

    def hits(folder: Path, **more: str) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(folder), **more}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        return run.stdout.split()

    named = {"NUMBA_CPU_NAME": target.FIXED, "NUMBA_CPU_FEATURES": ""}
    assert hits(made, **named) == ["0", target.FIXED]
    (made / "serpenoid/kernels/compiled_for.txt").write_text(target.FIXED)
    made.rename(moved)
    expected = target.FIXED if target.carries(binding.get_host_cpu_features()) else "None"
    assert hits(moved, NUMBA_CACHE_DIR=str(tmp_path / "own")) == ["1" if expected != "None" else "0", expected]

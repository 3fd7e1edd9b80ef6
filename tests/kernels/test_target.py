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


def test_the_fixed_target_is_chosen_where_the_processor_supports_it(unnamed, monkeypatch):
    features = dict.fromkeys(target.NEEDED, True)
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: features)
    target.choose()
    assert (target.named_target(), config.CPU_FEATURES) == (target.FIXED, "")


@pytest.mark.parametrize("features", [{}, {**dict.fromkeys(target.NEEDED, True), "avx2": False}])
def test_other_processors_compile_for_themselves(unnamed, monkeypatch, features):
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: features)
    assert target.named_target() is None


@pytest.mark.parametrize(("name", "expected"), [("generic", "generic"), ("host", binding.get_host_cpu_name())])
def test_a_named_processor_takes_precedence(unnamed, monkeypatch, name, expected):
    monkeypatch.setattr(config, "CPU_NAME", name)
    target.choose()
    assert target.named_target() == expected


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

    expected = target.FIXED if target.supports_fixed(binding.get_host_cpu_features()) else "None"
    assert hits(made) == ["0", expected]
    (made / "serpenoid/kernels/compiled_for.txt").write_text(target.FIXED)
    made.rename(moved)
    assert hits(moved, NUMBA_CACHE_DIR=str(tmp_path / "own")) == ["1" if expected != "None" else "0", expected]

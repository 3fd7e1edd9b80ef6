"""Training examples with torch; omitted where torch or Stable-Baselines3 is not installed."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("torch", reason="the training examples need torch")
FOLDER = Path(__file__).parents[2] / "examples" / "training"


@pytest.mark.full
def test_ppo_in_one_file_learns_to_swim():
    parts = runpy.run_path(str(FOLDER / "ppo.py"))
    learned = parts["main"](parts["Config"](steps=400_000, discount=0.99))
    assert learned > 15.0  # a random policy returns 0 +- 10


@pytest.mark.full
def test_stable_baselines_trains_through_the_adapter():
    pytest.importorskip("stable_baselines3", reason="the adapter needs Stable-Baselines3")
    parts = runpy.run_path(str(FOLDER / "stable_baselines.py"))
    assert np.isfinite(parts["main"](20_000, 8))

"""Images of environments, the lazily loaded package, and the words where an extra is missing."""

import subprocess
import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import serpenoid.learning  # noqa: E402, F401


def test_an_image_follows_the_robot():
    environment = gymnasium.make("Serpenoid/Swimmer-v0", render_mode="rgb_array")
    environment.reset(seed=1)
    first = environment.render()
    for _ in range(20):
        environment.step(np.array([1.0, -1.0], dtype=np.float32))
    later = environment.render()
    assert first.shape == later.shape == (360, 480, 3) and first.dtype == np.uint8
    assert np.abs(first.astype(int) - later).mean() > 1.0
    assert gymnasium.make("Serpenoid/Swimmer-v0").unwrapped.render() is None


@pytest.mark.parametrize(
    "missing, module, extra",
    [
        ("gymnasium", "serpenoid.learning", "pip install 'serpenoid[learn]'"),
        ("stable_baselines3", "serpenoid.learning.stable_baselines", "pip install stable-baselines3"),
    ],
)
def test_a_missing_library_is_named_with_its_installation(missing, module, extra):
    code = f"""
import sys, importlib
sys.modules[{missing!r}] = None
import serpenoid as sp
try:
    importlib.import_module({module!r})
except sp.SerpenoidError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert extra in done.stdout and done.stdout.count("\n") == 1

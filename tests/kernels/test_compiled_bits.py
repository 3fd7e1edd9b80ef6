"""A process that compiles a kernel computes the same bits as one that loads it from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Functions that are not inlined are weak symbols in the object of their caller. A process that compiles them has loaded
# their own objects before and uses these. Rounding differs, because those copies were optimised twice.
RESTING_TWISTS = """
import numpy as np
from serpenoid.robots import Natrix
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation

robot, random = Natrix(), np.random.default_rng(0)
for _ in range(40):
    flotation = Flotation(robot, WaterSurface(), random.uniform(-0.4, 0.4, robot.joints))
    print(flotation.resting_twist(random.uniform(-2.0, 2.0, robot.joints)).tobytes().hex())
"""


@pytest.mark.full
def test_a_process_that_compiles_computes_the_bits_of_one_that_loads(tmp_path: Path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-c", RESTING_TWISTS]
    compiled, loaded = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert len(compiled.split()) == 40 and compiled == loaded

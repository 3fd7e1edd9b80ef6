"""Kernels run with the JIT switched off, and one short run of every engine ends where the compiled one does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from interpreted_runs import RUNS, final


@pytest.fixture(scope="module")
def interpreted():
    script = Path(__file__).with_name("interpreted_runs.py")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    words = [sys.executable, str(script), *RUNS]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", RUNS)
def test_a_run_without_the_jit_ends_where_the_compiled_one_does(name, interpreted):
    for key, values in final(name).items():
        np.testing.assert_allclose(interpreted[name][key], values, rtol=1e-7, atol=1e-9, err_msg=key)

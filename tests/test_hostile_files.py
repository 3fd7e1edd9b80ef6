"""Hundreds of hostile files of all kinds: opened, they import, run, fetch and write nothing, and end in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DAMAGES = 3  # random ones of each kind, beside the traps
MOST_MEMORY = 400_000_000  # bytes beyond those of good files


def test_opened_files_do_nothing_and_end_in_one_line(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "hostile_payload.py").write_text("import os\nos.mkdir('imported')\n")
    program = [sys.executable, "-B", str(HERE / "open_hostile_files.py"), str(tmp_path / "files"), str(DAMAGES)]
    done = subprocess.run(
        program,
        cwd=tmp_path / "here",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), "."])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["files"] >= 200 and found["refused"] >= 200
    assert not found["raw"], "\n".join(found["raw"])
    assert not found["seen"], "\n".join(found["seen"])
    assert not found["leaks"] and not found["ran"]
    assert found["left"] == ["hostile_payload.py"]
    assert found["grown"] < MOST_MEMORY

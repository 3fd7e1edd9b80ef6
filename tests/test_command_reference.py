"""docs/reference/command-line.md shows the help of every command as the program prints it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "tools" / "command_reference.py"


def test_the_page_is_that_of_the_program():
    """A separate process lists the shipped parts only, without classes that other tests define."""
    ended = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert ended.returncode == 0, f"run: python tools/command_reference.py\n{ended.stdout}{ended.stderr}"

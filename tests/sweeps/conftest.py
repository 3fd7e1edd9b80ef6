"""Import path of the toy scenario and the driver for test modules and their processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([HERE, *sys.path[1:]]))

"""Arguments of Popen for helper processes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

# A separate process group: Ctrl-C stops the loop softly, and the helper runs until then.
APART: dict[str, Any] = {"process_group": 0}
if sys.platform == "win32":
    APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

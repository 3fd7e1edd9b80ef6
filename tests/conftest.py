"""Settings of all tests: no line reports compilation, and Ctrl-C is heard."""

from __future__ import annotations

import signal

from serpenoid.support.compiling import NOTICE

# The files that take longest come first: near the end the other workers would wait for them.
LONGEST = (
    "test_reproduce.py", "test_engine_contract.py", "test_command_line.py", "test_own_parts.py",
    "test_hostile_configurations.py", "test_planning.py", "test_module_panel.py", "test_examples.py",
)  # fmt: skip
NOTICE.silent = True  # tests count the lines of stderr, and a first run compiles at any time

# A shell that starts the tests in the background makes them, and all that they start, deaf to Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Move the longest files to the front, the others in their order."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))

"""For all tests: no process compiles ahead, since tests keep all cores busy by themselves, and Ctrl-C is heard."""

from __future__ import annotations

import signal

from serpenoid.cli import compiling

compiling.HELPED = False

# A shell that starts the tests in the background makes them, and all that they start, deaf to Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

"""Settings of all tests: no line reports compilation, and Ctrl-C is heard."""

from __future__ import annotations

import signal

from serpenoid.support.compiling import NOTICE

NOTICE.silent = True  # tests count the lines of stderr, and a first run compiles at any time

# A shell that starts the tests in the background makes them, and all that they start, deaf to Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

"""For all tests: commands start no process that compiles ahead, since the tests keep all cores busy by themselves."""

from __future__ import annotations

from serpenoid.cli import compiling

compiling.HELPED = False

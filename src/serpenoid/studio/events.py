"""Callbacks of controls that react to browsers only, not to values written by the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def by_browser(action: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Wrap an action as a callback that runs only if a browser set the control."""

    def callback(event: Any) -> None:
        if event.client_id is not None:
            action(event.target.value)

    return callback

"""Callbacks of controls: what a browser changed, as apart from what the program itself wrote into a control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def by_browser(action: Callable[[Any], Any]) -> Callable[[Any], None]:
    """A callback that acts on the value of a control where a browser has set it."""

    def callback(event: Any) -> None:
        if event.client_id is not None:
            action(event.target.value)

    return callback

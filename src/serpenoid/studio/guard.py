"""Filter for browser messages: control values within their limits, clicks and keys. Everything else is dropped.

viser's own handler writes any named value into a control, and serves messages that this page never sends (uploads, a
public tunnel). Forged messages must not pass this filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from inspect import isawaitable
from ipaddress import ip_address
from math import inf, isfinite
from socket import gethostname
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

LONGEST_TEXT = 500
# Messages sent by a studio page; the handlers of all others are removed from viser.
HEARD = ("GuiUpdateMessage", "CommandTriggerMessage", "SceneNodeClickMessage")
LOCAL = ("127.0.0.1", "localhost", "::1")
EVERY_ADDRESS = ("", "0.0.0.0", "::")  # all interfaces of this machine


@contextmanager
def own_pages_alone(host: str, port: int) -> Iterator[None]:
    """Restrict a new server to its own page and to programs; viser would accept pages of any web site."""
    from websockets.asyncio import server

    usual = server.serve

    def serve(*arguments: Any, process_request: Any = None, **named: Any) -> Any:
        async def checked(connection: Any, request: Any) -> Any:
            if not is_own(request.headers, host, port):
                return connection.respond(HTTPStatus.FORBIDDEN, "not a page of this studio\n")
            answer = process_request(connection, request) if process_request else None
            return await answer if isawaitable(answer) else answer

        return usual(*arguments, process_request=checked, **named)

    server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        server.serve = usual  # type: ignore[misc]


def is_own(headers: Any, host: str, port: int) -> bool:
    """Return whether a request names this server as its host, and comes from its page or from no page."""
    named, pages = headers.get_all("Host"), headers.get_all("Origin")
    own = len(named) == 1 and is_address(named[0], host, port)
    return own and (not pages or (len(pages) == 1 and pages[0].lower() == f"http://{named[0].lower()}"))


def is_address(name: str, host: str, port: int) -> bool:
    """Return whether NAME:PORT is the address of a server; a server on all interfaces is named by numeric address.

    A web site's domain may resolve to this machine too, so only the given name is accepted.
    """
    address, _, number = name.lower().rpartition(":") if ":" in name.rpartition("]")[2] else (name.lower(), "", "80")
    if number != str(port):
        return False
    bare = address.removeprefix("[").removesuffix("]")
    if host not in EVERY_ADDRESS:
        return bare in (LOCAL if host in LOCAL else (host.lower(),))
    try:
        return bool(ip_address(bare))
    except ValueError:
        return bare in ("localhost", gethostname().lower())


def allows(handle: Any, value: Any) -> bool:
    """Return whether a control accepts a value, by its type and limits."""
    import viser

    if getattr(handle, "disabled", False) or not getattr(handle, "visible", True):
        return False
    if isinstance(handle, viser.GuiButtonHandle):
        return isinstance(value, bool)
    if isinstance(handle, viser.GuiDropdownHandle | viser.GuiButtonGroupHandle):
        return isinstance(value, str) and value in handle.options
    if isinstance(handle, viser.GuiSliderHandle | viser.GuiNumberHandle):
        number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        whole = not isinstance(handle.value, int) or isinstance(value, int)
        low, high = (-inf if handle.min is None else handle.min), (inf if handle.max is None else handle.max)
        return number and whole and low <= value <= high
    if isinstance(handle, viser.GuiInputHandle) and isinstance(handle.value, bool):
        return isinstance(value, bool)
    if isinstance(handle, viser.GuiInputHandle) and isinstance(handle.value, str):
        return isinstance(value, str) and len(value) <= LONGEST_TEXT and value.isprintable()
    return False


def keep_watch(server: viser.ViserServer) -> None:
    """Install this filter between the browsers and viser's handlers."""
    connection: Any = server._websock_server
    heard = connection._incoming_handlers
    update_class = next(kind for kind in heard if kind.__name__ == "GuiUpdateMessage")
    for kind in [kind for kind in heard if kind.__name__ not in HEARD]:
        connection.unregister_handler(kind)
    connection.unregister_handler(update_class)

    async def checked(client_id: Any, message: Any) -> None:
        handle = server.gui._gui_input_handle_from_uuid.get(message.uuid)
        good = handle is not None and isinstance(message.updates, dict) and set(message.updates) == {"value"}
        if good and allows(handle, message.updates["value"]):
            await server.gui._handle_gui_updates(client_id, message)

    connection.register_handler(update_class, checked)

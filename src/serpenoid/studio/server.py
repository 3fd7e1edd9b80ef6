"""The server behind a page: on a port that is free, for this machine alone unless told otherwise."""

from __future__ import annotations

import contextlib
import io
import socket
import sys
from typing import TYPE_CHECKING

from serpenoid.errors import InvalidValue
from serpenoid.studio.guard import LOCAL, keep_watch, own_pages_alone

if TYPE_CHECKING:
    import viser


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_server(host: str, port: int) -> viser.ViserServer:
    """A guarded server on this very port; one line where it is taken or the host is not ours."""
    check_free(host, port)
    import viser

    if host not in LOCAL:
        print(
            f"serpenoid: warning: the studio listens on {host}: whoever reaches port {port} can look at and write into "
            "its folder",
            file=sys.stderr,
        )
    with contextlib.redirect_stdout(io.StringIO()), own_pages_alone(host, port):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    if port and server.get_port() != port:  # taken in between: viser goes on to the next port by itself
        close_server(server)
        raise taken(port)
    keep_watch(server)
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop a server without its messages."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def check_free(host: str, port: int) -> None:
    """Refuse a port that something listens on, and a host that is no address of this machine."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        raise InvalidValue("host", host, "a name or address of this machine") from None
    except PermissionError:
        raise InvalidValue("port", port, "one that this user may open, such as 8080") from None
    except OSError as error:
        if error.errno == 99:  # no such address here
            raise InvalidValue("host", host, "a name or address of this machine") from None
        raise taken(port) from None


def taken(port: int) -> InvalidValue:
    """The line for a port that is in use."""
    return InvalidValue("port", port, "free, but another program listens on it; choose another with --port")

"""Server of a page, on a free port, for this machine only by default."""

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
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_server(host: str, port: int) -> viser.ViserServer:
    """Open a guarded server on exactly this port; raise if it is in use or the host is not an address of this
    machine."""
    check_free(host, port)
    import viser

    if host not in LOCAL:
        print(
            f"serpenoid: warning: the studio listens on {host}: programs that reach port {port} can read and write "
            "its folder",
            file=sys.stderr,
        )
    with contextlib.redirect_stdout(io.StringIO()), own_pages_alone(host, port):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    if port and server.get_port() != port:  # taken meanwhile: viser silently uses the next port
        close_server(server)
        raise port_in_use(port)
    keep_watch(server)
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop a server without its messages."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def check_free(host: str, port: int) -> None:
    """Refuse a port in use, and a host that is not an address of this machine."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        raise InvalidValue("host", host, "a name or address of this machine") from None
    except PermissionError:
        raise InvalidValue("port", port, "a port that this user may open, such as 8080") from None
    except OSError as error:
        if error.errno == 99:  # not an address of this machine
            raise InvalidValue("host", host, "a name or address of this machine") from None
        raise port_in_use(port) from None


def port_in_use(port: int) -> InvalidValue:
    """Return the error for a port in use."""
    return InvalidValue("port", port, "free, but another program uses it; choose another with --port")

"""`serpenoid studio`: the live page in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import say
from serpenoid.configuration import between, check_fields
from serpenoid.errors import InvalidValue

TITLE = "serpenoid studio [FOLDER]: view and steer runs in a browser; FOLDER contains the saved runs [default: .]"


@dataclass(frozen=True)
class Options:
    """Options of `studio`."""

    port: Annotated[int, between(1, 65535, usual=(8000, 9000))] = 8080
    """port on which the page is served"""
    host: str = "127.0.0.1"
    """address to listen on; by default only this machine can connect"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Serve the page until interrupted."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    folders, options = given
    if len(folders) > 1:
        raise InvalidValue("FOLDER", " ".join(folders), "one folder")
    from serpenoid.studio.page import Studio

    studio = Studio(folders[0] if folders else ".", options.host, options.port)
    say(f"studio: {studio.address}   (folder {studio.library.folder}; stop with Ctrl-C)", flush=True)
    try:
        with announced():
            studio.thread.join()
    except KeyboardInterrupt:
        say("")
    finally:
        studio.close()
    return 0

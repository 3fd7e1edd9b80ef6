"""Programs written against hebi-py, on the emulator by changing one import, and on hebi-py's own imitation group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hebi_twin as twin
from hebi_twin.network import clear_all_groups
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane

PROGRAMS = sorted((Path(__file__).parent / "hebi_programs").glob("*.py"))
IMPORT = "import hebi\n"
SIZE = 4
ECHOED = ("gains", "swing")  # an imitation group has neither logs nor feedback handlers


@pytest.fixture(scope="module")
def network() -> Iterator[None]:
    """Four modules in real time over UDP, and those beside them."""
    link = twin.link_of(twin.bench_of(PlanarSnake(links=SIZE + 1), Plane()), realtime=True)
    twin.use(link)
    yield
    clear_all_groups()
    link.close()


def played(path: Path, line: str) -> None:
    text = path.read_text()
    assert text.count(IMPORT) == 1
    exec(compile(text.replace(IMPORT, line), str(path), "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs_on_the_twin_by_changing_one_import(path: Path, network: None) -> None:
    played(path, "import hebi_twin as hebi\n")


@pytest.mark.parametrize("path", [path for path in PROGRAMS if path.stem in ECHOED], ids=lambda path: path.stem)
def test_it_runs_on_the_makers_imitation_group_as_well(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs are what hebi-py understands: its look-ups find an imitation group here, the rest is its own."""
    theirs = pytest.importorskip("hebi")

    def find(self: Any, *words: Any, **more: Any) -> Any:
        names = words[1] if len(words) > 1 and isinstance(words[1], list) else [""] * SIZE
        return theirs.util.create_imitation_group(len(names))

    for name in ("get_group_from_names", "get_group_from_family", "get_connected_group_from_name"):
        monkeypatch.setattr(theirs.Lookup, name, find)
    played(path, IMPORT)

"""Program that opens hostile files by every function that reads files, and reports the effects as JSON.

open_hostile_files.py FOLDER DAMAGES: makes the files in FOLDER, opens them, writes only to FOLDER/out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "sweeps"))

from hostile_files import MARKER, SECRET, good_files, hostile_files  # noqa: E402

from serpenoid import cli  # noqa: E402
from serpenoid.cli import arguments  # noqa: E402
from serpenoid.cli import run as run_command  # noqa: E402
from serpenoid.cli.sweep import show_sweep  # noqa: E402,F401, imported before anything hostile is
from serpenoid.errors import FileProblem, SerpenoidError  # noqa: E402
from serpenoid.estimation import read_csv  # noqa: E402
from serpenoid.hardware.hebi_gains import check_gains  # noqa: E402
from serpenoid.interchange import import_run  # noqa: E402
from serpenoid.robots import load  # noqa: E402
from serpenoid.runtime.events import from_text  # noqa: E402
from serpenoid.studio.charts import chartable  # noqa: E402
from serpenoid.studio.html import page_of  # noqa: E402
from serpenoid.studio.library import Library  # noqa: E402
from serpenoid.studio.scene import quick_scene  # noqa: E402
from serpenoid.sweeps import best, failures, open_sweep  # noqa: E402
from serpenoid.trajectory import Trajectory  # noqa: E402
from serpenoid.worlds import PegBoard, Scene  # noqa: E402

RUNNING = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class",
           "webbrowser.open", "ctypes.dlopen")  # fmt: skip
FETCHING = ("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request", "ftplib.connect")
WRITING = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.rmtree")
FIGURES = 30  # files for one that is shown, as figures take a while
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Watch:
    """Python's audit events of imports, processes, connections and files."""

    def __init__(self, folder: Path):
        self.out, self.secret = str(folder / "out"), str(folder / SECRET)
        self.seen: list[str] = []
        self.read_secret = False
        self.watching = False
        self.known = {name.partition(".")[0] for name in sys.modules}
        sys.addaudithook(self.hear)

    def hear(self, event: str, given: tuple[Any, ...]) -> None:
        """Take down an event that a file must not cause."""
        if not self.watching:
            return
        if event in RUNNING or event in FETCHING:
            self.seen.append(f"{event} {given!r:.200}")
        elif event == "open" and isinstance(given[0], str | bytes):
            path = os.fsdecode(given[0])
            self.read_secret |= path == self.secret
            writes = (isinstance(given[1], str) and set(given[1]) & set("wax+")) or given[2] & WRITES
            if writes and not path.startswith(self.out) and path != os.devnull:
                self.seen.append(f"write {path}")
        elif event in WRITING and not str(given[0]).startswith(self.out):
            self.seen.append(f"{event} {given[0]!r:.200}")

    def stop(self) -> None:
        """Take down packages that are new, for which importlib emits no event; stop listening."""
        self.watching = False
        new = {name.partition(".")[0] for name in sys.modules} - self.known
        self.seen += [f"import {name}" for name in sorted(new)]
        self.known |= new

    def check(self, folder: Path) -> None:
        """Make sure that it hears an import, a process and a file that is written."""
        self.watching = True
        import_module("colorsys")
        os.system("true")
        (folder / "probe").write_text("")
        self.stop()
        assert [line.partition(" ")[0] for line in self.seen] == ["os.system", "write", "import"], self.seen
        self.seen.clear()


def doors(kind: str, path: Path, out: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The ways in which a file of a kind is opened."""
    if kind == "recording":
        yield "load", lambda: from_text(Trajectory.load(path).attributes.get("script", "[]"))
        yield "from", lambda: run_command.from_file([[str(path)]], arguments.read([]))
        yield "library", lambda: look_at(Library(path.parent), path.name)
        yield "show", lambda: command("show", str(path), "--plot", str(out / "figure.png"))
    elif kind == "sweep":
        yield "open", lambda: open_sweep(path).load()
        yield "best", lambda: best(path, "speed")
        yield "from", lambda: run_command.from_file([[str(path)]], arguments.read([]))
        yield "failures", lambda: list(failures(path))
        yield "library", lambda: Library(path.parent).sweep(path.name)
        yield "show", lambda: command("show", str(path), "--plot", str(out / "figure.png"))
    elif kind in ("toml", "mjcf", "urdf"):
        yield "robots", lambda: load(path)
    elif kind == "run":
        yield "from", lambda: run_command.from_file([[str(path)]], arguments.read([]))
    elif kind == "scene":
        yield "scene", lambda: Scene(str(path))
    elif kind == "table":
        yield "table", lambda: read_csv(path)
    elif kind in ("mcap", "parquet", "bag"):
        yield "import", lambda: import_run(path)
    elif kind == "pegs":
        yield "pegs", lambda: PegBoard(layout="csv", file=str(path))
    elif kind == "gains":
        yield "gains", lambda: check_gains(path)


def look_at(library: Library, name: str) -> None:
    """Open a recording as the studio does."""
    library.entries()
    run = library.trajectory(name)
    quick_scene(run)
    chartable(run.variables)
    page_of(run)


def command(*words: str) -> None:
    """Run a command; its exit code must be that of success or of a refusal."""
    code = cli.main(list(words))
    assert code in (0, 2), f"exit code {code}"


def main(folder: Path, damages: int) -> dict[str, Any]:
    """Open good files, so that everything is imported, then hostile ones."""
    out = folder / "out"
    out.mkdir(parents=True)
    warnings.simplefilter("ignore")
    good = good_files(folder / "good")
    for kind, path in good.items():
        for door, enter in doors(kind, path, out):
            with contextlib.suppress(*[FileProblem] if (kind, door) == ("sweep", "from") else []):
                enter()
    PegBoard()  # its kernels are loaded when they are needed
    files = list(hostile_files(folder, good, damages))
    watch = Watch(folder)
    watch.check(folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    raw, refused, leaks = [], 0, []
    for kind, path in files:
        for door, enter in doors(kind, path, out):
            if door == "show" and int(path.parent.name) % FIGURES:
                continue
            place = f"{kind} {path.parent.name} by {door}"
            watch.watching, watch.read_secret = True, False
            try:
                enter()
            except SerpenoidError as error:
                refused += 1
                raw += [f"{place}: {len(str(error).splitlines())} lines"] if "\n" in str(error) else []
            except BaseException as error:
                raw.append(f"{place}: {type(error).__name__}: {error!s:.200} {traceback.format_exc()[-600:]}")
            watch.stop()
            leaks += [place] if watch.read_secret and door == "library" else []
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "files": len(files), "refused": refused, "raw": raw, "seen": watch.seen, "leaks": leaks,
        "grown": grown * 1024, "ran": (folder / MARKER).exists(), "left": [entry.name for entry in Path().iterdir()],
    }  # fmt: skip


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found = main(Path(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps(found))

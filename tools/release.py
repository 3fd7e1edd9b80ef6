"""Release: a compiled and a pure wheel in dist/, checked, and each installed into an empty environment and run.

`make release` calls it. Nothing is uploaded. `python tools/release.py WHEEL ...` checks wheels that exist.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PACKAGES = tuple(sorted(folder.parent.name for folder in ROOT.glob("src/*/__init__.py")))
SUFFIXES = (".py", ".toml", ".json", ".js", ".html", ".css", ".typed", ".nbi", ".nbc", ".txt")
MOST_MB = 100.0  # of a wheel; the registry's default limit
SMOKE = (
    ["--version", "--verbose"],
    ["list"],
    ["run", "slither", "--duration", "1", "--out", "run.zarr"],
    ["show", "run.zarr"],
)
COMPILES = "first start only: compiling"


def main(given: list[str]) -> None:
    """Build both wheels, or take those given, and check them."""
    problems = list(version_problems(tags()))
    wheels = [Path(name).resolve() for name in given] or build()
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels)], check=True)
    for wheel in wheels:
        problems += content_problems(wheel)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    for wheel in wheels:
        try_out(wheel)


def version() -> str:
    """Return the version of the distribution."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def tags() -> list[str]:
    """Return the version tags of the commit that is checked out."""
    words = ["git", "-C", str(ROOT), "tag", "--points-at", "HEAD", "--list", "v*"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()


def version_problems(tagged: list[str]) -> Iterator[str]:
    """Yield the places that name another version than pyproject.toml."""
    expected = version()
    for tag in tagged:
        if tag != f"v{expected}":
            yield f"tag {tag}: must be v{expected}, the version in pyproject.toml"
    places = {"CITATION.cff": r"^version: (\S+)$", "README.md": r"version = \{(.+?)\}", "CHANGELOG.md": r"^## (\S+)"}
    for name, pattern in places.items():
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if found is None or found[1] != expected:
            yield f"{name}: must name version {expected}"


def build() -> list[Path]:
    """Build the compiled and the pure wheel into an empty dist/."""
    import compiled_wheel

    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    return [compiled_wheel.build_plain(DIST), compiled_wheel.build_compiled(DIST)]


def content_problems(wheel: Path) -> Iterator[str]:
    """Yield the forbidden and the missing files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if archive.testzip() is not None:
            yield f"{wheel.name}: is damaged"
    for name in names:
        top, *rest = name.split("/")
        information = top.endswith(".dist-info")
        if not (information or top in PACKAGES) or {"tests", "docs", "test"} & set(rest):
            yield f"{wheel.name}: must not contain {name}"
        elif not information and not name.endswith(SUFFIXES):
            yield f"{wheel.name}: contains a file of unexpected type: {name}"
    for wanted in ("licenses/LICENSE", "METADATA", "RECORD", "entry_points.txt"):
        if not any(name.endswith(f".dist-info/{wanted}") for name in names):
            yield f"{wheel.name}: must contain {wanted}"
    if (compiled := any(name.endswith(".nbc") for name in names)) != ("none-any" not in wheel.name):
        yield f"{wheel.name}: the tag and the {'presence' if compiled else 'absence'} of compiled kernels contradict"
    if (size := wheel.stat().st_size / 1e6) > MOST_MB:
        yield f"{wheel.name}: {size:.0f} MB, must be at most {MOST_MB:.0f} MB"


def try_out(wheel: Path) -> None:
    """Install a wheel into an empty environment and run commands; a compiled wheel must compile nothing."""
    begin = monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        limits = ["-c", str(ROOT / "constraints.txt")]
        pip = [str(scripts / "python"), "-m", "pip", "install", "-q", "--no-compile", *limits]
        for wanted in (["-U", "pip"], [str(wheel)]):
            subprocess.run([*pip, *wanted], check=True, cwd=folder)
        installed = monotonic()
        said = ""
        for words in SMOKE:
            ended = subprocess.run([str(scripts / "serpenoid"), *words], cwd=folder, capture_output=True, text=True)
            said += ended.stderr
            if ended.returncode:
                sys.exit(f"{wheel.name}: serpenoid {' '.join(words)} failed: {ended.stderr}")
        if (COMPILES in said) != ("none-any" in wheel.name):
            sys.exit(f"{wheel.name}: compiled although it contains kernels, or did not report compilation: {said}")
        size = sum(file.stat().st_size for file in (folder / "venv").rglob("*") if file.is_file()) / 1e6
    seconds = f"installed in {installed - begin:.0f} s, ran in {monotonic() - installed:.0f} s"
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {size:.0f} MB with dependencies; {seconds}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Wheel with compiled kernels: for one Python, one numba and processors of level x86-64-v3.

The package is unpacked, and its commands run once so that numba writes their code next to the sources. The result is
packed again under the name of this Python and platform. `make wheel` calls it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from time import monotonic

from llvmlite import binding

from serpenoid.kernels.cache import SHIPPED
from serpenoid.kernels.target import FIXED, supports_fixed
from serpenoid.scenarios import SCENARIOS

MEDIA = ("dry", "viscous", "fluid")
LAWS = (
    "open_loop", "shape_compliance", "joint_admittance", "central_pattern_generator", "sampling_planner",
    "contact_planner",
)  # fmt: skip
LONGER = {"run push-to": "15"}  # seconds; a duration in which the goal cannot be reached is refused
# Commands run in addition to every default scenario; kernels differ by the classes of their records.
MORE = [
    *(f"run {name} --world.medium {medium}" for name in ("slither", "mpc") for medium in MEDIA),
    *(f"run slither-pegs --controller {law}" for law in LAWS),
    "run mpc --world peg_board",
    "run undulate --robot.drive pd",
    "sweep slither --over gait.frequency=1:2:2 --out STORE",
    "sweep slither-pegs --over world.seed=0:1:2 --out STORE",
]


def main() -> None:
    """Write the wheel to dist/."""
    print(build_compiled(Path("dist")))


def build_compiled(target: Path) -> Path:
    """Build the wheel with compiled kernels into a folder."""
    if not supports_fixed(binding.get_host_cpu_features()):
        sys.exit(f"this processor does not support {FIXED}: a compiled wheel cannot be built here")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plain = build_plain(root / "plain")
        package = root / "package"
        with zipfile.ZipFile(plain) as archive:
            archive.extractall(package)
        compile_all(package, root / "out")
        return pack(package, target)


def build_plain(folder: Path) -> Path:
    """Build the wheel of the sources alone."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), "."], check=True)
    return next(folder.glob("*.whl"))


def compile_all(package: Path, out: Path) -> None:
    """Run every command once, two at a time, with the package's own sources."""
    out.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    commands = [f"run {name}" for name in SCENARIOS] + MORE
    begin = monotonic()

    def compile_command(number: int) -> None:
        duration = LONGER.get(commands[number], "1.0")
        words = [*commands[number].replace("STORE", f"{number}.zarr").split(), "--duration", duration]
        subprocess.run(
            [sys.executable, "-m", "serpenoid", *words], cwd=out, env=environment, check=True, stdout=subprocess.DEVNULL
        )
        print(f"{number + 1} of {len(commands)}, {monotonic() - begin:.0f} s: serpenoid {' '.join(words)}", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_command, range(len(commands))))


def pack(package: Path, target: Path) -> Path:
    """Pack the folder as a wheel with numba pinned to the release that compiled it, and with the tags of its wheel.

    The compiled code needs functions of CPython, of numba's runtime and of libm, all without versions. So the wheel has
    the same requirements as that wheel of numba.
    """
    (package / "serpenoid/kernels" / SHIPPED.name).write_text(f"{FIXED}\n")
    details = next(package.glob("*.dist-info"))
    about = details / "METADATA"
    pin = f"Requires-Dist: numba=={metadata.version('numba')}"
    about.write_text(re.sub(r"^Requires-Dist: numba\b.*$", pin, about.read_text(), flags=re.M))
    kind = details / "WHEEL"
    tags = re.findall(r"^Tag: (.*)$", metadata.distribution("numba").read_text("WHEEL") or "", re.M)
    lines = "\n".join(f"Tag: {tag}" for tag in tags)
    text = re.sub(r"^Tag: .*$", lines, kind.read_text(), flags=re.M)
    kind.write_text(text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false"))
    python, abi, _ = tags[0].split("-")
    tag = f"{python}-{abi}-{'.'.join(tag.split('-')[2] for tag in tags)}"
    target.mkdir(exist_ok=True)
    wheel = target / f"{details.name.removesuffix('.dist-info')}-{tag}.whl"
    record = details / "RECORD"
    record.unlink()
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in package.rglob("*") if path.is_file() and path.suffix != ".lock"):
            name, content = path.relative_to(package).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            archive.writestr(name, content)
        own = record.relative_to(package).as_posix()
        archive.writestr(own, "\n".join([*rows, f"{own},,", ""]))
    return wheel


if __name__ == "__main__":
    main()

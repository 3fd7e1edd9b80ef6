"""Versions: what numbers rest on is always named, peers only where they are installed."""

from importlib import metadata

from serpenoid.kernels.target import named_target
from serpenoid.support.versions import DISTRIBUTIONS, PEERS, RESTS_ON, version_of, versions

TARGET = {"target": name} if (name := named_target()) else {}


def test_what_numbers_rest_on_is_named(monkeypatch):
    assert versions() == {name: metadata.version(DISTRIBUTIONS.get(name, name)) for name in RESTS_ON} | TARGET
    assert set(versions(also=PEERS)) <= {*RESTS_ON, *TARGET, *PEERS}
    assert list(versions(also=["no-such-package", "scipy"])) == [*RESTS_ON, *TARGET, "scipy"]


def test_a_package_that_is_not_installed_is_unknown(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    version_of.cache_clear()
    assert versions(also=PEERS) == dict.fromkeys(RESTS_ON, "unknown") | TARGET
    version_of.cache_clear()


def test_the_command_line_tells_what_a_bug_report_needs(capsys):
    from serpenoid.cli import main

    assert main(["--version"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["--version", "--verbose"]) == 0
    printed = capsys.readouterr().out
    for name in ("numba", "mujoco", "python", "processor", "kernel cache"):
        assert f"{name}: " in printed
    assert main(["--version", "--loud"]) == 2


def test_nothing_of_the_package_needs_posix():
    import re
    from pathlib import Path

    import serpenoid

    for path in Path(serpenoid.__file__).parent.rglob("*.py"):
        found = re.search(r"^\s*(import|from) (fcntl|pwd|grp|termios|resource|posix)\b", path.read_text(), re.MULTILINE)
        assert not found, path

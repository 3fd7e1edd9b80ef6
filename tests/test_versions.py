"""Versions: what numbers rest on is always named, peers only where they are installed."""

from importlib import metadata

from serpenoid.versions import PEERS, RESTS_ON, version_of, versions


def test_what_numbers_rest_on_is_named(monkeypatch):
    assert versions() == {name: metadata.version(name) for name in RESTS_ON}
    assert set(versions(also=PEERS)) <= {*RESTS_ON, *PEERS}
    assert list(versions(also=["no-such-package", "scipy"])) == [*RESTS_ON, "scipy"]


def test_a_package_that_is_not_installed_is_unknown(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    version_of.cache_clear()
    assert versions(also=PEERS) == dict.fromkeys(RESTS_ON, "unknown")
    version_of.cache_clear()

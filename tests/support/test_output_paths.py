"""Places to write to: what can be written is not touched, what cannot is refused in one line."""

from __future__ import annotations

import pytest

from serpenoid.errors import FileProblem
from serpenoid.support.output_paths import check_file, check_folder, check_writable


def test_what_can_be_written_passes_and_stays_as_it_is(tmp_path):
    (tmp_path / "old.png").write_text("a picture")
    (tmp_path / "old.zarr").mkdir()
    check_file(tmp_path / "old.png")
    check_file(tmp_path / "new" / "folders" / "picture.png")
    check_folder(tmp_path / "old.zarr")
    check_folder(tmp_path / "new" / "run.zarr")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.png", "old.zarr"]
    assert (tmp_path / "old.png").read_text() == "a picture"


@pytest.mark.parametrize(
    "check, name, problem",
    [
        (check_file, "folder", "is a folder"),
        (check_folder, "file", "is a file"),
        (check_file, "file/inside.png", "cannot be written"),
        (check_folder, "file/inside.zarr", "cannot be written"),
        (check_writable, "file/inside", "cannot be written"),
    ],
)
def test_what_cannot_is_named(tmp_path, check, name, problem):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem, match=problem):
        check(tmp_path / name)

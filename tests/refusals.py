"""Expected errors, by type and fields instead of their wording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from serpenoid.errors import InvalidValue


@contextmanager
def refused(field: str) -> Iterator[pytest.ExceptionInfo[InvalidValue]]:
    """Expect an InvalidValue of a field."""
    with pytest.raises(InvalidValue) as caught:
        yield caught
    assert caught.value.field == field

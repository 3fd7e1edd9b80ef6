"""Ten thousand random and hostile configurations: each runs, or is refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid import configuration
from serpenoid.cli.arguments import applied
from serpenoid.errors import SerpenoidError
from serpenoid.scenarios.slither import Slither
from serpenoid.scenarios.undulate import Undulate

HOSTILE = [
    "nan", "inf", "-inf", "0", "-0.0", "-1", "1e308", "-1e308", "1e-308", "5e-324", "", " ", "none", "true", "false",
    "1e400", "0x10", "1_000", "\u0663", "\x00", "--", "pi", "-pi", "2**8", "[]", "{}", "null", "dry", "fluid", "pd",
    "prescribed", "natrix", "../..", "9" * 30, "-" + "9" * 30, "1,2", "a" * 200, "0.1 0.2", "\n", "%s", "😀",
]  # fmt: skip
STEPS = 5


def words_for(field: configuration.Field, random: np.random.Generator) -> list[str]:
    """Hostile words, or the default made larger or smaller."""
    if random.random() < 0.6 or not isinstance(field.default, int | float):
        return list(random.choice(HOSTILE, size=random.choice([1, 1, 1, 1, 2, 0])))
    return [str(type(field.default)(field.default * 10.0 ** random.uniform(-4, 4)))]


def attempt(scenario, fields, random: np.random.Generator) -> bool:
    """Configure and run a few steps; True if it ran."""
    chosen = random.choice(len(fields), size=random.integers(1, 5), replace=False)
    flags = [(fields[i].name, words_for(fields[i], random)) for i in chosen]
    try:
        configured = applied(scenario, flags)
        period = configured.step * STEPS
        short = {"duration": period, "control_period": period, "sample_period": period}
        if hasattr(configured, "settle"):
            short["settle"] = 0.0
        trajectory = configuration.changed(configured, short).run()
    except SerpenoidError as error:
        assert "\n" not in str(error), flags
        assert len(str(error)) < 1500, flags
        return False
    assert np.isfinite(trajectory["joint_position"]).all(), flags
    return True


@pytest.mark.parametrize("scenario, count", [(Slither(), 7000), (Undulate(), 3000)], ids=["slither", "undulate"])
def test_every_configuration_runs_or_is_refused_in_one_line(scenario, count):
    random = np.random.default_rng(20261115)
    fields = list(configuration.walk(scenario))
    with np.errstate(all="ignore"):
        ran = sum(attempt(scenario, fields, random) for _ in range(count))
    assert 0.02 * count < ran < 0.98 * count, "the sample must hold both sound and unsound configurations"

"""Gains files: beside hebi-py's own reader and writer, and refused where a module would refuse them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from serpenoid.cli import main
from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.hardware import hebi_gains as gains
from serpenoid.robots.cascade import STRATEGIES, Cascade, Gains

hebi = pytest.importorskip("hebi")


ENCODER = 2.0 * np.pi / 2**14  # one step [rad]
DRIVES = STRATEGIES | {3: replace(STRATEGIES[3], position=Gains(kp=2.0, kd=0.01, d_on_error=False))}


@pytest.mark.parametrize("strategy", DRIVES)
@pytest.mark.parametrize("modules", [1, 5])
def test_hebi_reads_what_is_written(strategy: int, modules: int, tmp_path: Path) -> None:
    """Every gain of every loop reaches a GroupCommand of hebi-py, to its single precision."""
    path, drive = tmp_path / "gains.xml", DRIVES[strategy]
    gains.write_gains(path, drive, modules)
    command = hebi.GroupCommand(5)
    command.read_gains(str(path))
    assert (command.control_strategy == strategy).all()
    for loop in gains.LOOPS:
        for name in gains.NAMES:
            found = getattr(command, f"{loop}_{name}")
            np.testing.assert_allclose(found, float(getattr(getattr(drive, loop), name)), rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("strategy", DRIVES)
def test_what_hebi_writes_is_read(strategy: int, tmp_path: Path) -> None:
    """A file of hebi-py gives the same drive; omitted values stay unchanged."""
    path, drive, command = tmp_path / "gains.xml", DRIVES[strategy], hebi.GroupCommand(3)
    command.control_strategy = strategy
    for loop in gains.LOOPS:
        for name in set(gains.NAMES) - {"ki"}:
            value = getattr(getattr(drive, loop), name)
            setattr(command, f"{loop}_{name}", value if isinstance(value, bool) else float(value))
    command.write_gains(str(path))
    table = gains.check_gains(path, strategy, 3)
    found = table.cascade(2, Cascade(position=Gains(ki=0.7)))
    assert found.strategy == strategy and found.position.ki == 0.7
    for loop in gains.LOOPS:
        ours, theirs = (replace(getattr(part, loop), ki=0.0).row() for part in (drive, found))
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_an_endless_clamp_is_read(tmp_path: Path) -> None:
    """HEBI writes infinities for limits that are none."""
    path = tmp_path / "gains.xml"
    path.write_text(xml("<position><i_clamp>inf</i_clamp></position>"))
    assert gains.read_gains(path).cascade().position.i_clamp == gains.ENDLESS


def xml(body: str, strategy: str = "4") -> str:
    """A gains file."""
    return f"<group_gains><control_strategy>{strategy}</control_strategy>{body}</group_gains>"


BAD = {
    "cut in the middle": xml("<position><kp>1</kp>")[:60],
    "not a gains file": "<robot/>",
    "no strategy": "<group_gains><position><kp>1</kp></position></group_gains>",
    "must be 1, 2, 3 or 4": xml("", "7"),
    "position.speed": xml("<position><speed>1</speed></position>"),
    "does not contain numbers": xml("<position><kp>fast</kp></position>"),
    "does not contain numbers: '1_0'": xml("<position><kp>1_0</kp></position>"),
    "is not a number": xml("<position><kp>nan</kp></position>"),
    "has 2 values": xml("<position><kp>1 2</kp><ki>1 2 3</ki></position>"),
    "module 1: position.kp": xml("<position><kp>1 -2</kp></position>"),
    "module 0: velocity.max_output": xml("<velocity><max_output>2</max_output></velocity>"),
    "module 0: effort.max_target": xml("<effort><max_target>8</max_target></effort>"),
    "module 0: position.min_output": xml("", "3"),
    "module 0: position.kp = 100000.0: must be at most 1.825e+04": xml("<position><kp>1e5</kp></position>"),
    "module 0: velocity.ki = 5000.0: must be at most 2608": xml("<velocity><ki>5e3</ki></velocity>"),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_files_are_refused_in_one_line(words: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "gains.xml"
    path.write_text(BAD[words])
    assert main(["hebi", "gains", "check", str(path)]) == 2
    said = capsys.readouterr().err
    known = {"cut in the middle": "cannot be read as XML", "no strategy": "control_strategy"}
    assert known.get(words, words) in said and said.count("\n") == 1


def test_another_strategy_and_another_size_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "gains.xml"
    gains.write_gains(path, STRATEGIES[3], 4)
    with pytest.raises(FileProblem, match="of strategy 3, not of strategy 4"):
        gains.check_gains(path, strategy=4)
    with pytest.raises(FileProblem, match="for 4 modules, not for 18"):
        gains.check_gains(path, modules=18)
    with refused("effort.max_target"):
        gains.write_gains(path, Cascade(effort=Gains(min_target=-7.0, max_target=9.0)))


@pytest.mark.parametrize(("loop", "most"), [("position", 7.0 / ENCODER), ("effort", 1.0 / (30.0 * ENCODER))])
def test_a_gain_that_turns_a_step_of_the_encoder_into_everything_is_refused(loop: str, most: float) -> None:
    drive = Cascade()
    below, above = (replace(drive, **{loop: replace(getattr(drive, loop), kp=f * most)}) for f in (0.999, 1.001))
    gains.check_module(below)
    with pytest.raises(InvalidValue, match=f"{loop}.kp"):
        gains.check_module(above)
    gains.check_module(replace(above, strategy=1))  # in which no loop acts


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_written_without_more(strategy: int, tmp_path: Path) -> None:
    path = str(tmp_path / "gains.xml")
    assert main(["hebi", "gains", "write", path, "--strategy", str(strategy)]) == 0
    assert main(["hebi", "gains", "check", path, "--strategy", str(strategy)]) == 0
    assert gains.read_gains(Path(path)).cascade() == STRATEGIES[strategy]


def test_the_command_line_writes_reads_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = str(tmp_path / "gains.xml")
    assert main(["hebi", "gains", "write", path, "--position.kp", "25", "--modules", "18"]) == 0
    assert main(["hebi", "gains", "check", path, "--strategy", "4", "--modules", "18"]) == 0
    assert main(["hebi", "gains", "read", path]) == 0
    assert "kp              25" in capsys.readouterr().out
    assert main(["hebi", "gains", "check", path, "--strategy", "2"]) == 2
    assert main(["hebi", "gains", "polish", path]) == 2 and main(["hebi", "gains", "read", path, "--loud"]) == 2
    assert capsys.readouterr().err.endswith("unknown option '--loud': none available\n")

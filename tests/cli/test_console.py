"""The progress bar: nothing where it is quick, lines where there is no terminal, a bar where there is one."""

from __future__ import annotations

import io
import sys

import pytest

from serpenoid.cli import console


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    time = [100.0]
    monkeypatch.setattr(console, "monotonic", lambda: time[0])
    return time


def carried_out(clock, seconds, words=None):
    with console.progress_bar("walk") as progress:
        for second in range(seconds + 1):
            clock[0] = 100.0 + second
            progress(second / max(seconds, 1), words)


def test_what_is_quick_leaves_nothing(clock, capsys):
    carried_out(clock, 0)
    assert capsys.readouterr() == ("", "")


def test_a_line_now_and_then_without_a_terminal(clock, capsys):
    carried_out(clock, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["walk: 31 %, 0:01:09 left", "walk: 62 %, 0:00:38 left", "walk: 93 %, 0:00:07 left"]


def test_time_before_the_first_word_is_not_counted(clock, capsys):
    with console.progress_bar("walk") as progress:
        for second, share in ((60.0, 0.1), (100.0, 0.5)):  # a minute of compiling
            clock[0] = 100.0 + second
            progress(share)
    assert capsys.readouterr().err.splitlines() == ["walk: 10 %", "walk: 50 %, 0:00:50 left"]


def test_words_take_the_place_of_percentage_and_time(clock, capsys):
    carried_out(clock, 40, "7 of 9 cells")
    assert capsys.readouterr().err == "walk: 7 of 9 cells\n"


@pytest.mark.parametrize("seconds", [1, 3])
def test_a_bar_on_a_terminal_that_waits_a_second(clock, monkeypatch, seconds):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    carried_out(clock, seconds)
    assert ("walk" in terminal.getvalue()) is (seconds > 1)

"""Progress bar: nothing for quick commands, lines without a terminal, a bar in a terminal."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from serpenoid.cli import console


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Clock set by the test."""
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


def test_words_tell_the_time_left(clock):
    advance = console.Advance()
    for second, share in ((60.0, 0.1), (100.0, 0.5)):  # a minute of compilation is not counted
        clock[0] = 100.0 + second
        advance.update(share)
        clock[0] += 20.0
    assert advance.line() == "50 %, 0:00:50 left"
    advance.update(0.5, "7 of 9 cells")
    assert advance.line() == "7 of 9 cells"


def test_before_the_first_word_a_line_tells_the_time_so_far(clock):
    advance = console.Advance()
    clock[0] += 75.0
    assert advance.line() == "0:01:15 so far"


def test_a_file_gets_a_line_now_and_then_also_while_nothing_is_heard(monkeypatch):
    beats, log = threading.Event(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(console, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(console.Advance, "line", lambda self: beats.set() or "on its way")
    with console.progress_bar("walk"):
        assert beats.wait(10.0)
    assert log.getvalue().splitlines()[0] == "walk: on its way"


@pytest.mark.parametrize("seconds", [1, 3])
def test_a_bar_on_a_terminal_that_waits_a_second(clock, monkeypatch, seconds):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    carried_out(clock, seconds)
    assert ("walk" in terminal.getvalue()) is (seconds > 1)

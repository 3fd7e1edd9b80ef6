"""Word of compilation in Python: one line, once, and none where something else reports it."""

from __future__ import annotations

from time import sleep

from serpenoid.support import compiling
from serpenoid.support.compiling import Notice, suppress_line


def compile_for(notice: Notice, seconds: float) -> None:
    notice.on_start(None)
    sleep(seconds)
    notice.on_end(None)


def test_long_compilation_is_told_once_and_short_one_never(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "PATIENCE", 0.05)
    notice = Notice()
    compile_for(notice, 0.0)
    sleep(0.2)
    assert capsys.readouterr().err == ""
    compile_for(notice, 0.2)
    compile_for(notice, 0.2)
    assert capsys.readouterr().err.splitlines() == [compiling.LINE]


def test_it_is_silent_where_something_else_reports(monkeypatch, capsys):
    notice = Notice()
    monkeypatch.setattr(compiling, "PATIENCE", 0.05)
    monkeypatch.setattr(compiling, "NOTICE", notice)
    with suppress_line():
        compile_for(notice, 0.2)
    assert capsys.readouterr().err == ""

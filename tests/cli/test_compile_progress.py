"""Progress line of compilation, with and without a terminal."""

from __future__ import annotations

from types import SimpleNamespace

from serpenoid.cli import compile_progress
from serpenoid.cli.compile_progress import CompileNotice
from serpenoid.cli.run import times


def event(name, kind="numba:compile"):
    return SimpleNamespace(kind=kind, data={"dispatcher": SimpleNamespace(__name__=name)})


def test_the_line_holds_the_outermost_kernel_the_count_and_the_time(capsys):
    notice = CompileNotice()
    notice.on_start(event("driven_rollout"))
    notice.on_start(event("media"))
    assert notice.line() == "first start only: compiling driven_rollout; 0 done, 0 s"
    notice.on_end(event("media"))
    notice.on_end(event("driven_rollout"))
    notice.close()
    assert (notice.done, notice.here) == (1, None)
    assert capsys.readouterr().err.count("first start only") == 1


def test_without_a_terminal_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(compile_progress, "SPARSE", 0.01)
    notice = CompileNotice()
    elsewhere = event("media", "serpenoid:wait")
    notice.on_start(elsewhere)
    printed = ""
    while printed.count("compiling media; 0 done") < 3:
        printed += capsys.readouterr().err
    notice.on_end(elsewhere)
    notice.close()
    assert notice.seconds > 0.0 and notice.done == 0  # another process compiled


def test_a_run_prints_its_own_time_and_that_of_compiling():
    assert times(12.0, 11.4) == "0.60 s (plus 11 s of compilation)"
    assert times(0.6, 0.01) == "0.59 s"

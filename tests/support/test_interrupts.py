"""Ctrl-C in a run: results of the current compiled call are kept, also in the first call."""

from __future__ import annotations

import signal

import pytest

import serpenoid as sp
from serpenoid.engines.planar import PlanarEngine
from serpenoid.runtime.plants import LONGEST_CALL
from serpenoid.support.interrupts import Interrupted, ended_as_interrupted, interrupted_by


@pytest.fixture
def calls(monkeypatch):
    """Steps of every compiled call of a gait, during the first of which Ctrl-C is pressed."""
    compiled, lengths = PlanarEngine.rollout, []

    def rollout(engine, first, state, motion, steps, *rest):
        lengths.append(steps)
        signal.raise_signal(signal.SIGINT)
        return compiled(engine, first, state, motion, steps, *rest)

    monkeypatch.setattr(PlanarEngine, "rollout", rollout)
    return lengths


def test_ctrl_c_in_the_first_call_keeps_it_and_waits_for_no_other(calls):
    with pytest.raises(Interrupted) as raised:
        sp.simulate(sp.robots.PlanarSnake(), sp.worlds.Plane(), sp.gaits.Serpenoid(), duration=3600.0)
    assert calls == [LONGEST_CALL * 10]  # steps of 1 ms in periods of 10 ms
    assert raised.value.time == pytest.approx(LONGEST_CALL * 0.01)
    assert raised.value.trajectory.duration == pytest.approx(LONGEST_CALL * 0.01)
    assert not raised.value.trajectory.complete


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_wish_to_end_is_ctrl_c(name, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # test runners may have switched it off
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    usual = signal.getsignal(getattr(signal, name))
    with ended_as_interrupted():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(getattr(signal, name))
        assert name in interrupted_by()
    assert interrupted_by() == "Ctrl-C"
    assert signal.getsignal(getattr(signal, name)) is usual

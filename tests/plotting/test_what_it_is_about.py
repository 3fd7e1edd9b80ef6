"""Figures show what a run is about: roll with its limits, forces of contact."""

import numpy as np

from serpenoid import plotting
from serpenoid.plotting.overview import overview_figure
from serpenoid.scenarios.push import Push
from serpenoid.trajectory import Trajectory


def names_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def rolled(most):
    times = np.linspace(0.0, 1.0, 50)
    return Trajectory(times, {"roll": (("time",), most * times, "rad", "roll")}, {}, {})


def test_roll_shows_the_limits_that_are_near():
    assert names_of(plotting.roll(rolled(0.2))) == ["roll of the head"]
    assert "capsized: 90 deg" in names_of(plotting.roll(rolled(1.2)))
    turned = plotting.roll(rolled(-3.3))
    assert "turned over: 180 deg" in names_of(turned)
    assert {line.get_ydata()[0] for line in turned.lines[1:]} == {-90.0, -180.0}
    assert [axes.get_title(loc="left") for axes in overview_figure(rolled(2.0)).axes] == ["Roll"]


def test_a_push_shows_the_force_of_its_contact():
    run = Push(duration=0.05).run()
    panels = {axes.get_title(loc="left"): axes for axes in overview_figure(run).axes}
    drawn = max(line.get_ydata().max() for line in panels["Contact forces"].lines)
    assert drawn == run["contact_force"].max() > 0.0

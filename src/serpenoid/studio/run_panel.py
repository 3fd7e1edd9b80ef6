"""Everything there is to run: scenarios by name, with a control for every field, and two ways to start them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from serpenoid import configuration
from serpenoid.errors import SerpenoidError, SimulationDiverged
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.scenarios.base import Scenario
from serpenoid.studio.controls import Controls, value_of
from serpenoid.studio.events import by_browser
from serpenoid.studio.library import READ

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio


class RunPanel:
    """The choice of a scenario, its fields, and its start."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.search = gui.add_text("search", "", hint="part of a scenario's name or of what it does")
        self.choice = gui.add_dropdown("scenario", tuple(SCENARIOS), hint="what is to run")
        self.about = gui.add_markdown("")
        self.live = gui.add_button("Run live", color="teal", hint="it goes on until it is stopped, and can be acted on")
        self.whole = gui.add_button("Run to its end", hint="compute the whole run, then play it")
        self.stop = gui.add_button("Stop", hint="end the live run and play back what was seen", color="red")
        self.holder = gui.add_folder("Parameters")
        self.working: threading.Thread | None = None
        self.scenario: Scenario = find_scenario(self.choice.value)()
        self.controls: Controls | None = None
        self.choose(self.choice.value)
        post = studio.post
        self.search.on_update(lambda event: post(self.find, event.target.value))
        self.choice.on_update(by_browser(lambda value: post(self.choose, value)))
        self.live.on_click(lambda _: post(self.start_live))
        self.whole.on_click(lambda _: post(self.start_whole))
        self.stop.on_click(lambda _: post(studio.end_live))

    def find(self, words: str) -> None:
        """Only scenarios in whose name or first line all words stand."""
        found = [name for name in SCENARIOS if all(word in self.text_of(name) for word in words.lower().split())]
        if not found:
            self.studio.say(f"no scenario with {words!r} in its name or description")
            return
        self.choice.options = tuple(found)
        if self.scenario_name not in found:
            self.choose(found[0])
        self.choice.value = self.scenario_name

    def text_of(self, name: str) -> str:
        """What a search looks into."""
        return f"{name} {find_scenario(name).__doc__}".lower()

    def choose(self, name: str) -> None:
        """Another scenario, with its defaults."""
        if self.studio.live is not None:
            self.studio.end_live()
        self.scenario_name = name
        self.set_scenario(find_scenario(name)())

    def set_scenario(self, scenario: Scenario) -> None:
        """Controls for a scenario as it is."""
        self.scenario = scenario
        self.about.content = (scenario.__doc__ or "").strip().splitlines()[0]
        if self.controls is not None:
            self.controls.remove()
        with self.holder:
            self.controls = Controls(self.studio.server, scenario, lambda *moved: self.studio.post(self.moved, *moved))
        self.studio.preview.ask(scenario)

    def moved(self, name: str, shown: Any) -> None:
        """A control was moved: a live run goes on with it, another run starts with it."""
        if self.controls is None or name not in self.controls.fields:
            return
        field = self.controls.fields[name]
        try:
            value = value_of(field, shown)
            if name.rpartition(".")[2] in READ and isinstance(value, str) and value:
                value = str(self.studio.library.file(value))
            scenario = configuration.changed(self.scenario, {name: value})
        except SerpenoidError:
            self.controls.show(name, field.default)
            raise
        self.scenario = scenario
        if configuration.class_choices(field.annotation):
            self.set_scenario(scenario)
        else:
            self.controls.show(name, configuration.get(scenario, name))
            self.studio.preview.ask(scenario)
        if self.studio.live is not None and not self.studio.live.change(scenario):
            self.studio.say(f"{name} takes effect when the run is started again")

    def start_live(self) -> None:
        """Let the scenario go on until it is stopped."""
        self.studio.start_live(self.scenario)

    def start_whole(self) -> None:
        """Compute a whole run beside the page, and play it when it is there."""
        self.compute(self.scenario, self.scenario_name)

    def compute(self, scenario: Scenario, name: str) -> None:
        """Run a scenario in a thread of its own; one at a time."""
        if self.working is not None and self.working.is_alive():
            self.studio.say("a run is being computed; wait for its end")
            return
        self.studio.say(f"{name} is being computed ...")
        self.working = threading.Thread(target=self.work, args=(scenario, name), daemon=True, name="run")
        self.working.start()

    def work(self, scenario: Scenario, name: str) -> None:
        """The thread of a whole run; one that diverges is shown as far as it went."""
        post = self.studio.post
        try:
            post(self.studio.show_run, scenario.run(self.progress), name)
        except SimulationDiverged as error:
            if error.trajectory is not None and error.trajectory.times.size:
                post(self.studio.show_run, error.trajectory, name)
            post(self.studio.say, f"the run diverged at {error.time:.4g} s and was stopped")
        except SerpenoidError as error:
            post(self.studio.say, str(error))
        except Exception as error:  # a class of the user's own may raise anything
            post(self.studio.say, f"{type(error).__name__}: {error}")

    def progress(self, share: float) -> None:
        """Tell how far it is."""
        self.studio.post(self.studio.say, f"computing: {100.0 * share:.0f} %")

"""Panel of scenarios: selection by name, a control for every field, and start buttons.

These are the only controls of the fields. During a live run they show its current values, also after keys and pushes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serpenoid import configuration
from serpenoid.control.base import Controller
from serpenoid.errors import SerpenoidError
from serpenoid.gaits.base import Gait
from serpenoid.scenarios import find_scenario, scenario_names
from serpenoid.scenarios.base import Scenario
from serpenoid.studio.changes import scenario_with
from serpenoid.studio.controls import Controls, value_of
from serpenoid.studio.events import by_browser
from serpenoid.studio.library import READ

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio


class RunPanel:
    """Selection of a scenario, its parts and fields, and its start."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.search = gui.add_text("search", "", hint="part of a scenario's name or description")
        self.choice = gui.add_dropdown("scenario", tuple(scenario_names()), hint="scenario to run")
        self.about = gui.add_markdown("")
        self.top = gui.add_folder("Parts")
        self.live = gui.add_button("Run live", color="teal", hint="run until stopped; you can act on the run")
        self.whole = gui.add_button("Run to the end", hint="compute the whole run, then play it")
        self.stop = gui.add_button("Stop", hint="stop the computed or live run, and play it", color="red")
        self.stage = gui.add_button_group("stage", ("preview", "clear"), hint="show the start of this run, or nothing")
        self.charge = gui.add_folder("Active gait", visible=False)
        self.holder = gui.add_folder("Parameters")
        self.scenario: Scenario = find_scenario(self.choice.value)()
        self.controls: Controls | None = None
        self.others: Controls | None = None  # of a gait that commands a live run and that the scenario cannot represent
        self.scenario_name = self.choice.value
        self.set_scenario(self.scenario)
        self.connect()

    def connect(self) -> None:
        """Connect the controls to their actions."""
        studio, post = self.studio, self.studio.post
        self.search.on_update(lambda event: post(self.find, event.target.value))
        self.choice.on_update(by_browser(lambda value: post(self.choose, value)))
        self.live.on_click(lambda _: post(self.start_live))
        self.whole.on_click(lambda _: post(self.start_whole))
        self.stop.on_click(lambda _: post(self.end))
        shown = {"preview": self.preview, "clear": studio.clear_stage}
        self.stage.on_click(lambda event: post(shown[event.target.value]))

    def find(self, words: str) -> None:
        """Offer scenarios whose name or first line contains all words; keep the choice."""
        found = [name for name in scenario_names() if all(word in self.text_of(name) for word in words.lower().split())]
        if not found:
            self.studio.say(f"no scenario with {words!r} in its name or description")
            return
        summary = f"{len(found)} of {len(scenario_names())} scenarios: {', '.join(found)}"
        self.choice.options = tuple(dict.fromkeys([*found, self.scenario_name]))
        self.choice.value = self.scenario_name
        if words.strip():
            self.studio.say(summary)

    def text_of(self, name: str) -> str:
        """Return the text that is searched."""
        return f"{name} {find_scenario(name).__doc__}".lower()

    def choose(self, name: str) -> None:
        """Select another scenario with its defaults and preview its start; a live run is ended and kept."""
        self.studio.stop_live()
        self.scenario_name = name
        self.choice.options = tuple(dict.fromkeys([*self.choice.options, name]))
        self.choice.value = name
        self.set_scenario(find_scenario(name)())
        self.preview()

    def preview(self) -> None:
        """Show the start of the scenario instead of the current stage."""
        self.studio.stop_live()
        self.studio.say(f"{self.scenario_name}: start")
        self.studio.preview.ask(self.scenario, replaces=True)

    def set_scenario(self, scenario: Scenario) -> None:
        """Create the controls for a scenario."""
        self.scenario = scenario
        self.about.content = (scenario.__doc__ or "").strip().splitlines()[0]
        if self.controls is not None:
            self.controls.remove()
        with self.holder:
            self.controls = Controls(self.studio.server, scenario, self.changed, top=self.top)
        self.studio.preview.ask(scenario)

    def changed(self, name: str, shown: Any) -> None:
        """Handle a control moved by a browser."""
        self.studio.post(self.moved, name, shown)

    def moved(self, name: str, shown: Any) -> None:
        """Apply a moved control: to the live run, or to the next run."""
        if self.controls is None or name not in self.controls.fields:
            return
        field = self.controls.fields[name]
        try:
            value = value_of(field, shown)
            if name.rpartition(".")[2] in READ and isinstance(value, str) and value:
                value = str(self.studio.library.file(value))
            scenario = configuration.changed(self.scenario, {name: value})
            live = self.studio.live
            parts = None if live is None else scenario.parts()
        except SerpenoidError:
            self.controls.show(name, field.default)
            raise
        self.show(scenario)
        if live is None or parts is None:
            self.studio.preview.ask(scenario)
        elif not live.change(parts if self.others is None else parts._replace(controller=live.controller)):
            self.studio.say(f"{name} takes effect when the run is restarted")
        else:
            self.studio.drive.show_gait(live.controller)

    def show(self, scenario: Scenario) -> None:
        """Show another scenario of the same class in all controls."""
        fields = {field.name: field.default for field in configuration.walk(scenario)}
        if self.controls is None or set(fields) != set(self.controls.fields):
            self.set_scenario(scenario)
            return
        self.scenario = scenario
        for name, value in fields.items():
            self.controls.show(name, value)

    def lead(self, controller: Any) -> None:
        """Continue a live run with another gait or changed fields of the controller, and show them."""
        live = self.studio.live
        assert live is not None
        if type(controller) is type(live.controller):
            live.change(live.parts._replace(controller=controller))
        else:
            live.lead(controller)
        self.show_live()

    def show_live(self) -> None:
        """Show the current values of a live run: in the scenario's fields, or in those of a gait that it cannot
        represent."""
        live = self.studio.live
        if live is None:
            return
        controller = live.controller
        held = scenario_with(self.scenario, live.parts._replace(controller=controller))
        if held is not None:
            self.show(held)
            self.show_other(None)
        else:
            kept = scenario_with(self.scenario, live.parts._replace(controller=self.scenario.parts().controller))
            self.show(kept or self.scenario)
            self.show_other(controller)
        self.studio.drive.show_gait(controller)

    def show_other(self, controller: Any) -> None:
        """Show the controls of a gait that replaces the scenario's gait in a live run; None for the scenario's own."""
        before = self.others
        if controller is None:
            if before is not None:
                before.remove()
            self.others = None
        elif before is None or set(before.fields) != {field.name for field in configuration.walk(controller)}:
            if before is not None:
                before.remove()
            with self.charge:
                name = configuration.plain_name(type(controller))
                self.others = Controls(self.studio.server, controller, self.other_changed, name)
        else:
            for name in before.fields:
                before.show(name, configuration.get(controller, name))
        self.charge.visible = controller is not None
        for name, value in vars(self.scenario).items():
            if isinstance(value, Gait | Controller) and self.controls is not None:
                self.controls.hide(name, controller is not None)

    def other_changed(self, name: str, shown: Any) -> None:
        """Handle a control of the replacing gait moved by a browser."""
        self.studio.post(self.other_moved, name, shown)

    def other_moved(self, name: str, shown: Any) -> None:
        """Apply a moved control of the replacing gait."""
        live = self.studio.live
        if live is None or self.others is None or name not in self.others.fields:
            return
        field = self.others.fields[name]
        try:
            controller = configuration.changed(live.controller, {name: value_of(field, shown)})
        except SerpenoidError:
            self.others.show(name, field.default)
            raise
        self.lead(controller)

    def start_live(self) -> None:
        """Start the scenario live until it is stopped."""
        self.studio.start_live(self.scenario, self.scenario_name)

    def start_whole(self) -> None:
        """Compute a whole run in the background, and play it when complete."""
        self.studio.work.start(self.scenario, self.scenario_name)

    def end(self) -> None:
        """Stop the computation, otherwise the live run."""
        if not self.studio.work.stop():
            self.studio.end_live()

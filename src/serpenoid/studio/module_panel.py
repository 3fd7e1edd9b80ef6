"""Panel of a live run on emulated modules: readings, manual command of one module, and gains."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from serpenoid import configuration
from serpenoid.errors import Unsupported
from serpenoid.robots.cascade import Gains
from serpenoid.studio.events import by_browser
from serpenoid.studio.module_stream import TwinStream

if TYPE_CHECKING:
    from serpenoid.simulation import Stream
    from serpenoid.studio.page import Studio

# Column headings of the table, and the decimals of its numbers.
HEADER = ("module", "joint", "angle<br>rad", "torque<br>N m", "current<br>A", "supply<br>V", "motor<br>°C")
DIGITS = (3, 2, 2, 1, 1)
STYLE = "width:96%;font-size:11px;border-collapse:collapse;text-align:right;font-variant-numeric:tabular-nums"
BY_HAND = " style='background:#fde8c8' title='by hand'"
NOBODY = "no modules"
NO_TABLE = "<p style='margin:0.5em;font-size:13px'>No live run on modules.</p>"


class ModulePanel:
    """Table of modules and actions on them; empty while no emulator runs."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.twin = gui.add_checkbox(
            "run live on emulated modules", False, hint="like real modules: soft start, limits, watchdog"
        )
        self.table = gui.add_html(NO_TABLE)
        self.choice = gui.add_dropdown("module", (NOBODY,), hint="module to command")
        self.angle = gui.add_slider("angle [rad]", -1.57, 1.57, 0.01, 0.0, hint="target angle of this module")
        self.lead = gui.add_button("Command", hint="move this module smoothly to the angle instead of the controller")
        self.free = gui.add_button("Release", hint="return this module to the controller")
        self.holder = gui.add_folder("Gains of this module", expand_by_default=False)
        with self.holder:
            self.everyone = gui.add_checkbox("to all modules", False, hint="otherwise to the selected", order=100.0)
            self.send = gui.add_button("Send gains", hint="only drives of type cascade accept gains", order=101.0)
        self.gains: dict[str, Any] = {}
        post = studio.post
        self.choice.on_update(by_browser(lambda _: post(self.show_gains)))
        self.lead.on_click(lambda _: post(self.command, True))
        self.free.on_click(lambda _: post(self.command, False))
        self.send.on_click(lambda _: post(self.send_gains))

    def begin(self, run: TwinStream) -> None:
        """Show the modules of a run that has just begun."""
        self.choice.options = run.modules.joints.names
        self.choice.value = run.modules.joints.names[0]
        gui: Any = self.studio.server.gui
        for control in self.gains.values():
            control.remove()
        with self.holder:
            self.gains = {
                name: gui.add_number(
                    name.replace("_", " "), 0.0, min=0.0, step=1e-4, hint=hint_of(name), order=float(i)
                )
                for i, name in enumerate(run.gains)
            }
        self.show_gains()

    def end(self) -> None:
        """Clear the panel after the run has ended."""
        self.table.content = NO_TABLE
        self.choice.options, self.choice.value = (NOBODY,), NOBODY
        for control in self.gains.values():
            control.remove()
        self.gains = {}

    def show_gains(self) -> None:
        """Show the gains of the selected module."""
        run, module = self.going().stream, self.choice.options.index(self.choice.value)
        for name, control in self.gains.items():
            control.value = float(run.gains[name][module])

    def show(self, run: TwinStream) -> None:
        """Show the current readings; a manually commanded module is marked."""
        self.table.content = table_of(run.readings())

    def going(self) -> Any:
        """Return the live run on modules."""
        live = self.studio.live
        if live is None or not isinstance(live.stream, TwinStream):
            raise Unsupported("no live run on modules: tick the box under HEBI and press Run live")
        return live

    def command(self, lead: bool) -> None:
        """Move the selected module to the angle, or release it."""
        live, name = self.going(), self.choice.value
        joint = live.stream.modules.joints.names.index(name)
        angle = float(self.angle.value) if lead else None

        def act(run: Stream) -> None:
            assert isinstance(run, TwinStream)
            run.modules.lead(joint, angle)

        live.act(act)
        self.studio.say(f"{name}: moving to {angle:.3g} rad" if angle is not None else f"{name}: released")

    def send_gains(self) -> None:
        """Send the displayed gains to the selected module or to all."""
        live, names, module = self.going(), self.choice.options, self.choice.value
        wanted = {name: float(control.value) for name, control in self.gains.items()}
        chosen = range(len(names)) if self.everyone.value else [names.index(module)]

        def act(run: Stream) -> None:
            assert isinstance(run, TwinStream)
            run.set_gains(wanted, chosen)
            live.report(f"{'all modules' if len(chosen) > 1 else module} accepted the gains")

        live.act(act)


def table_of(readings: list[list[Any]]) -> str:
    """Format module readings as a table that fits the panel; manually commanded modules are highlighted."""
    rows = ["".join(f"<th>{word}</th>" for word in HEADER)]
    marks = [""]
    for module, joint, *values, hand in readings:
        numbers = (f"{round(value, digits) + 0.0:.{digits}f}" for value, digits in zip(values, DIGITS))  # avoids -0.000
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in (module, joint, *numbers)))
        marks.append(BY_HAND if hand else "")
    return f"<table style='{STYLE}'>" + "".join(f"<tr{m}>{row}</tr>" for m, row in zip(marks, rows)) + "</table>"


def hint_of(gain: str) -> str:
    """Return the description and unit of a gain such as position_kp."""
    loop, _, name = gain.partition("_")
    return f"{loop} loop: {configuration.field_docs(Gains)[name]}"

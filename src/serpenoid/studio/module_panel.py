"""The modules of a live run on their twin: what each tells, one of them led by hand, and their gains."""

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

# Of the table: what stands over each column, and how many digits its numbers have.
HEADER = ("module", "joint", "angle<br>rad", "torque<br>N m", "current<br>A", "supply<br>V", "motor<br>°C")
DIGITS = (3, 2, 2, 1, 1)
STYLE = "width:96%;font-size:11px;border-collapse:collapse;text-align:right;font-variant-numeric:tabular-nums"
BY_HAND = " style='background:#fde8c8' title='by hand'"
NOBODY = "no modules"
NO_TABLE = "<p style='margin:0.5em;font-size:13px'>Nothing runs on modules.</p>"


class ModulePanel:
    """A table of modules and what acts on them; empty as long as no twin runs."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.twin = gui.add_checkbox(
            "run live on the twin of modules", False, hint="as modules would: soft start, limits, watchdog"
        )
        self.table = gui.add_html(NO_TABLE)
        self.choice = gui.add_dropdown("module", (NOBODY,), hint="which module is commanded")
        self.angle = gui.add_slider("angle [rad]", -1.57, 1.57, 0.01, 0.0, hint="where the joint of this module goes")
        self.lead = gui.add_button("Command", hint="lead this module to the angle, softly, instead of the controller")
        self.free = gui.add_button("Give back", hint="the controller leads it again")
        self.holder = gui.add_folder("Gains of this module", expand_by_default=False)
        with self.holder:
            self.everyone = gui.add_checkbox("to all modules", False, hint="or to the chosen one alone", order=100.0)
            self.send = gui.add_button(
                "Send gains", hint="modules refuse what their drive cannot have: only a Cascade has them", order=101.0
            )
        self.gains: dict[str, Any] = {}
        post = studio.post
        self.choice.on_update(by_browser(lambda _: post(self.show_gains)))
        self.lead.on_click(lambda _: post(self.command, True))
        self.free.on_click(lambda _: post(self.command, False))
        self.send.on_click(lambda _: post(self.send_gains))

    def begin(self, run: TwinStream) -> None:
        """Modules of a run that has just begun."""
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
        """The run has ended: no modules are there any more."""
        self.table.content = NO_TABLE
        self.choice.options, self.choice.value = (NOBODY,), NOBODY
        for control in self.gains.values():
            control.remove()
        self.gains = {}

    def show_gains(self) -> None:
        """The gains that the chosen module has."""
        run, module = self.going().stream, self.choice.options.index(self.choice.value)
        for name, control in self.gains.items():
            control.value = float(run.gains[name][module])

    def show(self, run: TwinStream) -> None:
        """What the modules tell now; the one that is led by hand is marked."""
        self.table.content = table_of(run.readings())

    def going(self) -> Any:
        """The live run, where it is one of modules."""
        live = self.studio.live
        if live is None or not isinstance(live.stream, TwinStream):
            raise Unsupported("no modules run live: tick the box under HEBI and press Run live")
        return live

    def command(self, lead: bool) -> None:
        """Lead the chosen module to the angle, or give it back."""
        live, name = self.going(), self.choice.value
        joint = live.stream.modules.joints.names.index(name)
        angle = float(self.angle.value) if lead else None

        def act(run: Stream) -> None:
            assert isinstance(run, TwinStream)
            run.modules.lead(joint, angle)

        live.act(act)
        self.studio.say(f"{name} goes to {angle:.3g} rad" if angle is not None else f"{name} is given back")

    def send_gains(self) -> None:
        """The gains as the page shows them, to the chosen module or to all."""
        live, names, module = self.going(), self.choice.options, self.choice.value
        wanted = {name: float(control.value) for name, control in self.gains.items()}
        chosen = range(len(names)) if self.everyone.value else [names.index(module)]

        def act(run: Stream) -> None:
            assert isinstance(run, TwinStream)
            run.set_gains(wanted, chosen)
            live.report(f"{'all modules' if len(chosen) > 1 else module} took the gains")

        live.act(act)


def table_of(readings: list[list[Any]]) -> str:
    """Readings of modules as a table that fits into the panel; modules led by hand have another ground."""
    rows = ["".join(f"<th>{word}</th>" for word in HEADER)]
    marks = [""]
    for module, joint, *values, hand in readings:
        numbers = (f"{round(value, digits) + 0.0:.{digits}f}" for value, digits in zip(values, DIGITS))  # no -0.000
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in (module, joint, *numbers)))
        marks.append(BY_HAND if hand else "")
    return f"<table style='{STYLE}'>" + "".join(f"<tr{m}>{row}</tr>" for m, row in zip(marks, rows)) + "</table>"


def hint_of(gain: str) -> str:
    """What a gain such as position_kp is, and in which unit."""
    loop, _, name = gain.partition("_")
    return f"{loop} loop: {configuration.field_docs(Gains)[name]}"

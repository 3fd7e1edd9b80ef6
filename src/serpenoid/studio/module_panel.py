"""The modules of a live run on their twin: what each tells, one of them led by hand, and their gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serpenoid.errors import Unsupported
from serpenoid.studio.twin_stream import TwinStream

if TYPE_CHECKING:
    from serpenoid.simulation import Stream
    from serpenoid.studio.page import Studio

HEADER = ("module", "joint", "angle [rad]", "torque [N m]", "current [A]", "supply [V]", "motor [deg C]", "")
NOBODY = "no modules"


class ModulePanel:
    """A table of modules and what acts on them; empty as long as no twin runs."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.twin = gui.add_checkbox(
            "run live on the twin of modules", False, hint="as modules would: soft start, limits, watchdog"
        )
        self.table = gui.add_markdown("Nothing runs on modules.")
        self.choice = gui.add_dropdown("module", (NOBODY,), hint="which module is commanded")
        self.angle = gui.add_slider("angle [rad]", -1.57, 1.57, 0.01, 0.0, hint="where the joint of this module goes")
        self.lead = gui.add_button("Command", hint="lead this module to the angle, softly, instead of the controller")
        self.free = gui.add_button("Give back", hint="the controller leads it again")
        self.holder = gui.add_folder("Gains of all modules", expand_by_default=False)
        self.gains: dict[str, Any] = {}
        self.send = gui.add_button("Send gains", hint="to all modules; they refuse what their drive cannot have")
        post = studio.post
        self.lead.on_click(lambda _: post(self.command, True))
        self.free.on_click(lambda _: post(self.command, False))
        self.send.on_click(lambda _: post(self.send_gains))

    def begin(self, run: TwinStream) -> None:
        """Modules of a run that has just begun."""
        self.choice.options = run.modules.joints.names
        gui: Any = self.studio.server.gui
        for control in self.gains.values():
            control.remove()
        with self.holder:
            self.gains = {
                name: gui.add_number(name.replace("_", " "), value, step=1e-4) for name, value in run.gains.items()
            }

    def show(self, run: TwinStream) -> None:
        """What the modules tell now."""
        rows = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
        for module, joint, *values, hand in run.readings():
            cells = [module, joint.replace("_", "\\_"), *(f"{value:.3f}" for value in values), hand]
            rows.append("| " + " | ".join(cells) + " |")
        self.table.content = "\n".join(rows)

    def going(self) -> Any:
        """The live run, where it is one of modules."""
        live = self.studio.live
        if live is None or not isinstance(live.stream, TwinStream):
            raise Unsupported("no modules run live: tick the box under Modules and press Run live")
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
        """The gains as the page shows them."""
        live = self.going()
        wanted = {name: float(control.value) for name, control in self.gains.items()}

        def act(run: Stream) -> None:
            assert isinstance(run, TwinStream)
            run.set_gains(wanted)
            live.report("the modules took the gains")

        live.act(act)

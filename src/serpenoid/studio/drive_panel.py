"""Steering of a live run: keys, gait changes, pushes by mouse."""

from __future__ import annotations

import dataclasses
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid import configuration
from serpenoid.errors import SerpenoidError, Unsupported
from serpenoid.gaits import GAITS
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import Robot
from serpenoid.studio.driving import ACTIONS, Action, changed_fields, why_not
from serpenoid.studio.events import by_browser
from serpenoid.studio.live import Live
from serpenoid.studio.stage import Stage
from serpenoid.support.kernel_inputs import motion_of

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

NEXT = "next gait"


class DrivePanel:
    """Actions on a live run besides the fields of its scenario."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.free = gui.add_checkbox("as fast as possible", False, hint="do not run in real time")
        self.buttons = gui.add_button_group("drive", tuple(action.name for action in ACTIONS))
        keys = ", ".join(f"**{action.key}** {action.name}" for action in ACTIONS)
        gui.add_markdown(f"Keys: {keys}, **G** {NEXT}, **P** pause.")
        self.gait = gui.add_dropdown("gait", ("gait of the scenario",), hint="switch to another gait smoothly")
        with gui.add_folder("Push"):
            self.force = gui.add_slider("force [N]", 0.0, 50.0, 0.1, 2.0, hint="on the clicked link")
            self.length = gui.add_slider("for [s]", 0.01, 2.0, 0.01, 0.2, hint="duration of the force")
        self.gaits: dict[str, Gait] = {}
        self.connect()

    def connect(self) -> None:
        """Connect the controls to their actions."""
        gui: Any = self.studio.server.gui
        post = self.studio.post
        self.free.on_update(lambda _: post(self.pace))
        by_name = {action.name: action for action in ACTIONS}
        self.buttons.on_click(lambda event: post(self.drive, by_name[event.target.value]))
        self.gait.on_update(by_browser(lambda value: post(self.lead, value)))
        for action in ACTIONS:
            command = gui.add_command(f"Drive: {action.name}", hotkey=action.key)
            command.on_trigger(partial(self.pressed, action))
        gui.add_command(f"Drive: {NEXT}", hotkey="G").on_trigger(lambda _: post(self.next_gait))

    def pressed(self, action: Action, _: Any) -> None:
        """Handle a pressed key."""
        self.studio.post(self.drive, action)

    def chosen_speed(self) -> float:
        """Return the speed of a live run: that of the playback, or unlimited."""
        return inf if self.free.value else float(self.studio.playback.speed.value)

    def pace(self) -> None:
        """Apply a changed speed."""
        if self.studio.live is not None:
            self.studio.live.speed = self.chosen_speed()

    def begin(self, live: Live) -> None:
        """Offer the gaits that the robot of a new live run supports."""
        self.gaits = gaits_for(live.parts.robot, live.parts.controller)
        self.gait.options = tuple(self.gaits) or ("gait of the scenario",)
        self.gait.value = self.gait.options[0]

    def show_gait(self, controller: Any) -> None:
        """Show the active gait; of several of its class, the chosen one."""
        names = [name for name, gait in self.gaits.items() if type(gait) is type(controller)]
        if names and self.gait.value not in names:
            self.gait.value = names[0]

    def going(self) -> Live:
        """Return the live run."""
        if self.studio.live is None:
            raise Unsupported("no live run: choose a scenario under Run and press Run live")
        return self.studio.live

    def drive(self, action: Action) -> None:
        """Apply one step of a key."""
        live = self.going()
        changes = changed_fields(live.controller, action)
        if not changes:
            raise Unsupported(why_not(live.controller, action))
        self.studio.runs.lead(configuration.changed(live.controller, changes))
        values = (f"{name.replace('_', ' ')} {value:.4g}" for name, value in changes.items())
        self.studio.say(f"{action.name}: {', '.join(values)}")

    def lead(self, name: str) -> None:
        """Switch to another gait."""
        self.going()
        if name in self.gaits:
            self.studio.runs.lead(self.gaits[name])
            self.studio.say(f"gait: {name}")

    def next_gait(self) -> None:
        """Switch to the next gait of the list."""
        self.going()
        names = list(self.gaits)
        if not names:
            raise Unsupported("this controller cannot be replaced by a gait")
        chosen = names[(names.index(self.gait.value) + 1) % len(names)] if self.gait.value in names else names[0]
        self.gait.value = chosen
        self.lead(chosen)

    def listen(self, stage: Stage) -> None:
        """Treat clicks on links of this stage as pushes."""
        for solid in stage.solids:
            solid.on_click(lambda event: self.studio.post(self.clicked, stage, event))

    def clicked(self, stage: Stage, event: Any) -> None:
        """Push the clicked link along the line of sight, within the plane for a planar robot."""
        link = stage.link_of(event.target)
        direction = np.array(event.ray_direction, dtype=float)
        unit = direction.shape == (3,) and bool((np.abs(direction) <= 1.001).all())  # excludes NaN too
        if self.studio.live is None or link is None or not unit:
            return
        if self.studio.live.planar:
            direction[2] = 0.0
        size = float(np.linalg.norm(direction))
        if size > 0.0:
            self.studio.live.push(link, self.force.value * direction / size, self.length.value)
            self.studio.say(f"link {link}: push of {self.force.value:g} N for {self.length.value:g} s")


def gaits_for(robot: Robot, controller: Any) -> dict[str, Gait]:
    """Return the active gait, and registered gaits that work on this robot with their defaults."""
    if not isinstance(controller, Gait):
        return {}
    found: dict[str, Gait] = {f"{configuration.plain_name(type(controller))} (scenario)": controller}
    for name, cls in GAITS.items():
        if any(map(configuration.required, dataclasses.fields(cls))):  # type: ignore[arg-type]
            continue
        try:
            motion_of(cls(), robot)
        except (SerpenoidError, ValueError, AttributeError, IndexError):
            continue
        found[name] = cls()
    return found

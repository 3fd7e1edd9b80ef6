"""Sweeps of the folder: a map in the scene, a cell by a click or by sliders, and the cell plays."""

from __future__ import annotations

from math import tan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.errors import Unsupported
from serpenoid.studio.events import by_browser
from serpenoid.studio.scene import ASPECT, FIELD_OF_VIEW
from serpenoid.studio.sweep_map import HEIGHT, WIDTH, SweepMap
from serpenoid.sweeps import cell_scenario
from serpenoid.sweeps.result import fields_at
from serpenoid.sweeps.store import Layout

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

NONE = "(no sweep here)"
MAP = "map"
WIDE = 2.0  # of the map in the scene [m]
HIGH = WIDE * HEIGHT / WIDTH
ABOVE = 1.05 * 0.5 * WIDE / (ASPECT * tan(0.5 * FIELD_OF_VIEW))  # where it is looked at from, as near as it fits [m]


class SweepPanel:
    """The choice of a sweep and of a cell of it."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.choice = gui.add_dropdown("sweep", (NONE,), hint="sweeps in the studio's folder")
        self.refresh = gui.add_button("Look for sweeps")
        self.quantity = gui.add_dropdown("quantity", ("-",), hint="what the map shows")
        self.against = gui.add_dropdown("show", (MAP,), hint="a map over two fields, or the front against a cost")
        self.show = gui.add_button("Show", color="teal", hint="the map in the scene; click a cell there")
        self.chosen = gui.add_markdown("")
        self.holder = gui.add_folder("Cell")
        self.play = gui.add_button("Play this cell", color="teal")
        self.map: SweepMap | None = None
        self.image: Any = None
        self.layout: Layout | None = None
        self.sliders: dict[str, Any] = {}
        self.connect()
        self.list()

    def connect(self) -> None:
        """What the controls do."""
        post = self.studio.post
        self.refresh.on_click(lambda _: post(self.list))
        self.choice.on_update(by_browser(lambda _: post(self.load)))
        self.show.on_click(lambda _: post(self.draw))
        self.play.on_click(lambda _: post(self.start))

    def list(self) -> None:
        """What is there now."""
        found = tuple(entry.name for entry in self.studio.library.entries() if entry.kind == "sweep") or (NONE,)
        if found != tuple(self.choice.options):
            self.choice.options = found
            self.choice.value = found[0]
            self.load()

    def path(self) -> Path:
        """The folder of the chosen sweep."""
        if self.choice.value == NONE:
            raise Unsupported("there is no sweep in this folder")
        return self.studio.library.sweep(self.choice.value)

    def load(self) -> None:
        """Offer what the chosen sweep holds."""
        for handle in self.sliders.values():
            handle.remove()
        self.sliders, self.layout = {}, None
        if self.choice.value == NONE:
            return
        self.layout = Layout.read(self.path())
        names = tuple(self.layout.quantities) or ("-",)
        self.quantity.options, self.quantity.value = names, names[0]
        self.against.options = (MAP, *(f"front against {name}" for name in names))
        self.against.value = MAP
        with self.holder:
            shape = self.layout.grid.shape
            sampled = self.layout.attributes["sampled"]
            for i, name in enumerate(("cell",) if sampled else self.layout.swept):
                most = max(1, shape[i] - 1)
                hint = f"which of {shape[i]} values"
                self.sliders[name] = self.studio.server.gui.add_slider(name, 0, most, 1, 0, hint=hint)
                self.sliders[name].on_update(lambda _: self.studio.post(self.tell))
        self.tell()

    def fields(self) -> dict[str, Any]:
        """The swept values that the sliders stand for."""
        if self.layout is None:
            raise Unsupported("there is no sweep in this folder")
        places = [min(handle.value, size - 1) for handle, size in zip(self.sliders.values(), self.layout.grid.shape)]
        return {name: values[0] for name, values in fields_at(self.layout, np.array([places])).items()}

    def tell(self) -> None:
        """The values of the chosen cell in words."""
        shown = (f"{name} = {v:.4g}" if isinstance(v, float) else f"{name} = {v}" for name, v in self.fields().items())
        self.chosen.content = "Cell: " + ", ".join(shown).replace("_", "\\_")

    def draw(self) -> None:
        """The map, lying in the scene instead of a run."""
        second = self.against.value.partition("front against ")[2]
        self.studio.clear_stage()
        self.map = SweepMap(self.path(), self.quantity.value, second)
        self.image = self.studio.server.scene.add_image(
            "/map", self.map.image, WIDE, HIGH, format="png", cast_shadow=False, receive_shadow=False,
            wxyz=(0.0, 1.0, 0.0, 0.0), position=(0.0, 0.0, 0.0),
        )  # fmt: skip
        self.image.on_click(lambda event: self.studio.post(self.clicked, event))
        self.studio.cameras.look(np.array([0.0, -0.01, ABOVE]), np.zeros(3))
        self.studio.say("Click a cell of the map: it is computed and plays.")

    def hide(self) -> None:
        """Take the map out of the scene."""
        if self.image is not None:
            self.image.remove()
            self.image = None

    def clicked(self, event: Any) -> None:
        """The cell under a click on the map."""
        origin, direction = np.array(event.ray_origin, dtype=float), np.array(event.ray_direction, dtype=float)
        if self.map is None or not (np.isfinite(origin).all() and np.isfinite(direction).all() and direction[2]):
            return
        place = origin - direction * origin[2] / direction[2]
        across, down = 0.5 + place[0] / WIDE, 0.5 - place[1] / HIGH
        if 0.0 <= across <= 1.0 and 0.0 <= down <= 1.0:
            self.pick(self.map.pick(float(across), float(down)))

    def pick(self, fields: dict[str, Any]) -> None:
        """Choose a cell by its values, and let it play."""
        if not fields or self.layout is None:
            return
        if not self.layout.attributes["sampled"]:
            for i, (name, handle) in enumerate(self.sliders.items()):
                size = self.layout.grid.shape[i]
                places = np.zeros((size, len(self.layout.grid.shape)), dtype=int)
                places[:, i] = np.arange(size)
                handle.value = fields_at(self.layout, places)[name].index(fields[name])
        self.run(fields)

    def start(self) -> None:
        """Play the cell of the sliders."""
        self.run(self.fields())

    def run(self, fields: dict[str, Any]) -> None:
        """Compute a cell as the sweep did, and play it."""
        words = ", ".join(f"{n} {v:.4g}" if isinstance(v, float) else f"{n} {v}" for n, v in fields.items())
        self.studio.runs.compute(cell_scenario(self.path(), fields), f"cell: {words}")

"""Sweeps of the folder: a map in the scene, a cell by a click or by sliders, and the cell plays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count
from math import floor, log10, tan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import Unsupported, require
from serpenoid.robots.rotations import rotations
from serpenoid.studio.events import by_browser
from serpenoid.studio.plain_text import plain_text
from serpenoid.studio.scene import ASPECT, FIELD_OF_VIEW, Camera, camera_of
from serpenoid.studio.sweep_map import HEIGHT, WIDTH, SweepMap
from serpenoid.sweeps import cell_scenario
from serpenoid.sweeps.result import fields_at
from serpenoid.sweeps.store import Layout

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

NONE = "(no sweep here)"
MAP = "map"
WIDE = 2.0  # of the map in the scene [m]
MOST_STEPS = 100_000  # of a slider
SLIM = HEIGHT / WIDTH
BOARD = 0.7  # width of the map that stands behind a run, as a share of the run's extent
LYING, STANDING = np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.5**0.5, -(0.5**0.5), 0.0, 0.0])  # w x y z
MAPS = count()  # each has a name of its own, as stages have
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
        self.pose, self.width = np.array([0.0, 0.0, 0.0, *LYING]), WIDE  # of the image
        self.layout: Layout | None = None
        self.sliders: dict[str, Any] = {}
        self.values: dict[str, Sequence[Any]] = {}  # of each field that was swept over a grid
        self.connect()
        studio.guarded(self.list)  # a damaged sweep is named in the page

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
        self.sliders, self.values, self.layout = {}, {}, None
        if self.choice.value == NONE:
            return
        self.layout = Layout.read(self.path())
        names = tuple(self.layout.quantities) or ("-",)
        self.quantity.options, self.quantity.value = names, names[0]
        self.against.options = (MAP, *(f"front against {name}" for name in names))
        self.against.value = MAP
        with self.holder:
            self.add_sliders(self.layout)
        self.tell()

    def add_sliders(self, layout: Layout) -> None:
        """A control for every swept field, in its own values; for the cells of a sample their number."""
        gui: Any = self.studio.server.gui
        if layout.attributes["sampled"]:
            count = layout.grid.shape[0]
            found = {"cell": gui.add_slider("cell", 0, max(1, count - 1), 1, 0, hint=f"which of {count}")}
        else:
            found = {name: self.control_of(layout, name) for name in layout.swept}
        self.sliders = found
        for name, handle in found.items():
            handle.on_update(by_browser(partial(self.control_moved, name)))

    def control_of(self, layout: Layout, name: str) -> Any:
        """A slider over the values of a swept field, or a choice where they are words or do not rise."""
        gui: Any = self.studio.server.gui
        values, unit = self.values_of(layout, name), layout.array(name).attrs["units"]
        label, hint = f"{name} [{unit}]" if unit else name, f"one of {len(values)} values"
        self.values[name] = values
        if len(values) < 2 or isinstance(values[0], str) or not is_rising(values):
            return gui.add_dropdown(label, tuple(map(str, values)), hint=hint)
        step = 10.0 ** floor(log10(np.diff(values).min()) - 1.0)  # finer than the values, of which the nearest counts
        return gui.add_slider(label, float(values[0]), float(values[-1]), step, float(values[0]), hint=hint)

    def values_of(self, layout: Layout, name: str) -> Sequence[Any]:
        """The values that a field was swept over, in their order."""
        axis = layout.swept.index(name)
        require(layout.grid.shape[axis] <= MOST_STEPS, name, layout.grid.shape[axis], f"at most {MOST_STEPS} values")
        places = np.zeros((layout.grid.shape[axis], len(layout.grid.shape)), dtype=int)
        places[:, axis] = np.arange(len(places))
        return fields_at(layout, places)[name]

    def control_moved(self, name: str, _: Any) -> None:
        """A browser moved a control."""
        self.studio.post(self.moved, name)

    def moved(self, name: str) -> None:
        """A control was moved: it goes to the nearest value."""
        if name in self.values:
            self.put(name, self.values[name][self.place(name)])
        self.tell()

    def put(self, name: str, value: Any) -> None:
        """Let a control show a value of its field."""
        handle = self.sliders[name]
        handle.value = float(value) if hasattr(handle, "min") else str(value)

    def place(self, name: str) -> int:
        """Which of the values of its field a control stands for; of a sample, which cell."""
        shown, values = self.sliders[name].value, self.values.get(name)
        if values is None or isinstance(shown, str):
            return shown if values is None else list(map(str, values)).index(shown)
        return int(np.argmin(np.abs(np.asarray(values) - shown)))

    def fields(self) -> dict[str, Any]:
        """The swept values that the sliders stand for."""
        if self.layout is None:
            raise Unsupported("there is no sweep in this folder")
        places = [min(self.place(name), size - 1) for name, size in zip(self.sliders, self.layout.grid.shape)]
        return {name: values[0] for name, values in fields_at(self.layout, np.array([places])).items()}

    def tell(self) -> None:
        """The values of the chosen cell in words."""
        shown = (f"{name} = {v:.4g}" if isinstance(v, float) else f"{name} = {v}" for name, v in self.fields().items())
        self.chosen.content = plain_text("Cell: " + ", ".join(shown))

    def draw(self) -> None:
        """The map, lying in the scene instead of a run."""
        second = self.against.value.partition("front against ")[2]
        self.studio.clear_stage()
        self.map = SweepMap(self.path(), self.quantity.value, second)
        self.put_map(np.zeros(3), LYING, WIDE)
        self.studio.cameras.look(Camera(np.array([0.0, -0.01, ABOVE]), np.zeros(3)))
        where = "a point of the front" if second else "a cell of the map"
        self.studio.say(f"Click {where}: it is computed and plays.")

    def put_map(self, position: NDArray, turn: NDArray, width: float) -> None:
        """Show the map at a place [m], turned, so wide [m]."""
        assert self.map is not None
        self.pose = np.array([*position, *turn])
        self.width = width
        self.image = self.studio.server.scene.add_image(
            f"/map{next(MAPS)}", self.map.image, width, SLIM * width, format="png", cast_shadow=False,
            receive_shadow=False, wxyz=turn, position=position,
        )  # fmt: skip
        self.image.on_click(lambda event: self.studio.post(self.clicked, event))

    def stand(self) -> None:
        """Let the map stand behind the run of its cell, so that it stays in sight."""
        stage, run = self.studio.stage, self.studio.run
        if self.map is None or stage is None or run is None:
            return
        places = stage.scene.positions.reshape(-1, 3)
        low, high = places.min(axis=0), places.max(axis=0)
        reach = float(np.linalg.norm(np.ptp(stage.scene.positions[0], axis=0)))
        width = max(reach, BOARD * float(np.ptp(places[:, :2], axis=0).max()))
        bottom = float(stage.scene.floor.center[2])
        middle = np.array([0.5 * (low[0] + high[0]), high[1] + 0.25 * width, bottom + 0.55 * SLIM * width])
        self.put_map(middle, STANDING, width)
        half = 0.5 * np.array([width, 0.0, SLIM * width])
        view = camera_of(np.minimum(low, middle - half), np.maximum(high, middle + half))
        self.studio.cameras.look(view, view, self.studio.cameras.robot)
        self.studio.say(f"{self.studio.said}. Click another cell of the map, or Show to see the map alone.")

    def hide(self) -> None:
        """Take the map out of the scene."""
        if self.image is not None:
            self.image.remove()
            self.image = None

    def clicked(self, event: Any) -> None:
        """The cell under a click on the map."""
        origin, direction = np.array(event.ray_origin, dtype=float), np.array(event.ray_direction, dtype=float)
        turn = rotations(self.pose[3:])
        start, way = turn.T @ (origin - self.pose[:3]), turn.T @ direction
        if self.map is None or not (np.isfinite(start).all() and np.isfinite(way).all() and way[2]):
            return
        place = start - way * start[2] / way[2]
        across, down = 0.5 + place[0] / self.width, 0.5 + place[1] / (SLIM * self.width)
        if 0.0 <= across <= 1.0 and 0.0 <= down <= 1.0:
            self.pick(self.map.pick(float(across), float(down)))

    def pick(self, fields: dict[str, Any]) -> None:
        """Choose a cell by its values, and let it play."""
        if not fields or self.layout is None:
            return
        if not self.layout.attributes["sampled"]:
            for name in self.sliders:
                self.put(name, fields[name])
            self.tell()
        self.run(fields)

    def start(self) -> None:
        """Play the cell of the sliders."""
        self.run(self.fields())

    def run(self, fields: dict[str, Any]) -> None:
        """Compute a cell as the sweep did, and play it."""
        words = ", ".join(f"{n} {v:.4g}" if isinstance(v, float) else f"{n} {v}" for n, v in fields.items())
        self.studio.library.own_files({name.rpartition(".")[2]: value for name, value in fields.items()})
        self.studio.work.start(cell_scenario(self.path(), fields), f"cell: {words}", self.stand)


def is_rising(values: Sequence[float]) -> bool:
    """Return whether values rise from each to the next, all finite."""
    return bool(np.isfinite(values).all() and (np.diff(values) > 0.0).all())

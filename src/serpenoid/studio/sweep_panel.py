"""Panel of sweeps: a map in the scene, and cells selected by a click or sliders and played."""

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
from serpenoid.sweeps.store import SweepLayout

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

NONE = "(no sweeps here)"
MAP = "map"
WIDE = 2.0  # width of the map in the scene [m]
MOST_STEPS = 100_000  # of a slider
SLIM = HEIGHT / WIDTH
BOARD = 0.7  # width of the map behind a run, as a fraction of the run's extent
LYING, STANDING = np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.5**0.5, -(0.5**0.5), 0.0, 0.0])  # w x y z
MAPS = count()  # each has its own name, like stages
ABOVE = 1.05 * 0.5 * WIDE / (ASPECT * tan(0.5 * FIELD_OF_VIEW))  # height of the closest camera that shows the map [m]


class SweepPanel:
    """Selection of a sweep and of one of its cells."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.choice = gui.add_dropdown("sweep", (NONE,), hint="sweeps in the studio's folder")
        self.refresh = gui.add_button("Refresh sweeps")
        self.quantity = gui.add_dropdown("quantity", ("-",), hint="quantity of the map")
        self.against = gui.add_dropdown("show", (MAP,), hint="a map over two fields, or the front against a cost")
        self.show = gui.add_button("Show", color="teal", hint="show the map in the scene; click a cell there")
        self.chosen = gui.add_markdown("")
        self.holder = gui.add_folder("Cell")
        self.play = gui.add_button("Play this cell", color="teal")
        self.map: SweepMap | None = None
        self.image: Any = None
        self.pose, self.width = np.array([0.0, 0.0, 0.0, *LYING]), WIDE  # of the image
        self.layout: SweepLayout | None = None
        self.sliders: dict[str, Any] = {}
        self.values: dict[str, Sequence[Any]] = {}  # of each field swept over a grid
        self.connect()
        studio.guarded(self.list)  # the page names a damaged sweep

    def connect(self) -> None:
        """Connect the controls to their actions."""
        post = self.studio.post
        self.refresh.on_click(lambda _: post(self.list))
        self.choice.on_update(by_browser(lambda _: post(self.load)))
        self.show.on_click(lambda _: post(self.draw))
        self.play.on_click(lambda _: post(self.start))

    def list(self) -> None:
        """List the sweeps."""
        found = tuple(entry.name for entry in self.studio.library.entries() if entry.kind == "sweep") or (NONE,)
        if found != tuple(self.choice.options):
            self.choice.options = found
            self.choice.value = found[0]
            self.load()

    def path(self) -> Path:
        """Return the folder of the selected sweep."""
        if self.choice.value == NONE:
            raise Unsupported("this folder has no sweeps")
        return self.studio.library.sweep(self.choice.value)

    def load(self) -> None:
        """Offer the quantities of the selected sweep."""
        for handle in self.sliders.values():
            handle.remove()
        self.sliders, self.values, self.layout = {}, {}, None
        if self.choice.value == NONE:
            return
        self.layout = SweepLayout.read(self.path())
        names = tuple(self.layout.quantities) or ("-",)
        self.quantity.options, self.quantity.value = names, names[0]
        self.against.options = (MAP, *(f"front against {name}" for name in names))
        self.against.value = MAP
        with self.holder:
            self.add_sliders(self.layout)
        self.tell()

    def add_sliders(self, layout: SweepLayout) -> None:
        """Add a control for every swept field with its values; for a sample, the number of the cell."""
        gui: Any = self.studio.server.gui
        if layout.attributes["sampled"]:
            count = layout.grid.shape[0]
            found = {"cell": gui.add_slider("cell", 0, max(1, count - 1), 1, 0, hint=f"one of {count}")}
        else:
            found = {name: self.control_of(layout, name) for name in layout.swept}
        self.sliders = found
        for name, handle in found.items():
            handle.on_update(by_browser(partial(self.control_moved, name)))

    def control_of(self, layout: SweepLayout, name: str) -> Any:
        """Return a slider over the values of a swept field, or a dropdown if they are labels or not increasing."""
        gui: Any = self.studio.server.gui
        values, unit = self.values_of(layout, name), layout.array(name).attrs["units"]
        label, hint = f"{name} [{unit}]" if unit else name, f"one of {len(values)} values"
        self.values[name] = values
        if len(values) < 2 or isinstance(values[0], str) or not is_rising(values):
            return gui.add_dropdown(label, tuple(map(str, values)), hint=hint)
        step = 10.0 ** floor(log10(np.diff(values).min()) - 1.0)  # finer than the values; the nearest one counts
        return gui.add_slider(label, float(values[0]), float(values[-1]), step, float(values[0]), hint=hint)

    def values_of(self, layout: SweepLayout, name: str) -> Sequence[Any]:
        """Return the swept values of a field, in their order."""
        axis = layout.swept.index(name)
        require(layout.grid.shape[axis] <= MOST_STEPS, name, layout.grid.shape[axis], f"at most {MOST_STEPS} values")
        places = np.zeros((layout.grid.shape[axis], len(layout.grid.shape)), dtype=int)
        places[:, axis] = np.arange(len(places))
        return fields_at(layout, places)[name]

    def control_moved(self, name: str, _: Any) -> None:
        """Handle a control moved by a browser."""
        self.studio.post(self.moved, name)

    def moved(self, name: str) -> None:
        """Snap a moved control to the nearest value."""
        if name in self.values:
            self.put(name, self.values[name][self.place(name)])
        self.tell()

    def put(self, name: str, value: Any) -> None:
        """Show a value in the control of its field."""
        handle = self.sliders[name]
        handle.value = float(value) if hasattr(handle, "min") else str(value)

    def place(self, name: str) -> int:
        """Return the index of a control's value; for a sample, the cell."""
        shown, values = self.sliders[name].value, self.values.get(name)
        if values is None or isinstance(shown, str):
            return shown if values is None else list(map(str, values)).index(shown)
        return int(np.argmin(np.abs(np.asarray(values) - shown)))

    def fields(self) -> dict[str, Any]:
        """Return the swept values selected by the sliders."""
        if self.layout is None:
            raise Unsupported("this folder has no sweeps")
        places = [min(self.place(name), size - 1) for name, size in zip(self.sliders, self.layout.grid.shape)]
        return {name: values[0] for name, values in fields_at(self.layout, np.array([places])).items()}

    def tell(self) -> None:
        """Show the values of the selected cell."""
        shown = (f"{name} = {v:.4g}" if isinstance(v, float) else f"{name} = {v}" for name, v in self.fields().items())
        self.chosen.content = plain_text("Cell: " + ", ".join(shown))

    def draw(self) -> None:
        """Show the map in the scene instead of a run."""
        second = self.against.value.partition("front against ")[2]
        self.studio.clear_stage()
        self.map = SweepMap(self.path(), self.quantity.value, second)
        self.put_map(np.zeros(3), LYING, WIDE)
        self.studio.cameras.look(Camera(np.array([0.0, -0.01, ABOVE]), np.zeros(3)))
        where = "a point of the front" if second else "a cell of the map"
        self.studio.say(f"Click {where} to compute and play it.")

    def put_map(self, position: NDArray, turn: NDArray, width: float) -> None:
        """Show the map at a position [m] with a rotation and a width [m]."""
        assert self.map is not None
        self.pose = np.array([*position, *turn])
        self.width = width
        self.image = self.studio.server.scene.add_image(
            f"/map{next(MAPS)}", self.map.image, width, SLIM * width, format="png", cast_shadow=False,
            receive_shadow=False, wxyz=turn, position=position,
        )  # fmt: skip
        self.image.on_click(lambda event: self.studio.post(self.clicked, event))

    def stand(self) -> None:
        """Show the map upright behind the run of its cell."""
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
        """Remove the map from the scene."""
        if self.image is not None:
            self.image.remove()
            self.image = None

    def clicked(self, event: Any) -> None:
        """Select the cell under a click on the map."""
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
        """Select a cell by its values and play it."""
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
    """Return whether values are strictly increasing and finite."""
    return bool(np.isfinite(values).all() and (np.diff(values) > 0.0).all())

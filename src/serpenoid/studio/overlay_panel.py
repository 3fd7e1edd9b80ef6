"""Overlays on the robot: their selection and scale."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import Bodies, bodies_of, part_of
from serpenoid.errors import SerpenoidError
from serpenoid.robots.base import Robot
from serpenoid.robots.rotations import rotations
from serpenoid.studio.charts import Variables
from serpenoid.studio.overlays import (
    CHASSIS_LENGTH,
    HEADING,
    HEADING_LENGTH,
    chassis_poses,
    contact_arrows,
    horizon_of,
    ticks_before,
    torque_arrows,
)
from serpenoid.studio.painting import Paint
from serpenoid.studio.plain_text import plain_text
from serpenoid.studio.scene import TRACK, head_link, track_of
from serpenoid.studio.stage import Stage
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Colour

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

CONTACT: Colour = (176, 16, 60)
TORQUE: Colour = (44, 112, 20)
HEAD_PATH: Colour = (0, 121, 140)
PLAN: Colour = (141, 90, 151)
FORCES = ("touch_force", "contact_force", "object_force")
USUAL = 0.95  # fraction of forces or torques drawn up to a third of the robot's length; impacts are far larger
TRAIL = 600  # points of a live run's paths
TRAIL_FRAMES = 3  # frames between two updates: each sends the whole path


class OverlayPanel:
    """Arrows, lines and colours; each is one scene node that is updated while it is shown."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.contact = gui.add_checkbox("contact forces", False, hint="arrows at contacts or links, and at the object")
        self.torque = gui.add_checkbox("joint torques", False, hint="arrows along the axes of the joints")
        self.scale = gui.add_slider(
            "arrows [x]", 0.1, 10.0, 0.1, 1.0, hint="at 1, a typical force or torque spans up to 1/3 of the robot"
        )
        self.head = gui.add_checkbox("path of the head", False)
        self.center = gui.add_checkbox("path of the centre of mass", True)
        self.chassis = gui.add_checkbox(
            "virtual chassis",
            False,
            hint="principal axes of the links and the heading, if the shape has a main axis",
        )
        self.plan = gui.add_checkbox("planner's horizon", True, hint="path predicted by the planner")
        self.paint = Paint(studio)
        self.legend = gui.add_markdown("")
        self.handles: dict[str, Any] = {}
        self.bodies: Bodies | None = None
        self.robot: Robot | None = None
        self.greatest: dict[str, float] = {}
        self.trails: dict[str, deque[NDArray]] = {}
        shown = (self.contact, self.torque, self.scale, self.head, self.center, self.chassis, self.plan)
        for control in (*shown, self.paint.choice):
            control.on_update(lambda _: studio.post(studio.show_moment, True))

    def reset(self) -> None:
        """Reset the overlays for another scene."""
        for handle in self.handles.values():
            handle.remove()
        self.handles, self.greatest, self.bodies, self.robot = {}, {}, None, None
        self.paint.reset()
        self.trails = {name: deque(maxlen=TRAIL) for name in ("head", "center")}

    @property
    def stage(self) -> Stage | None:
        """Current stage."""
        return self.studio.stage

    def robot_of(self, run: Trajectory | None) -> Any:
        """Return the robot that is shown; looked up once per scene."""
        if self.robot is None:
            live = self.studio.live
            self.robot = live.parts.robot if live is not None else part_of(run, "robot")  # type: ignore[arg-type]
        return self.robot

    def bodies_for(self, run: Trajectory | None) -> Bodies | None:
        """Return the geometry of the robot's joints."""
        if self.bodies is None:
            try:
                self.bodies = bodies_of(self.robot_of(run))
            except SerpenoidError:
                return None
        return self.bodies

    def show(self, variables: Variables, sample: int, run: Trajectory | None = None) -> None:
        """Draw the selected overlays at a sample; `run` is None for a live run, which has only one sample."""
        poses = variables["link_pose"][1][min(sample, len(variables["link_pose"][1]) - 1)]
        force, moment = (self.length_of(variables, names) for names in (FORCES, ("joint_torque",)))
        self.draw_arrows("contact", self.contact.value, lambda: contact_arrows(variables, sample, force), CONTACT)
        bodies = self.bodies_for(run) if self.torque.value else None
        wanted = self.torque.value and bodies is not None
        self.draw_arrows("torque", wanted, lambda: torque_arrows(variables, sample, bodies, moment), TORQUE)  # type: ignore[arg-type]
        self.draw_paths(variables, poses, run)
        self.draw_chassis(poses, run)
        tick = int(ticks_before(run, run.times[sample])) if run is not None else 0
        self.draw_line("plan", self.plan.value, horizon_of(variables, tick) if self.plan.value else None, PLAN, 5.0)
        self.paint.show(variables, sample, tick, run is not None, self.robot_of(run))
        self.explain(force if self.contact.value else 0.0, moment if wanted else 0.0)

    def explain(self, force: float, moment: float) -> None:
        """Show the scale of arrows (length in m of one newton or newton metre, 0 for none) and the meaning of
        colours."""
        lengths = (("contact force", force, "N"), ("torque", moment, "N m"))
        words = [f"{name}: 0.1 m for {0.1 / length:.3g} {unit}" for name, length, unit in lengths if length > 0.0]
        text = "  \n".join(plain_text(line) for line in [*words, *filter(None, [self.paint.legend])])
        if text != self.legend.content:
            self.legend.content = text

    def draw_arrows(self, name: str, wanted: bool, points: Any, colour: Colour) -> None:
        """Draw or hide arrows."""
        found = points() if wanted else np.zeros((0, 2, 3))
        if not len(found):
            self.hide(name)
        elif name not in self.handles:
            size = 0.03 * self.size()
            self.handles[name] = self.studio.server.scene.add_arrows(
                f"/overlay/{name}",
                found,
                colour,
                shaft_radius=0.25 * size,
                head_radius=0.6 * size,
                head_length=1.2 * size,
            )
        else:
            self.handles[name].points = found.astype(np.float32)
            self.handles[name].visible = True

    def length_of(self, variables: Variables, names: tuple[str, ...]) -> float:
        """Return the drawn length of one newton or newton metre [m], scaled to typical values so far."""
        name = next((name for name in names if name in variables), "")
        if not name:
            return 0.0
        if name not in self.greatest or len(variables[name][1]) == 1:
            values = np.abs(variables[name][1])
            values = values[np.isfinite(values) & (values > 0.0)]
            now = float(np.quantile(values, USUAL)) if values.size else 0.0
            self.greatest[name] = max(now, self.greatest.get(name, 0.0))
        return float(self.scale.value) * self.size() / 3.0 / (self.greatest[name] or 1.0)

    def size(self) -> float:
        """Return the approximate length of the robot [m]."""
        places = self.stage.scene.positions[0] if self.stage else np.zeros((1, 3))
        return float(np.linalg.norm(np.ptp(places, axis=0))) or 0.1

    def draw_paths(self, variables: Variables, poses: NDArray, run: Trajectory | None) -> None:
        """Draw the paths of head and centre of mass: of the whole run, or the past of a live run."""
        if run is None and self.studio.frame % TRAIL_FRAMES:
            return
        if run is None:
            self.trails["head"].append(poses[0, :3].copy())
            if "center_of_mass" in variables:
                self.trails["center"].append(np.array(variables["center_of_mass"][1][0]))
            head, center = (np.array(self.trails[name]).reshape(-1, 3) for name in ("head", "center"))
        elif "head" in self.handles or "center" in self.handles or self.head.value or self.center.value:
            head, center = run["link_pose"][:, 0, :3][:: max(1, run.times.size // 500)], track_of(run)
        else:
            return
        self.draw_line("head", self.head.value, head, HEAD_PATH)
        self.draw_line("center", self.center.value, center, TRACK)

    def draw_line(self, name: str, wanted: bool, points: NDArray | None, colour: Colour, width: float = 2.0) -> None:
        """Draw or hide a line through points."""
        if not wanted or points is None or len(points) < 2:
            self.hide(name)
            return
        pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        if name not in self.handles:
            self.handles[name] = self.studio.server.scene.add_line_segments(
                f"/overlay/{name}", pieces, colour, thickness=width, thickness_units="screen"
            )
        else:
            self.handles[name].points = pieces
            self.handles[name].visible = True

    def draw_chassis(self, poses: NDArray, run: Trajectory | None) -> None:
        """Draw the virtual chassis as a frame and its heading as an arrow, if the shape has a main axis."""
        bodies = self.bodies_for(run) if self.chassis.value else None
        found = None if bodies is None else chassis_poses(poses[None], bodies, head_link(self.robot_of(run).link_names))
        if found is None or not found[1][0]:
            self.hide("chassis")
            self.hide("heading")
            return
        pose = found[0][0]
        if "chassis" not in self.handles:
            size = CHASSIS_LENGTH * self.size()
            self.handles["chassis"] = self.studio.server.scene.add_frame(
                "/overlay/chassis", axes_length=size, axes_radius=0.03 * size
            )
        handle = self.handles["chassis"]
        handle.position, handle.wxyz, handle.visible = pose[:3], pose[3:], True
        ahead = np.array([[pose[:3], pose[:3] + HEADING_LENGTH * self.size() * rotations(pose[3:])[:, 0]]])
        self.draw_arrows("heading", True, lambda: ahead, HEADING)

    def hide(self, name: str) -> None:
        """Hide an overlay."""
        if name in self.handles and self.handles[name].visible:
            self.handles[name].visible = False

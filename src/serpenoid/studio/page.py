"""The studio: one page with a scene, a played or live run, and its panels."""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any

import numpy as np

from serpenoid.errors import SerpenoidError
from serpenoid.plotting.overview import ending_of
from serpenoid.scenarios.base import Scenario
from serpenoid.studio.camera import Cameras
from serpenoid.studio.chart_panel import ChartPanel
from serpenoid.studio.chart_slot import Slot
from serpenoid.studio.charts import chartable
from serpenoid.studio.drive_panel import DrivePanel
from serpenoid.studio.film import camera_at
from serpenoid.studio.library import Library
from serpenoid.studio.live import Live
from serpenoid.studio.module_panel import ModulePanel
from serpenoid.studio.module_stream import TwinStream
from serpenoid.studio.open_panel import OpenPanel
from serpenoid.studio.overlay_panel import OverlayPanel
from serpenoid.studio.plain_text import plain_text
from serpenoid.studio.playback_panel import PlaybackPanel
from serpenoid.studio.playhead import Playhead
from serpenoid.studio.preview import Preview
from serpenoid.studio.run_panel import RunPanel
from serpenoid.studio.scene import CELLS, Camera, FloorGrid, SceneData, quick_scene, scene_of
from serpenoid.studio.server import close_server, open_server
from serpenoid.studio.stage import Stage, aim
from serpenoid.studio.sweep_panel import SweepPanel
from serpenoid.studio.work import BackgroundRun
from serpenoid.studio.world_objects import poses_at
from serpenoid.trajectory import Trajectory

FRAMES_PER_SECOND = 30.0
REDRAW = 4  # frames between two updates of charts and of the time slider
GHOST, GHOST_OPACITY = (60, 70, 110), 0.5
FAR_OFF = 3.0  # multiple of the robot view's distance beyond which a run is not shown whole at first
SQUARES = 200  # along a side of the floor of such a run
LEAST_FAR = 1000.0  # [m]
WIDE = 12.0  # size of a live run's floor over the initially visible part


class Studio:
    """Studio page. Callbacks put their work into one queue, which the studio's thread executes between two frames."""

    def __init__(self, folder: str = ".", host: str = "127.0.0.1", port: int = 8080):
        self.library = Library(folder)
        self.server = open_server(host, port)
        self.jobs: queue.Queue[Callable[[], Any]] = queue.Queue()
        self.playhead = Playhead()
        self.run: Trajectory | None = None
        self.other: Trajectory | None = None  # the ghost
        self.live: Live | None = None
        self.begun = False  # whether the live run is on the stage
        self.travels = False  # whether the played run travels so far that the floor must follow
        self.stage: Stage | None = None
        self.ghost: Stage | None = None
        self.frame = 0
        self.said = ""  # current message of the page
        self.stopped = threading.Event()
        self.cameras = Cameras(self.server)
        self.preview, self.work = Preview(self), BackgroundRun(self)
        self.furnish()
        self.thread = threading.Thread(target=self.go, daemon=True, name="studio")
        self.thread.start()

    def furnish(self) -> None:
        """Build the panels."""
        gui = self.server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 84, 102))
        gui.set_panel_label("serpenoid studio")
        gui.main_panel.dock_left()
        gui.main_panel.set_width(330)
        self.status = gui.add_markdown("Choose a scenario and run it, or open a saved run.")
        self.playback = PlaybackPanel(self)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Run"):
            self.runs = RunPanel(self)
        with tabs.add_tab("Drive"):
            self.drive = DrivePanel(self)
        with tabs.add_tab("HEBI"):
            self.modules = ModulePanel(self)
        with tabs.add_tab("Open"):
            self.files = OpenPanel(self)
        with tabs.add_tab("Sweep"):
            self.sweeps = SweepPanel(self)
        with tabs.add_tab("View"):
            self.overlays = OverlayPanel(self)
        self.charts = ChartPanel(self.server, self.chart_chosen)

    def chart_chosen(self, slot: Slot) -> None:
        """Show another variable in a chart."""
        self.post(self.charts.refresh, slot)

    @property
    def address(self) -> str:
        """URL of the page."""
        host = self.server.get_host()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server.get_port()}"

    def post(self, job: Callable[..., Any], *arguments: Any) -> None:
        """Execute something in the studio's thread."""
        self.jobs.put(lambda: job(*arguments))

    def say(self, text: str) -> None:
        """Show a message in the page; plain text."""
        self.said = text
        self.status.content = plain_text(text)

    def go(self) -> None:
        """Run the studio's thread: frames at a constant rate, and requests between them."""
        before = monotonic()
        while not self.stopped.is_set():
            start = monotonic()
            self.do_jobs()
            if not self.guarded(partial(self.turn, start - before)):
                self.playhead.playing = False  # a failed frame would fail again
            before = start
            sleep(max(0.002, 1.0 / FRAMES_PER_SECOND - (monotonic() - start)))

    def do_jobs(self) -> None:
        """Execute the pending requests."""
        for _ in range(self.jobs.qsize()):
            self.guarded(self.jobs.get())

    def guarded(self, job: Callable[[], Any]) -> bool:
        """Execute a job and return whether it succeeded; errors are shown in the page."""
        try:
            job()
            return True
        except SerpenoidError as error:
            self.say(str(error))
        except Exception as error:  # an internal error, or one of a user-defined class
            traceback.print_exc()
            self.say(f"{type(error).__name__}: {error}")
        return False

    def turn(self, elapsed: float) -> None:
        """Advance one frame."""
        self.frame += 1
        self.charts.settle()
        if self.live is not None:
            self.turn_live(self.live)
        elif self.playhead.advance(elapsed):
            self.show_moment()

    def turn_live(self, live: Live) -> None:
        """Advance a frame of a live run."""
        if live.latest is not None and not self.begun:
            self.begun = True
            self.set_start(live.trajectory())
            self.charts.load(None, chartable(live.variables()))
            if isinstance(live.stream, TwinStream):
                self.modules.begin(live.stream)
        elif self.begun and self.stage is not None and live.latest is not None:
            variables, time = live.variables(), live.latest.time
            poses = variables["link_pose"][1][0]
            with self.server.atomic():
                self.stage.show(poses)
                self.stage.carry(variables, time)
                self.overlays.show(variables, 0)
            self.stage.keep_floor_under(poses[:, :3].mean(axis=0))
            self.cameras.follow(poses[:, :3].mean(axis=0))
            robot = live.parts.robot
            labels = {"joint": robot.joint_names, "link": robot.link_names, "axis": ("x", "y", "z")}
            self.charts.roll(time, variables, labels, self.frame % REDRAW == 0)
            if self.frame % REDRAW == 0:
                self.playback.show_live(time)
                if isinstance(live.stream, TwinStream):
                    self.modules.show(live.stream)
        if not live.running:
            self.end_live()

    def show_moment(self, redraw: bool = False) -> None:
        """Show the run at the playhead."""
        if self.run is None or self.stage is None or self.live is not None:
            return
        time = self.playhead.time
        sample = int(np.searchsorted(self.run.times - self.run.times[0], time, side="right")) - 1
        poses = moment(self.run, time)
        with self.server.atomic():
            self.stage.show(poses, time)
            self.overlays.show(self.run.variables, max(0, sample), self.run)
            if self.ghost is not None and self.other is not None:
                self.ghost.show(moment(self.other, time))
        self.cameras.follow(poses[:, :3].mean(axis=0))
        if self.travels:
            self.stage.keep_floor_under(poses[:, :3].mean(axis=0))
        if redraw or self.frame % REDRAW == 0:
            self.charts.mark(time)
            self.playback.show_time()

    def set_stage(self, scene: SceneData, view: Camera | None = None) -> None:
        """Replace the scene, seen whole or from another camera at first."""
        self.empty_stage()
        self.stage = Stage(self.server, scene)
        self.stage.furnish(track=False)
        self.drive.listen(self.stage)
        view = view or scene.camera
        far = far_of(scene)
        aim(self.server, scene._replace(camera=view), far)
        self.cameras.look(view, scene.camera, robot_view(scene), far)

    def set_start(self, run: Trajectory) -> None:
        """Show a run that has just begun, on a floor large enough to move on."""
        scene = scene_of(run)
        width, depth = scene.floor.size
        floor = scene.floor._replace(size=(WIDE * width, WIDE * depth))
        self.set_stage(scene._replace(floor=floor, track=np.empty((0, 3)), camera=camera_at(scene, 0, True)))

    def clear_stage(self) -> None:
        """Clear the scene and end a live run; computed runs can be played again."""
        self.stop_live()
        self.empty_stage()
        self.say("The scene is empty. Runs that were computed here can be played again under Open.")

    def empty_stage(self) -> None:
        """Remove everything from the scene."""
        self.clear_ghost()
        self.preview.replaces = self.travels = False
        self.sweeps.hide()
        self.overlays.reset()
        self.charts.clear()
        self.playhead.load(0.0, playing=False)
        self.playback.load()
        self.run = None
        if self.stage is not None:
            self.stage.remove()
            self.stage = None

    def show_run(self, run: Trajectory, name: str, playing: bool = True, scene: SceneData | None = None) -> None:
        """Play a run; its scene may be given."""
        self.stop_live()
        scene = scene or quick_scene(run)
        near = robot_view(scene)
        travels = distance(scene.camera) > FAR_OFF * distance(near)
        self.set_stage(scene._replace(floor=near_floor(scene)) if travels else scene, near if travels else None)
        if travels:
            self.travels = self.playback.follow.value = True
        self.run = run
        self.playhead.load(run.duration, playing)
        self.playback.load()
        self.charts.load(run)
        self.show_moment(redraw=True)
        ending = ", ".join(["", *ending_of(run)])
        self.say(f"{name}: {run.times.size} samples over {run.duration:g} s{ending}{scene.note}")

    def take_run(self, run: Trajectory, name: str, then: Callable[[], Any] = lambda: None) -> None:
        """Keep a computed run and play it, unless a live run is in progress."""
        self.files.keep(run, name)
        if self.live is not None:
            self.say(f"{name} is complete: play it under Open")
            return
        self.show_run(run, name)
        then()

    def show_ghost(self, run: Trajectory, name: str, scene: SceneData) -> None:
        """Play a second run next to the first."""
        self.clear_ghost()
        pale = scene._replace(colours=[GHOST] * len(scene.colours))
        self.ghost, self.other = Stage(self.server, pale, "/ghost", GHOST_OPACITY), run
        self.charts.beside(run)
        self.show_moment(redraw=True)
        self.say(f"ghost: {name}")

    def clear_ghost(self) -> None:
        """Remove the ghost."""
        if self.ghost is not None:
            self.ghost.remove()
        self.ghost = self.other = None
        self.charts.beside(None)

    def start_live(self, scenario: Scenario, name: str = "run") -> None:
        """Run a scenario live until it is stopped; the scene changes with the first sample."""
        self.stop_live()
        self.begun = False
        self.runs.show(scenario)
        report, speed = partial(self.post, self.show_report), self.drive.chosen_speed()
        self.live = Live(scenario, report, speed, bool(self.modules.twin.value)).start()
        self.live.name = f"{name}, live"
        self.drive.begin(self.live)
        self.playback.load()
        self.playback.follow.value = True
        self.say("Live run: move sliders, press keys (see Drive), or click a link to push it.")

    def show_report(self, text: str) -> None:
        """Show a message of the live run: a refused request, or why it ended."""
        self.say(text)
        self.runs.show_live()

    def stop_live(self) -> Trajectory | None:
        """End the live run, if any, and keep its recording, which can be played under Open."""
        live, self.live = self.live, None
        if live is None:
            return None
        live.stop()
        self.modules.end()
        self.runs.show_other(None)
        self.playback.load()
        if live.stream is None or live.latest is None:
            return None
        run = live.trajectory()
        run.attributes["ended_by"] = live.failure or "stopped"
        self.files.keep(run, live.name)
        return run

    def end_live(self) -> None:
        """End the live run and play its recording; if it never began, show its scenario."""
        live, run = self.live, self.stop_live()
        if live is None:
            return
        if run is not None:
            self.show_run(run, live.name, playing=not live.failure)
        elif self.stage is None:
            self.preview.ask(self.runs.scenario)
        if live.failure:
            self.say(live.failure)

    def seen(self) -> Trajectory | None:
        """Return the run on the stage as a trajectory."""
        return self.live.trajectory() if self.live is not None and self.live.latest is not None else self.run

    def close(self) -> None:
        """Close the studio."""
        self.stopped.set()
        self.thread.join()
        self.stop_live()
        self.preview.close()
        close_server(self.server)


def distance(camera: Camera) -> float:
    """Return the distance from a camera to its target [m]."""
    return float(np.linalg.norm(camera.position - camera.target))


def robot_view(scene: SceneData) -> Camera:
    """Return a camera close to the robot at its start."""
    return camera_at(scene._replace(positions=scene.positions[:1]), 0, True)


def far_of(scene: SceneData) -> float:
    """Return the far plane of browsers [m], such that the whole scene is visible from everywhere around it."""
    return max(LEAST_FAR, 3.0 * (distance(scene.camera) + float(np.linalg.norm(scene.floor.size))))


def near_floor(scene: SceneData) -> FloorGrid:
    """Return a level floor with a grid scaled to the robot, at its start; a sloping one is unchanged."""
    floor, places = scene.floor, scene.positions[0]
    if floor.turn[0] != 1.0:
        return floor
    reach, middle = float(np.linalg.norm(np.ptp(places, axis=0))), places.mean(axis=0)
    cell = next((c for c in CELLS if c >= reach / 12.0), CELLS[-1])
    side, section = SQUARES * cell, 5.0 * cell
    center = np.array([*(section * np.round(middle[:2] / section)), floor.center[2]])
    label = np.array([middle[0], middle[1] - 0.7 * reach, floor.label[2]])
    return floor._replace(center=center, size=(side, side), cell=cell, label=label)


def moment(run: Trajectory, time: float) -> Any:
    """Return the poses (links, 7) of a run at a time since its first sample [s]."""
    return poses_at(run.times, run["link_pose"], np.array([run.times[0] + time]))[0]

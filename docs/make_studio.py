"""The pictures of docs/guides/studio.md: the page in headless Chromium, as a user sees it. Run from the root of the project.

python docs/make_studio.py [drive] [windows] [plan] [modules] [map]
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from serpenoid import configuration
from serpenoid.scenarios import find_scenario
from serpenoid.studio.driving import ACTIONS
from serpenoid.studio.page import Studio
from serpenoid.studio.server import free_port
from serpenoid.sweeps import sweep

PICTURES = Path(__file__).parent / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SIZE = {"width": 1280, "height": 800}
LONGEST = 300.0  # longest wait [s]


def wait(condition: Callable[[], Any]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the page does not respond")
        time.sleep(0.1)


def live(studio: Studio, page: Page, tab: str, name: str, seconds: float, **changes: Any) -> None:
    """Run a scenario live for some seconds of simulated time with a tab of the panel open."""
    page.get_by_role("tab", name=tab, exact=True).click()
    studio.post(studio.runs.choose, name)
    for field, value in changes.items():
        studio.post(studio.runs.moved, field, value)
    studio.post(studio.runs.start_live)
    wait(lambda: studio.live is not None and studio.live.latest is not None and studio.live.latest.time > seconds)


def drive(studio: Studio, page: Page) -> None:
    """Show sidewinding steered to the right."""
    live(studio, page, "Drive", "sidewinding", 4.0)
    for _ in range(3):
        studio.post(studio.drive.drive, ACTIONS[1])
    wait(lambda: studio.live is not None and studio.live.latest.time > 9.0)  # type: ignore[union-attr]


def windows(studio: Studio, page: Page) -> None:
    """Show the windows of compliance among pegs."""
    studio.overlays.chassis.value = True
    live(studio, page, "View", "slither-pegs", 6.0, controller="slithering_aw")
    studio.overlays.paint.choice.value = "edge_half_wave"


def plan(studio: Studio, page: Page) -> None:
    """Show a planner with its horizon."""
    live(studio, page, "View", "mpc", 1.5)


def modules(studio: Studio, page: Page) -> None:
    """Show emulated modules, one of them commanded by hand."""
    studio.modules.twin.value = True
    live(studio, page, "HEBI", "slithering", 3.0)
    wait(lambda: "SA007" in studio.modules.table.content)
    studio.modules.choice.value, studio.modules.angle.value = "SA007", 0.6
    studio.post(studio.modules.command, True)
    page.get_by_text("Gains of this module").scroll_into_view_if_needed()  # it stands below the table
    wait(lambda: studio.live is not None and studio.live.latest.time > 7.0)  # type: ignore[union-attr]


def map_(studio: Studio, page: Page) -> None:
    """Show a sweep whose cells can be played."""
    short = configuration.changed(find_scenario("slither")(), {"duration": 3.0, "settle": 1.0})
    over = {"gait.frequency": "0.5:2.5:8", "gait.amplitude": "0.2:1.0:7"}
    sweep(short, over, studio.library.folder / "swept.zarr")
    page.get_by_role("tab", name="Sweep", exact=True).click()
    studio.post(studio.sweeps.list)
    studio.post(studio.sweeps.draw)
    wait(lambda: studio.sweeps.image is not None)


def picture(name: str, act: Callable[[Studio, Page], None]) -> None:
    """Open a page and save its screenshot with few colours."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        studio = Studio(folder, port=free_port())
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(1000.0 * LONGEST)
        page.goto(studio.address)
        wait(lambda: studio.stage is not None)
        page.locator(".mantine-Notification-closeButton").click()  # it says that software draws
        act(studio, page)
        page.wait_for_timeout(3000)
        if studio.live is not None:
            studio.live.paused = True
        page.wait_for_timeout(3000)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        shot.quantize(200).save(PICTURES / f"studio-{name}.png", optimize=True)
        browser.close()
        studio.close()


if __name__ == "__main__":
    known = {"drive": drive, "windows": windows, "plan": plan, "modules": modules, "map": map_}
    for wanted in sys.argv[1:] or known:
        picture(wanted, known[wanted])
        print(f"studio-{wanted}.png")

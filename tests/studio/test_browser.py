"""The studio in a real browser: it loads, runs, plays, is driven, opens files, and its exports play from disk."""

import numpy as np
import pytest
from browser import browser_page, head_pixels, needs_browser, picture
from studio_tools import open_studio, settled, until

from serpenoid import configuration
from serpenoid.scenarios import find_scenario
from serpenoid.studio import export_html
from serpenoid.sweeps import sweep

pytestmark = needs_browser()
SHORT = configuration.changed(find_scenario("slither")(), {"duration": 2.0, "settle": 0.5})

# The greatest joint angle among the last points of the first chart.
WIDEST = """() => Math.max(...Object.values(window.__viserTestpoints.uplots)[0].chart.data.slice(1)
    .flatMap(line => [...line].slice(-20).map(Math.abs)))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("browser")
    SHORT.run().save(place / "saved.zarr")
    return place


def shows_a_head(page):
    return until(lambda: len(head_pixels(picture(page))) > 30, 90.0)


@pytest.mark.full
def test_the_page_runs_a_scenario_and_is_driven(folder):
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        page.get_by_role("button", name="Run live").click()
        assert until(lambda: studio.stage is not None, 90.0) and shows_a_head(page)
        row = page.locator("label", has_text="amplitude [rad]").first.locator("xpath=ancestor::div[2]")
        row.locator("input").last.fill("0.2")
        row.locator("input").last.press("Enter")
        assert until(lambda: studio.live.controller.amplitude == 0.2, 60.0)
        assert until(lambda: 0.1 < page.evaluate(WIDEST) < 0.4, 60.0)  # it was 0.8 rad
        before = studio.live.controller
        page.mouse.click(640, 780)  # keys go to the page, not to the field
        for key in "iju":
            page.keyboard.press(key)
        assert until(lambda: studio.live.controller.amplitude > before.amplitude, 60.0)
        now = studio.live.controller
        assert now.frequency > before.frequency and now.offset < before.offset
        studio.post(studio.end_live)
        assert settled(studio)
        assert page.mistakes == []


def test_a_saved_run_opens_plays_and_is_scrubbed(folder):
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        page.get_by_role("tab", name="Open").click()
        page.get_by_role("button", name="Open", exact=True).click()
        assert until(lambda: studio.run is not None, 60.0) and shows_a_head(page)
        first = head_pixels(picture(page)).mean(axis=0)
        assert until(lambda: np.abs(head_pixels(picture(page)).mean(axis=0) - first).max() > 3.0, 60.0)  # it moves
        page.get_by_role("button", name="Pause / play").click()
        assert until(lambda: not studio.playhead.playing)
        page.get_by_role("button", name="|<").click()
        assert until(lambda: studio.playhead.time == 0.0)
        shown = "Object.values(window.__viserTestpoints.uplots).map(u => u.chart.data.length)"
        assert page.evaluate(shown)[0] >= 6  # time, four joints, the playhead
        assert page.mistakes == []


@pytest.mark.full
def test_the_exported_page_plays_from_disk(folder):
    place = export_html(SHORT.run(), folder / "page.html")
    with browser_page(place.as_uri(), (800, 600)) as page:
        assert shows_a_head(page)
        first = picture(page)
        assert until(lambda: np.abs(picture(page) - first).max() > 60, 60.0)
        assert page.mistakes == []


@pytest.mark.full
def test_a_cell_of_a_map_is_picked_by_a_click(folder):
    sweep(SHORT, {"gait.frequency": "1:2:3", "gait.amplitude": "0.4:0.8:2"}, folder / "swept.zarr")
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        page.get_by_role("tab", name="Sweep").click()
        page.get_by_role("button", name="Show").click()
        assert until(lambda: studio.sweeps.image is not None, 60.0)
        page.wait_for_timeout(3000)
        box = page.locator("canvas").first.bounding_box()
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        assert until(lambda: studio.run is not None, 60.0)
        assert studio.run.configuration["controller"]["frequency"] in (1.0, 1.5, 2.0)
        assert page.mistakes == []

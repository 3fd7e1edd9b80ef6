"""The studio in a real browser: loading, running, playback, steering, files, and exports played from disk."""

import numpy as np
import pytest
from browser import browser_page, head_pixels, needs_browser, picture
from studio_tools import open_studio, pretend_notebook, until

from serpenoid import configuration
from serpenoid.control import ShapeCompliance
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.studio import export_html, show
from serpenoid.sweeps import sweep

pytestmark = needs_browser()
WAIT = 120.0  # longest wait while other tests run [s]
SHORT = configuration.changed(find_scenario("slither")(), {"duration": 2.0, "settle": 0.5})

# The largest joint angle among the last points of the first chart.
WIDEST = """(() => Math.max(0, ...(Object.values(window.__viserTestpoints?.uplots ?? {})[0]?.chart.data.slice(1) ?? [])
    .flatMap(line => [...line].slice(-20).map(Math.abs))))()"""

ENDS = "(x => [x.min, x.max])(Object.values(window.__viserTestpoints.uplots)[0].chart.scales.x)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("browser")
    SHORT.run().save(place / "saved.zarr")
    return place


def shows_a_head(page):
    return until(lambda: len(head_pixels(picture(page))) > 30, WAIT)


def first_thing(studio):
    """Return the name of the first object on the stage."""
    return studio.stage.scene.things[0].name if studio.stage is not None and studio.stage.scene.things else ""


def warm_share(shot):
    """Return the fraction of the scene's lower half, between the panels, with a warm tint."""
    scene = shot[500:, 360:900]
    return (scene[..., 0] - scene[..., 2] > 10).mean()


def type_into(page, label, words):
    """Set a field of the page by keyboard."""
    row = page.locator("label", has_text=label).first.locator("xpath=ancestor::div[2]")
    row.locator("input").last.fill(words)
    row.locator("input").last.press("Enter")


@pytest.mark.full
def test_the_page_runs_a_scenario_and_is_driven(folder):
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        type_into(page, "search", "serpenoid wave")
        assert until(lambda: 0 < len(studio.runs.choice.options) < len(SCENARIOS), WAIT)
        assert "slither" in studio.runs.choice.options
        page.get_by_role("button", name="Run live").click()
        assert until(lambda: studio.live is not None and studio.stage is not None, WAIT) and shows_a_head(page)
        assert until(lambda: page.evaluate(WIDEST) > 0.5, WAIT)  # the amplitude is 0.8 rad
        assert page.evaluate(ENDS) == [-10.0, 0.0]  # its time span, independent of the previous charts
        type_into(page, "amplitude [rad]", "0.2")
        assert until(lambda: studio.live.controller.amplitude == 0.2, WAIT)
        assert until(lambda: 0.1 < page.evaluate(WIDEST) < 0.4, WAIT)
        before = studio.live.controller
        page.evaluate("() => document.activeElement.blur()")  # keys must reach the page, not the field
        for key, field, way in (("i", "frequency", 1), ("u", "amplitude", 1), ("j", "offset", -1)):
            page.keyboard.press(key)
            assert until(lambda f=field, w=way: w * (getattr(studio.live.controller, f) - getattr(before, f)) > 0, WAIT)
        first = picture(page)
        assert until(lambda: np.abs(picture(page)[160:, 340:930] - first[160:, 340:930]).max() > 60, WAIT)
        studio.live.paused = True  # a click on the drawn head pushes it
        page.wait_for_timeout(3000)
        down, across = np.median(head_pixels(picture(page)), axis=0)
        page.mouse.click(340 + across, 160 + down)
        assert until(lambda: "link 0" in studio.said, WAIT), studio.said
        page.get_by_role("button", name="Stop").click()
        assert until(lambda: studio.live is None and studio.run is not None, WAIT)
        assert page.mistakes == []


def test_a_saved_run_opens_plays_and_is_scrubbed(folder):
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        page.get_by_role("tab", name="Open").click()
        page.get_by_role("button", name="Open", exact=True).click()
        assert until(lambda: studio.run is not None, WAIT) and shows_a_head(page)
        first = head_pixels(picture(page)).mean(axis=0)
        assert until(lambda: np.abs(head_pixels(picture(page)).mean(axis=0) - first).max() > 3.0, WAIT)  # it moves
        page.get_by_role("button", name="Pause / play").click()
        assert until(lambda: not studio.playhead.playing)
        page.get_by_role("button", name="|<").click()
        assert until(lambda: studio.playhead.time == 0.0)
        type_into(page, "time [s]", "1.5")
        assert until(lambda: abs(studio.playhead.time - 1.5) < 1e-6, WAIT)
        place = np.interp(1.5, studio.run.times, studio.run["link_pose"][:, 0, 0])
        assert studio.stage.links[0].position[0] == pytest.approx(place, abs=1e-3)
        shown = "Object.values(window.__viserTestpoints.uplots).map(u => u.chart.data.length)"
        assert page.evaluate(shown)[0] >= 6  # time, four joints, the playhead
        assert page.mistakes == []


@pytest.mark.full
def test_the_exported_page_plays_is_scrubbed_and_follows(folder):
    place = export_html(SHORT.run(), folder / "page.html")
    with browser_page(place.as_uri(), (800, 600)) as page:
        assert shows_a_head(page)
        first = page.evaluate("player.time")
        assert until(lambda: page.evaluate("player.time") > first, WAIT)
        page.keyboard.press("Space")
        assert page.wait_for_function("play.textContent === 'Play'")
        page.evaluate("slider.value = 0; slider.dispatchEvent(new Event('input', {bubbles: true}))")
        page.wait_for_function("time.textContent === '0.00 s of 2 s'")
        before = picture(page)[50:500]
        page.evaluate("slider.value = 2; slider.dispatchEvent(new Event('input', {bubbles: true}))")
        page.wait_for_function("time.textContent === '2.00 s of 2 s'")
        moved = head_pixels(picture(page)[50:500]).mean(axis=0) - head_pixels(before).mean(axis=0)
        assert np.abs(moved).max() > 20.0
        page.locator("#follow").click()
        page.wait_for_function("Math.hypot(...player.camera.target.map((x, i) => x - player.center[i])) < 1e-6")
        page.evaluate("slider.value = 1; slider.dispatchEvent(new Event('input', {bubbles: true}))")
        page.wait_for_function("time.textContent === '1.00 s of 2 s'")
        assert page.evaluate("Math.hypot(...player.camera.target.map((x, i) => x - player.center[i]))") < 1e-6
        assert page.mistakes == []


@pytest.mark.full
def test_the_exported_page_shows_windows_chassis_and_heading(folder):
    law = ShapeCompliance.presets()["sidewinding_ac_sfc"]()
    run = configuration.changed(find_scenario("sidewind-pegs")(), {"duration": 3.0, "controller": law}).run()
    place = export_html(run, folder / "compliant.html")
    with browser_page(place.as_uri(), (800, 600)) as page:
        assert shows_a_head(page)
        page.keyboard.press("Space")
        page.evaluate("slider.value = 3; slider.dispatchEvent(new Event('input', {bubbles: true}))")
        page.wait_for_function("time.textContent === '3.00 s of 3 s'")
        for switch in ("#windows", "#chassis"):
            shown = picture(page)[50:500]
            page.locator(switch).click()
            assert until(lambda s=shown: (np.abs(picture(page)[50:500] - s).max(axis=2) > 60).sum() > 20, WAIT)
        assert page.mistakes == []


@pytest.mark.full
def test_rough_ground_is_seen_right_after_pegs(folder):
    """Check two stages at once; a page drew neither when both had one name (regression)."""
    scenario, pegs = find_scenario("sidewinding")(), find_scenario("slither-pegs")()
    rough = configuration.changed(scenario, {"world": "terrain"})
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        for chosen, word in ((pegs, "peg"), (rough, "ground")) * 2:
            studio.post(studio.runs.set_scenario, chosen)
            assert until(lambda w=word: first_thing(studio) == f"{w}/0", WAIT) and shows_a_head(page)
            assert until(lambda w=word: (warm_share(picture(page)) > 0.8) == (w == "ground"), WAIT)
        assert page.mistakes == []


@pytest.mark.full
def test_a_notebooks_cell_plays(folder, monkeypatch):
    pretend_notebook(monkeypatch)
    (folder / "cell.html").write_text(show(SHORT.run(), height=500))
    with browser_page((folder / "cell.html").as_uri(), (800, 600), ready="iframe") as page:
        assert shows_a_head(page)
        first = picture(page)
        assert until(lambda: np.abs(picture(page) - first).max() > 60, WAIT) and page.mistakes == []


@pytest.mark.full
def test_a_cell_of_a_map_is_picked_by_a_click(folder):
    sweep(SHORT, {"gait.frequency": "1:2:3", "gait.amplitude": "0.4:0.8:2"}, folder / "swept.zarr")
    with open_studio(folder) as studio, browser_page(studio.address) as page:
        page.get_by_role("tab", name="Sweep").click()
        page.get_by_role("button", name="Show").click()
        assert until(lambda: studio.sweeps.image is not None, WAIT)
        # The map is drawn when the centre of the scene is no longer white.
        assert until(lambda: np.ptp(picture(page)[300:500, 540:740]) > 60, WAIT)
        box = page.locator("canvas").first.bounding_box()
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        assert until(lambda: studio.run is not None, WAIT)
        first = studio.run
        assert first.configuration["controller"]["frequency"] in (1.0, 1.5, 2.0)
        page.wait_for_timeout(3000)  # until the map is behind the run, where it also accepts clicks
        page.mouse.click(box["x"] + 0.55 * box["width"], box["y"] + 0.4 * box["height"])
        assert until(lambda: studio.run not in (None, first), WAIT)
        assert page.mistakes == []

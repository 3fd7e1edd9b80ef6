"""Headless Debian chromium, driven by playwright; without it, browser tests are skipped with a message."""

from __future__ import annotations

import contextlib
import shutil

import numpy as np
import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
PATIENCE = 90_000  # a software renderer is slow while other tests run [ms]


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def needs_browser():
    """Return the mark of a browser test."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return pytest.mark.skip(reason="playwright is not installed: no test of the page in a browser")
    return pytest.mark.skipif(chromium() is None, reason="chromium is not installed: no test of the page in a browser")


@contextlib.contextmanager
def browser_page(address, size=(1280, 800), ready="canvas"):
    """Open a page and wait until it is drawn; `page.mistakes` collects console errors."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.set_default_timeout(PATIENCE)
        page.mistakes = []
        page.on("console", lambda message: page.mistakes.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.mistakes.append(str(error)))
        page.goto(address)
        page.wait_for_selector(ready)
        try:
            yield page
        finally:
            browser.close()


def picture(page):
    """Return a screenshot (height, width, 3)."""
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=PATIENCE))).convert("RGB")).astype(int)


def head_pixels(shot):
    """Return the pixels (pixels, 2) of the scene, between the panels, with the colour of a head."""
    scene = shot[160:, 340:930] if shot.shape[1] == 1280 else shot
    red, green, blue = scene[..., 0], scene[..., 1], scene[..., 2]
    return np.argwhere((red > 110) & (red > 2 * green) & (red > 1.6 * blue))

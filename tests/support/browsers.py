"""The system's Chromium, driven by Playwright. Tests that need it are skipped where it is not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A headless browser without any pages."""
    if CHROMIUM is None:
        pytest.skip("There is no Chromium on this machine: `apt-get install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()

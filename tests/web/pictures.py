"""Take the pictures of the pages in README.md and docs/web.md: `make pictures`.

The demo's organization is shown as of one fixed moment, so that pictures change with the pages.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from stationmaster.web.frame.menu import MENU
from tests.support import processes
from tests.support.browsers import running_browser
from tests.web.small_png import small

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "images" / "pages"
NOW = "2026-11-20T15:00:00+00:00"
"""A Friday afternoon."""
WIDTH, HEIGHT = 1280, 760
HEIGHTS = {"overview": 1020}
BEHIND = (
    ("person", "/people", 'main th a[href^="/people/"]'),
    ("team", "/teams", 'main th a[href^="/teams/"]'),
    ("session", "/sessions", 'main a[href^="/sessions/"]'),
    ("computer", "/computers", 'main th a[href^="/computers/"]'),
)
"""Pages that are reached from others: the picture's name, where the link is, and the link."""


REPOSITORY = 'main a[href^="/repositories/"]:has-text("shop-api")'
OF_REPOSITORY = ("readiness", "ci", "wiki", "cost")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = str(processes.free_port())
        demo = subprocess.Popen(
            [sys.executable, "examples/demo.py", "--data-dir", f"{folder}/data", "--port", port],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "STATIONMASTER_NOW": NOW},
        )
        try:
            assert demo.stdout is not None
            link = next(line.split()[1] for line in demo.stdout if line.startswith("Open "))
            take(link)
        finally:
            demo.send_signal(signal.SIGTERM)
            demo.wait()


def take(link: str) -> None:
    """Sign in by a link and picture every page of the menu and those behind them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    base = link.partition("/sign-in/")[0]
    with running_browser() as browser:
        context = browser.new_context(
            base_url=base, viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
        )
        blank, tab = context.new_page(), context.new_page()
        tab.goto(link)
        for _, entries in MENU:
            for entry in entries:
                _picture(tab, blank, name_of(entry.path), entry.path)
        for name, path, selector in BEHIND:
            tab.goto(path)
            links = tab.locator(selector)
            # A page that this version does not have, or that nothing leads to.
            if links.count():
                _picture(tab, blank, name, links.first.get_attribute("href") or path)
        tab.goto("/repositories")
        steps = (tab.locator(REPOSITORY).first.get_attribute("href") or "").split("/")
        for name in OF_REPOSITORY:
            _picture(tab, blank, name, "/".join([*steps[:3], name]))


def name_of(path: str) -> str:
    """The picture of a page of the menu."""
    return path.removeprefix("/").replace("/", "-") or "overview"


def _picture(tab: Page, blank: Page, name: str, path: str) -> None:
    tab.set_viewport_size({"width": WIDTH, "height": HEIGHTS.get(name, HEIGHT)})
    tab.goto(path)
    picture = small(tab.screenshot(), blank)
    (FOLDER / f"{name}.png").write_bytes(picture)
    sys.stdout.write(f"{name}.png  {len(picture):,}\n")


if __name__ == "__main__":
    main()

"""Every page of the menu and of the routes, on a filled installation, in a real browser.

The list of pages comes from the menu, the routes and the links on pages; a new page is tested
without being named here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.support import npm
from tests.support.browsers import running_browser
from tests.web import filled, page_list
from tests.web.conftest import PASSWORD
from tests.web.filled import MARK, Filled

pytestmark = pytest.mark.slow

WIDTHS = (360, 1920)
LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    *((360, "light"), (360, "dark")),
    *((1920, "dark"), (1920, "light")),
)
"""Widths and themes; every other one is of both widths and both themes."""
BETWEEN = 1024
"""Where the menu stands beside tables that have little room."""
CHECKS = (Path(__file__).parent / "page_checks.js").read_text()
TEXTS = ("/reference", "/wiki", "/repositories/{repo_id}/files")
_CSV = re.compile(r'href="([^"]*csv=[^"]*)"')
_CALL = re.compile(r'id="[^"]*-call">curl -H "Authorization: Bearer \$KEY" \S\s+"([^"]*)"')
UNLINKED = {
    "/join/{token}": "opened by a link outside of the application",
    "/sign-in/{token}": "opened by a link outside of the application",
}
"""Routes that show no page which links lead to, with the reason."""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    with filled.filled(tmp_path_factory.mktemp("pages")) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def axe() -> str:
    return (npm.modules("axe", "axe-core@4") / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def found(installation: Filled) -> page_list.Found:
    with installation.office.visitor(filled.OWNER) as client:
        return page_list.find(client)


@pytest.fixture(scope="module")
def pages(found: page_list.Found) -> dict[str, str]:
    """The address of a page by its route, and one that does not exist."""
    return {**found.pages, "": "/no-such-page"}


@pytest.fixture(scope="module")
def tab(installation: Filled, browser: Browser) -> Iterator[Page]:
    """A tab of the owner; what a page logs as an error of its policy or script is collected."""
    context = browser.new_context(base_url=installation.server.url)
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill(filled.OWNER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    yield page
    context.close()


def test_every_route_is_reached_by_links(found: page_list.Found) -> None:
    reached = {*found.pages, *found.others, *UNLINKED}

    assert set(page_list.patterns()) - reached == set()


def test_every_table_is_offered_as_csv_and_with_the_call_that_answers_the_same(
    installation: Filled, found: page_list.Found
) -> None:
    """Each link and each call on a page is followed; texts of repositories and the description of
    the API are no tables of figures."""
    faults: list[str] = []
    with (
        installation.office.visitor(filled.OWNER) as client,
        installation.server.client(installation.key) as api,
    ):
        for pattern, path in found.pages.items():
            if pattern.startswith(TEXTS):
                continue
            html = client.get(path).text
            tables = len(re.findall(r"<table", html)) - len(re.findall(r"Numbers: ", html))
            offered = [unescape(link) for link in _CSV.findall(html)]
            if tables > len(set(offered)):
                faults.append(f"{path}: {tables} tables, {offered}")
            for link in set(offered):
                answer = client.get(link)
                if not answer.headers["content-type"].startswith("text/csv"):
                    faults.append(f"{link}: {answer.status_code}")
            for call in {unescape(call) for call in _CALL.findall(html)}:
                answer = api.get(call)
                if answer.status_code != 200:
                    faults.append(f"{path}: {call} {answer.status_code} {answer.text[:200]}")

    assert not faults, "\n".join(faults)


def test_every_page_can_be_used_by_everybody(tab: Page, pages: dict[str, str], axe: str) -> None:
    """axe-core finds nothing in either theme, narrow and wide: each page is tried in both themes
    and at both widths, every other page in those pairs of them that the page before it was not.
    The frame of all pages, which has more elements than most of them, is tried in all on one."""
    faults: list[str] = []
    for number, path in enumerate(pages.values()):
        for place, (width, scheme) in enumerate(LOOKS if number == 0 else LOOKS[number % 2 :: 2]):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 900})
            if place == 0:
                tab.goto(path)
                tab.evaluate(axe)
                tab.evaluate(CHECKS)
            part = None if number == 0 or place == 0 else "main"
            faults += [
                f"{path} {width} {scheme}: {fault}"
                for fault in tab.evaluate("part => violations(part)", part)
            ]

    assert not faults, "\n".join(faults)


def test_nothing_is_cut_off_and_no_page_scrolls_sideways(tab: Page, pages: dict[str, str]) -> None:
    faults: list[str] = []
    for path in pages.values():
        tab.set_viewport_size({"width": WIDTHS[0], "height": 900})
        tab.goto(path)
        tab.evaluate(CHECKS)
        for width in (*WIDTHS, BETWEEN):
            tab.set_viewport_size({"width": width, "height": 900})
            faults += [f"{path} {width}: {fault}" for fault in tab.evaluate("() => cutOff()")]

    assert not faults, "\n".join(faults)


def test_names_of_others_are_text_on_every_page(tab: Page, found: page_list.Found) -> None:
    said: list[str] = []
    tab.on("pageerror", lambda fault: said.append(str(fault)))
    tab.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    marked, shown = [], []
    for path in found.pages.values():
        tab.goto(path)
        if tab.locator(f".{MARK}").count():
            marked.append(path)
        if MARK in tab.content():
            shown.append(path)

    assert marked == []
    assert len(shown) > len(found.pages) / 4, "the names are on many pages, as text"
    assert said == []


def test_every_page_answers_all_roles_without_a_fault(
    installation: Filled, pages: dict[str, str]
) -> None:
    """A member, who may open few of them, gets a page that says so, and no page of others."""
    with installation.office.visitor(filled.MEMBER) as member:
        statuses = {path: member.get(path).status_code for path in pages.values()}

    assert {
        path for path, status in statuses.items() if status not in (200, 303, 403, 404)
    } == set()


def test_a_person_and_the_csv_are_reached_without_script(
    installation: Filled, browser: Browser
) -> None:
    context = browser.new_context(base_url=installation.server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/people")
    page.get_by_label("E-mail").fill(filled.OWNER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/people")

    page.locator('select[name="range"]').select_option("7d")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**range=7d*")
    csv = page.locator('main a[href*="csv"]').first.get_attribute("href") or ""
    answer = context.request.get(csv)
    assert answer.headers["content-type"].startswith("text/csv")
    page.locator('main th a[href^="/people/"]').first.click()
    page.wait_for_url("**/people/*")
    assert page.get_by_role("heading", level=1).count() == 1
    context.close()


def test_figures_a_person_and_a_form_are_reached_by_keyboard_alone(
    installation: Filled, browser: Browser
) -> None:
    context = browser.new_context(base_url=installation.server.url)
    page = context.new_page()
    page.goto("/people")
    focus(page, "#email")
    page.keyboard.type(filled.OWNER)
    focus(page, "#password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="People").wait_for()

    focus(page, 'select[name="range"]')
    page.keyboard.press("ArrowUp")
    page.wait_for_url("**range=7d*")
    focus(page, "main details summary")
    page.keyboard.press("Enter")
    assert page.locator("main details[open]").count() == 1
    focus(page, 'main th a[href^="/people/"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/people/*")
    focus(page, 'nav a[href="/connect"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/connect")
    focus(page, "main form button")
    page.keyboard.press("Enter")
    page.get_by_text("shown only once").wait_for()
    context.close()


def focus(page: Page, selector: str) -> None:
    """Press Tab until an element that fits is focused."""
    for _ in range(400):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never leads to {selector}")

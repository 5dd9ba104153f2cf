"""Pages of figures in a real browser: filters, tips, copying, the back button; without script."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.web.conftest import PASSWORD, Office
from tests.web.worked import work


def _open(tab: Page, email: str, path: str) -> None:
    tab.goto(path)
    tab.get_by_label("E-mail").fill(email)
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.get_by_role("heading", level=1)).to_be_visible()


def test_a_filter_is_applied_at_once_and_the_back_button_takes_it_back(
    office: Office, owner: str, tab: Page
) -> None:
    work(office)
    _open(tab, owner, "/spend")
    tab.evaluate("window.isTheSamePage = true")
    tab.locator("select[name=agent]").focus()
    tab.locator("select[name=agent]").select_option("codex")
    expect(tab).to_have_url(re.compile(r"/spend\?range=30d&agent=codex$"))
    expect(tab.locator("#by-agent").get_by_role("link", name="Claude Code")).to_have_count(0)
    expect(tab.locator("select[name=agent]")).to_be_focused()
    assert tab.evaluate("window.isTheSamePage")

    tab.go_back()
    expect(tab.locator("#by-agent").get_by_role("link", name="Claude Code")).to_be_visible()
    expect(tab.locator("select[name=agent]")).to_have_value("")


def test_a_chart_shows_the_numbers_of_the_day_under_the_pointer(
    office: Office, owner: str, tab: Page
) -> None:
    work(office)
    _open(tab, owner, "/spend?range=7d")
    tab.locator("#by-day .plot").hover()

    expect(tab.locator("#by-day .tip")).to_contain_text("Claude Code: ")


def test_the_api_call_is_copied(office: Office, owner: str, tab: Page) -> None:
    work(office)
    _open(tab, owner, "/spend")
    tab.locator("#by-agent").get_by_text("The API call").click()
    tab.locator("#by-agent").get_by_role("button", name="Copy").click()
    expect(tab.locator("#by-agent").get_by_text("Copied.")).to_be_visible()

    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.startswith('curl -H "Authorization: Bearer $KEY"')
    assert "/api/platform/v1/analytics/spend?" in copied


def test_filters_work_without_script(office: Office, owner: str, browser: Browser) -> None:
    work(office)
    context = browser.new_context(base_url=office.server.url, java_script_enabled=False)
    tab = context.new_page()
    _open(tab, owner, "/spend")
    tab.locator("select[name=range]").select_option("dates")
    tab.get_by_role("button", name="Apply").click()
    expect(tab.get_by_label("From", exact=True)).to_be_visible()
    tab.locator("select[name=team]").select_option("Data")
    tab.get_by_role("button", name="Apply").click()

    expect(tab).to_have_url(re.compile(r"range=dates&from=.*team=Data"))
    expect(tab.locator("#by-agent").get_by_role("link", name="codex")).to_be_visible()
    expect(tab.locator("#by-agent").get_by_role("link", name="Claude Code")).to_have_count(0)
    context.close()

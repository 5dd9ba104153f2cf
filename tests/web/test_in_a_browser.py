"""What a person does in a real browser: with the mouse, the keyboard alone, or without script."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.builders import a_service_account
from tests.support.patience import PATIENCE_S
from tests.web.conftest import PASSWORD, Office


def _sign_in(tab: Page, email: str) -> None:
    tab.goto("/settings/api-keys")
    tab.get_by_label("E-mail").fill(email)
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.get_by_role("heading", name="API keys")).to_be_visible()


def test_a_key_is_made_copied_used_and_revoked(office: Office, owner: str, tab: Page) -> None:
    _sign_in(tab, owner)
    tab.get_by_label("Name").fill("laptop")
    tab.get_by_label("Scope").select_option("ingest")
    tab.get_by_role("button", name="Create key").click()

    shown = tab.get_by_label("Your new key “laptop”").get_by_role("textbox").input_value()
    tab.get_by_role("button", name="Copy").click()
    expect(tab.get_by_text("Copied.")).to_be_visible()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == shown
    me = f"{office.server.url}/api/platform/v1/me"
    bearer = {"Authorization": f"Bearer {shown}"}
    assert httpx.get(me, headers=bearer, timeout=PATIENCE_S).json()["scope"] == "ingest"

    tab.goto("/settings/api-keys")
    expect(tab.get_by_text(shown)).to_have_count(0)
    tab.get_by_role("link", name="Revoke laptop").click()
    expect(tab.get_by_role("heading", name="Revoke “laptop”?")).to_be_visible()
    tab.get_by_role("button", name="Revoke").click()
    expect(tab.get_by_role("row", name=re.compile("laptop")).get_by_text("revoked")).to_be_visible()
    assert httpx.get(me, headers=bearer, timeout=PATIENCE_S).status_code == 401


def test_the_keyboard_alone_is_enough(office: Office, owner: str, tab: Page) -> None:
    tab.goto("/settings/api-keys")
    tab.keyboard.type(owner)
    tab.keyboard.press("Tab")
    tab.keyboard.type(PASSWORD)
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="API keys")).to_be_visible()

    tab.keyboard.press("Tab")
    expect(tab.get_by_role("link", name="Skip to the content")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("main")).to_be_focused()
    tab.get_by_role("main").press("Tab")
    expect(tab.get_by_label("Name")).to_be_focused()
    tab.keyboard.type("typed")
    tab.keyboard.press("Enter")
    expect(tab.get_by_label("Your new key “typed”").get_by_role("textbox")).to_be_focused()
    for _ in range(20):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.textContent") == "Revoke":
            break
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name="Revoke")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("row", name=re.compile("typed")).get_by_text("revoked")).to_be_visible()


def test_without_script_everything_still_works(
    office: Office, owner: str, browser: Browser
) -> None:
    context = browser.new_context(base_url=office.server.url, java_script_enabled=False)
    tab = context.new_page()
    _sign_in(tab, owner)
    tab.get_by_label("Name").fill("plain")
    tab.get_by_role("button", name="Create key").click()

    shown = tab.get_by_label("Your new key “plain”").get_by_role("textbox")
    expect(shown).to_have_value(re.compile("^sm_"))
    expect(tab.get_by_role("button", name="Copy")).to_have_count(0)
    context.close()


def test_an_invited_person_joins_by_the_link_and_is_signed_in(
    office: Office, owner: str, tab: Page, browser: Browser
) -> None:
    _sign_in(tab, owner)
    tab.get_by_role("link", name="Members").click()
    tab.get_by_label("E-mail").fill("bob@example.com")
    tab.get_by_label("Role", exact=True).select_option("manager")
    tab.get_by_role("button", name="Invite").click()
    link = tab.get_by_label("The link for bob@example.com").get_by_role("textbox").input_value()
    expect(
        tab.get_by_role("row", name=re.compile("bob@example.com")).get_by_text(
            "invited", exact=True
        )
    ).to_be_visible()

    context = browser.new_context(base_url=office.server.url)
    bobs = context.new_page()
    bobs.goto("/join/" + link.rpartition("/")[2])
    bobs.get_by_label("Password").fill("a long new password")
    bobs.get_by_role("button", name="Save and sign in").click()
    expect(bobs.get_by_text("bob@example.com manager")).to_be_visible()
    bobs.get_by_role("button", name="Sign out").click()
    expect(bobs.get_by_role("heading", name="Sign in")).to_be_visible()
    bobs.goto("/settings/members")
    expect(bobs.get_by_role("heading", name="Sign in")).to_be_visible()
    context.close()


def test_a_role_is_changed_and_a_member_removed(office: Office, owner: str, tab: Page) -> None:
    bob = office.person("member", "bob@example.com")
    _sign_in(tab, owner)
    tab.goto("/settings/members")
    row = tab.get_by_role("row", name=re.compile(bob))
    row.get_by_label(f"Role of {bob}", exact=True).select_option("guest")
    row.get_by_role("button", name=f"Save the role of {bob}").click()
    expect(row.get_by_label(f"Role of {bob}", exact=True)).to_have_value("guest")

    tab.get_by_role("link", name=f"Remove {bob}").click()
    tab.get_by_role("button", name="Remove").click()
    expect(tab.get_by_text(bob)).to_have_count(0)


def test_a_key_for_a_program_is_the_programs(office: Office, owner: str, tab: Page) -> None:
    nightly = a_service_account(office.server.services.db, office.org)
    _sign_in(tab, owner)
    tab.get_by_label("Name").fill("nightly build")
    tab.get_by_label("For", exact=True).select_option(nightly.name)
    tab.get_by_role("button", name="Create key").click()
    shown = tab.get_by_label("Your new key “nightly build”").get_by_role("textbox").input_value()

    bearer = {"Authorization": f"Bearer {shown}"}
    me = httpx.get(
        f"{office.server.url}/api/platform/v1/me", headers=bearer, timeout=PATIENCE_S
    ).json()
    assert (me["principal_kind"], me["principal_id"]) == ("service", nightly.service_account_id)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/settings/api-keys", "/settings/members"])
def test_every_text_stands_out_from_what_is_behind_it(
    office: Office, owner: str, tab: Page, path: str, scheme: str
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    tab.emulate_media(color_scheme=scheme)
    _sign_in(tab, owner)
    tab.goto(path)

    assert tab.evaluate(_FAINT_TEXTS) == []


@pytest.mark.parametrize("path", ["/sign-in", "/settings/api-keys", "/settings/members"])
def test_every_control_has_a_name(office: Office, owner: str, tab: Page, path: str) -> None:
    if path != "/sign-in":
        _sign_in(tab, owner)
    tab.goto(path)
    controls = tab.locator(":is(a, button, input:not([type=hidden]), select):visible")

    assert controls.count() > 2
    for control in controls.all():
        expect(control).to_have_accessible_name(re.compile(r"\S"))


@pytest.mark.parametrize("path", ["/settings/api-keys", "/settings/members"])
def test_a_narrow_screen_scrolls_no_page_sideways(
    office: Office, owner: str, tab: Page, path: str
) -> None:
    tab.set_viewport_size({"width": 360, "height": 640})
    _sign_in(tab, owner)
    tab.goto(path)

    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    ends = tab.locator("table select, table button, table a").evaluate_all(
        "controls => controls.map(control => control.getBoundingClientRect().right)"
    )
    assert max(ends, default=0) <= 360


_FAINT_TEXTS = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push([element.textContent.trim(), contrast]);
  }
  return faint;
}"""

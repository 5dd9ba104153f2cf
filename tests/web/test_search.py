"""Search over people, repositories, findings and pages: what a role may open, and nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from stationmaster.access import privacy, reads
from stationmaster.access.model import Role
from stationmaster.repos import service as repos
from tests.support.builders import a_caller
from tests.web.conftest import PASSWORD, Office

HOSTILE = "<script>alert(1)</script>"


def registered(office: Office, owner: str, url: str) -> str:
    services = office.server.services
    [member] = [m for m in reads.list_members(services.db, office.org) if m.email == owner]
    caller = a_caller(services.db, office.org, member)
    known, _ = repos.register(services.db, services.vault, caller, url)
    return known.repo_id


def test_people_repositories_and_pages_are_found_by_part_of_their_name(
    office: Office, owner: str
) -> None:
    repo = registered(office, owner, "https://git.invalid/team/harbour")
    office.person("member", "harbourmaster@find.example")
    with office.visitor(owner) as visitor:
        found = visitor.get("/search?q=Harbour").text
        pages = visitor.get("/search?q=audit").text
        setting = visitor.get("/search?q=time+zone").text
        nothing = visitor.get("/search", params={"q": HOSTILE})

    assert f'href="/repositories/{repo}/readiness"' in found
    assert "harbourmaster@find.example" in found
    assert 'href="/settings/audit"' in pages
    assert 'href="/settings/organization#zone"' in setting
    assert nothing.status_code == 200
    assert HOSTILE not in nothing.text


@pytest.mark.parametrize(
    ("role", "has_people", "has_repository"),
    [("manager", True, True), ("member", False, True), ("guest", False, False)],
)
def test_a_search_finds_only_what_the_role_may_open(
    office: Office, owner: str, role: Role, has_people: bool, has_repository: bool
) -> None:
    registered(office, owner, "https://git.invalid/team/harbour")
    office.person("member", "harbourmaster@find.example")
    with office.visitor(office.person(role)) as visitor:
        found = visitor.get("/search?q=harbour").text

    assert ("harbourmaster@" in found) == has_people
    assert ("/repositories/" in found) == has_repository


def test_pages_of_persons_are_not_offered_where_people_are_not_shown_by_name(
    office: Office, owner: str
) -> None:
    db = office.server.services.db
    office.person("member", "harbourmaster@find.example")
    [member] = [m for m in reads.list_members(db, office.org) if m.email == owner]
    by = a_caller(db, office.org, member)
    privacy.put(db, office.org, "pseudonymous", None, by=by)
    with office.visitor(owner) as visitor:
        found = visitor.get("/search?q=harbour").text

    assert "harbourmaster@" in found
    assert "/people/" not in found


def test_a_slash_leads_to_the_search_from_any_page(office: Office, owner: str, tab: Page) -> None:
    tab.goto("/sign-in")
    tab.get_by_label("E-mail").fill(owner)
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in").click()
    tab.goto("/settings/members")
    tab.keyboard.press("/")
    tab.keyboard.type("jobs")
    tab.keyboard.press("Enter")

    expect(tab.get_by_role("heading", name="Search")).to_be_visible()
    expect(tab.locator("main").get_by_role("link", name="Jobs")).to_be_visible()

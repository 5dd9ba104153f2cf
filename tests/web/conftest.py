"""An organization with people who have passwords, on a real server, and a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from stationmaster.access import service
from stationmaster.access.model import Role
from stationmaster.access.signing_in import ways as signin
from stationmaster.ids import OrgId
from tests.support.browsers import running_browser
from tests.support.builders import a_member, an_organization
from tests.support.servers import Server, running_server, settings_for

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Office:
    """A server and the people of one organization; each has PASSWORD."""

    server: Server
    org: OrgId

    def person(self, role: Role, email: str | None = None) -> str:
        """The e-mail address of a new member with a password."""
        db = self.server.services.db
        address = email or f"{role}@{self.org.replace('_', '-')}.example"
        member = a_member(db, self.org, address, role)
        _, link = service.make_link(db, self.org, member.user_id, by=None)
        signin.with_link(db, link, PASSWORD)
        return address

    @contextmanager
    def visitor(self, email: str | None = None) -> Iterator[httpx.Client]:
        """A client without a browser; signed in when an address is given."""
        with httpx.Client(base_url=self.server.url, timeout=60) as client:
            if email is not None:
                form = {"email": email, "password": PASSWORD, "org": self.org}
                entered = client.post("/sign-in", data=form)
                assert entered.status_code == 303, entered.text
            yield client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(settings_for(tmp_path_factory.mktemp("web"), "sqlite")) as running:
        yield running


@pytest.fixture
def office(server: Server) -> Office:
    org = an_organization(server.services.db)
    made = Office(server, org)
    made.person("owner")
    return made


@pytest.fixture
def owner(office: Office) -> str:
    return f"owner@{office.org.replace('_', '-')}.example"


# No longer than a module: while it lives, this thread has an event loop that runs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """A browser that nobody has used before; whatever a page logs as an error fails the test."""
    fresh = browser.new_context(base_url=server.url)
    fresh.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    yield fresh
    fresh.close()


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    faults: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on(
        "console",
        lambda said: faults.append(said.text) if "Content Security" in said.text else None,
    )
    yield page
    assert faults == []

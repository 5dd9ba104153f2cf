"""Reading wikis in a browser: pages, versions, search, and who sees which."""

from __future__ import annotations

import re

import pytest

from stationmaster.access import reads
from stationmaster.access.model import Role
from stationmaster.repos import service as repos
from stationmaster.wiki import service
from stationmaster.wiki.model import Origin, PrivacyLevel, Upload, UploadedPage
from tests.support.builders import a_caller, an_organization
from tests.web.conftest import Office

URL = "https://github.com/acme/shop"
PAGES = [
    UploadedPage("index.md", "# Shop\n\nSells hats. See [orders](flows/orders.md)."),
    UploadedPage("flows/orders.md", "# Orders\n\nAn order is paid before it is packed."),
]


def written(office: Office, email: str, privacy: PrivacyLevel = "organization") -> str:
    """A new version of the wiki, by its id."""
    db = office.server.services.db
    [member] = [m for m in reads.list_members(db, office.org) if m.email == email]
    upload = Upload(origin=Origin(repo_url=URL, commit_hash="c" * 40), pages=PAGES,
                    privacy_level=privacy)  # fmt: skip
    return service.create(db, a_caller(db, office.org, member), upload).run_id


def registered(office: Office, owner: str) -> str:
    services = office.server.services
    [member] = [m for m in reads.list_members(services.db, office.org) if m.email == owner]
    caller = a_caller(services.db, office.org, member)
    return repos.register(services.db, services.vault, caller, URL)[0].repo_id


def test_the_newest_version_opens_at_its_first_page_and_links_lead_on(
    office: Office, owner: str
) -> None:
    repo, older, run = registered(office, owner), written(office, owner), written(office, owner)
    with office.visitor(owner) as visitor:
        visitor.follow_redirects = True
        first = visitor.get(f"/repositories/{repo}/wiki")
        [link] = re.findall(r'<a href="([^"]+)">orders</a>', first.text)
        second = visitor.get(link)
        other = visitor.get("/wiki", params={"version": older})

    assert first.url.path.startswith(f"/wiki/{run}/")
    assert "Sells hats." in first.text
    assert "An order is paid" in second.text
    assert 'aria-current="page">Orders</a>' in second.text
    assert other.url.path.startswith(f"/wiki/{older}/")


def test_a_search_finds_pages_by_their_words(office: Office, owner: str) -> None:
    run = written(office, owner)
    with office.visitor(owner) as visitor:
        hits = visitor.get(f"/wiki/{run}", params={"search": "packed"})
        none = visitor.get(f"/wiki/{run}", params={"search": "bicycle <b>"})

    assert "1 page with “packed”" in hits.text
    assert "No pages with “bicycle &lt;b&gt;”" in none.text


@pytest.mark.parametrize(("role", "status"), [("member", 200), ("guest", 403)])
def test_members_read_wikis_of_the_organization(
    office: Office, owner: str, role: Role, status: int
) -> None:
    run = written(office, owner)
    with office.visitor(office.person(role)) as visitor:
        visitor.follow_redirects = True
        assert visitor.get(f"/wiki/{run}").status_code == status


def test_a_private_version_and_one_of_another_organization_are_none(
    office: Office, owner: str
) -> None:
    private, shared = written(office, owner, "private"), written(office, owner)
    other = Office(office.server, an_organization(office.server.services.db, "Initech"))
    stranger = other.person("owner", "eve@example.com")
    with office.visitor(office.person("manager")) as visitor:
        assert visitor.get(f"/wiki/{private}").status_code == 404
    with other.visitor(stranger) as visitor:
        assert visitor.get(f"/wiki/{shared}").status_code == 404
        assert visitor.get("/wiki", params={"version": shared}).status_code == 404


def test_without_a_wiki_a_manager_has_it_written(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    member = office.person("member")
    with office.visitor(owner) as visitor:
        empty = visitor.get(f"/repositories/{repo}/wiki")
        asked = visitor.post(f"/repositories/{repo}/wiki")
    with office.visitor(member) as visitor:
        refused = visitor.post(f"/repositories/{repo}/wiki")

    assert "Write the wiki" in empty.text
    assert (asked.status_code, refused.status_code) == (303, 403)

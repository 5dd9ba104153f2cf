"""Reading wikis in a browser: pages, versions, search, and who sees which."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from stationmaster.access import reads
from stationmaster.access.model import Role
from stationmaster.ids import RepoId
from stationmaster.repos import service as repos
from stationmaster.wiki import service
from stationmaster.wiki.model import Origin, PrivacyLevel, Upload, UploadedPage
from tests.support.builders import a_caller, an_organization
from tests.support.repositories import Repository
from tests.web.conftest import Office
from tests.wiki.prose.models import Asked, Says, said, serving

URL = "https://github.com/acme/shop"
PAGES = [
    UploadedPage("index.md", "# Shop\n\nSells hats. See [orders](flows/orders.md)."),
    UploadedPage("flows/orders.md", "# Orders\n\nAn order is paid before it is packed."),
]


def written(office: Office, email: str, privacy: PrivacyLevel = "organization") -> str:
    """A new version of the wiki, by its id."""
    return uploaded(office, email, PAGES, privacy)


def uploaded(
    office: Office,
    email: str,
    pages: list[UploadedPage],
    privacy: PrivacyLevel = "organization",
    commit: str = "c" * 40,
) -> str:
    db = office.server.services.db
    [member] = [m for m in reads.list_members(db, office.org) if m.email == email]
    upload = Upload(origin=Origin(repo_url=URL, commit_hash=commit), pages=pages,
                    privacy_level=privacy)  # fmt: skip
    return service.create(db, a_caller(db, office.org, member), upload).run_id


def registered(office: Office, owner: str) -> str:
    services = office.server.services
    [member] = [m for m in reads.list_members(services.db, office.org) if m.email == owner]
    caller = a_caller(services.db, office.org, member)
    return repos.register(services.db, services.vault, caller, URL)[0].repo_id


def test_all_wikis_are_listed_with_those_of_repositories_that_are_not_registered(
    office: Office, owner: str
) -> None:
    with office.visitor(owner) as visitor, office.visitor(office.person("member")) as other:
        none = visitor.get("/wiki").text
        shared, private = written(office, owner), written(office, owner, "private")
        before, of_other = visitor.get("/wiki").text, other.get("/wiki").text
        registered(office, owner)
        after = visitor.get("/wiki").text

    assert "No wikis yet" in none
    assert f'<a href="/wiki/{private}">' in before
    assert f'<a href="/wiki/{shared}">' in of_other
    assert private not in of_other
    assert "not registered" in before
    assert "not registered" not in after


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


def test_a_question_shows_the_passages_that_answer_it_with_their_links(
    office: Office, owner: str
) -> None:
    run = written(office, owner)
    with office.visitor(owner) as visitor:
        visitor.follow_redirects = True
        answer = visitor.get(f"/wiki/{run}", params={"search": "When are hats sold?"}).text
        [link] = re.findall(r'<a href="([^"]+)">orders</a>', answer)
        orders = visitor.get(link)

    assert "Sells hats. See" in answer
    assert "An order is paid" in orders.text


def test_a_question_shows_functions_of_the_code_as_text_with_a_link_to_their_lines(
    office: Office, owner: str, tmp_path: Path
) -> None:
    code = "def pack_hats(hats):\n    for hat in hats:\n        hat.label = '<b>'\n"
    repository = Repository(tmp_path / "shop", "main", "--bare")
    commit = repository.commit({"shop/packing.py": code})
    repo = RepoId(registered(office, owner))
    repository.mirror(office.server.services.settings, office.org, repo)
    run = uploaded(office, owner, PAGES, commit=commit)
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/wiki/{run}", params={"search": "How are hats packed?"}).text
        [link] = re.findall(r'<a href="([^"]+)"><code>shop/packing.py:1-3</code>', page)
        lines = visitor.get(html.unescape(link))

    assert "<code>pack_hats</code>" in page
    assert "hat.label = &#39;&lt;b&gt;&#39;" in page
    assert lines.text.count("<mark>") == 3


def test_the_operators_model_answers_when_a_reader_asks_it_to(
    office: Office, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model(asked: Asked) -> Says:
        if "sentences" in asked.data:
            return Says('{"stands": ["s1"]}')
        return said(("The order is paid before it is packed <b>.", ["p1.3"]),
                    ("The order is paid before it is packed.", ["p1.3"]))  # fmt: skip

    run = written(office, owner)
    with serving(model) as server, office.visitor(owner) as visitor:
        services = office.server.services
        told = msgspec.structs.replace(
            services.settings, wiki_model_provider="openai", wiki_model="m",
            wiki_model_url=server.endpoint().base,
        )  # fmt: skip
        monkeypatch.setattr(office.server.app, "services", replace(services, settings=told))
        found = visitor.get(f"/wiki/{run}", params={"search": "When is it packed?"})
        answer = visitor.get(
            f"/wiki/{run}", params={"search": "When is it packed?", "answer": "true"}
        )

    assert "Answer from these passages" in found.text
    assert "<h2>Answer</h2>" not in found.text
    assert "The order is paid before it is packed." in answer.text
    assert "Written by openai/m from the passages below" in answer.text
    assert "1 did not hold" in answer.text


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


CITING = "# Mail\n\nSends mail [`src/mail <b>.py:3-9`](source:src/mail%20%3Cb%3E.py#L3-L9).\n"


def test_citations_open_the_file_at_the_commit_on_our_own_page(office: Office, owner: str) -> None:
    page = [UploadedPage("index.md", CITING)]
    unknown = uploaded(office, owner, page)
    with office.visitor(owner) as visitor:
        visitor.follow_redirects = True
        outside = visitor.get(f"/wiki/{unknown}").text
        repo = registered(office, owner)
        inside = visitor.get(f"/wiki/{unknown}").text

    place = f"commit={'c' * 40}&amp;path=src%2Fmail%20%3Cb%3E.py&amp;lines=3-9"
    assert f'href="/repositories/{repo}/files?{place}"' in inside
    assert "<b>" not in inside
    assert f"{URL}/blob/{'c' * 40}/src/mail%20%3Cb%3E.py#L3-L9" in outside


def test_two_versions_are_compared_page_by_page(office: Office, owner: str) -> None:
    older = uploaded(office, owner, [*PAGES, UploadedPage("gone.md", "# Gone\n")])
    changed = UploadedPage("flows/orders.md", "# Orders\n\nAn order is <b>sent</b>.")
    newer = uploaded(office, owner, [PAGES[0], changed, UploadedPage("new.md", "# New\n")])
    path = f"/wiki/{newer}/difference"
    with office.visitor(owner) as visitor:
        pages = visitor.get(path, params={"since": older}).text
        lines = visitor.get(path, params={"since": older, "path": "flows/orders"}).text
        none = visitor.get(path, params={"since": older, "path": "index"}).status_code
        same = visitor.get(path, params={"since": newer}).text
    with office.visitor(office.person("guest")) as visitor:
        refused = visitor.get(path, params={"since": older}).status_code

    assert "3 pages differ, 1 is the same" in pages
    assert "<ins>+An order is &lt;b&gt;sent&lt;/b&gt;.</ins>" in lines
    assert "<del>-An order is paid before it is packed.</del>" in lines
    assert "Both versions are the same" in same
    assert (none, refused) == (404, 403)


def test_the_tree_of_a_large_wiki_shows_the_present_branch(office: Office, owner: str) -> None:
    pages = [UploadedPage("index.md", "# Start")]
    pages += [
        UploadedPage(f"part-{n % 4}/page-{n}.md", f"# Page {n} of the wiki") for n in range(900)
    ]
    run = uploaded(office, owner, pages)
    with office.visitor(owner) as visitor:
        visitor.follow_redirects = True
        answer = visitor.get(f"/wiki/{run}")
        hit = visitor.get(f"/wiki/{run}", params={"search": "899"}).text
        link, *_ = re.findall(r'<a href="([^"]+)">Page 899', hit)
        inner = visitor.get(link)

    assert "Page 0 of" not in answer.text
    assert 'aria-current="page">Start' in answer.text
    assert "more; the search finds them" in inner.text
    assert max(len(answer.text), len(inner.text)) < 60_000

"""The page of identity providers: listed, tested, added, changed, removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.builders import an_organization
from tests.support.issuer import CLIENT, RunningIssuer, running_issuer
from tests.support.servers import running_server, settings_for
from tests.web.conftest import Office

PAGE = "/settings/sign-in"


@pytest.fixture(scope="module")
def issuer() -> Iterator[RunningIssuer]:
    with running_issuer() as running:
        yield running


@pytest.fixture
def own(issuer: RunningIssuer, tmp_path: Path) -> Iterator[Office]:
    """An office whose server trusts the issuer for it, and another organization's provider."""
    settings = settings_for(tmp_path, "sqlite")
    with running_server(settings) as first:
        orgs = [an_organization(first.services.db, name) for name in ("Acme", "Other")]
    entries = [
        *json.loads(issuer.setting(orgs[0])),
        *json.loads(issuer.setting(orgs[1], name="theirs", audience="theirs")),
    ]
    trusted = settings_for(tmp_path, "sqlite", oidc_issuers=json.dumps(entries))
    with running_server(trusted) as server:
        made = Office(server, orgs[0])
        made.person("owner", "owner@own.example")
        yield made


def test_providers_are_listed_and_tested_and_those_of_others_are_not_there(
    own: Office, issuer: RunningIssuer
) -> None:
    with own.visitor("owner@own.example") as visitor:
        page = visitor.get(PAGE).text
        csv = visitor.get(f"{PAGE}?csv=providers").text
        answer = visitor.post(f"{PAGE}/corp/test")
        others = visitor.post(f"{PAGE}/theirs/test")

    assert issuer.url in page
    assert "/api/platform/v1/auth/oidc/corp/callback" in page
    assert "theirs" not in page + csv
    assert "set by the operator" in page
    assert f'href="{PAGE}/corp/remove"' not in page
    assert issuer.url in csv
    assert answer.status_code == 200
    assert "corp answers" in answer.text
    assert f"{issuer.url}/oauth2/token" in answer.text
    assert others.status_code == 404


def test_a_provider_that_does_not_answer_is_said_so(own: Office, issuer: RunningIssuer) -> None:
    issuer.stop()
    try:
        with own.visitor("owner@own.example") as visitor:
            answer = visitor.post(f"{PAGE}/corp/test")
    finally:
        issuer.start()

    assert answer.status_code == 200
    assert "corp: The issuer cannot be used" in answer.text


@pytest.fixture
def open_office(issuer: RunningIssuer, tmp_path: Path) -> Iterator[Office]:
    """An office whose operator permits the issuer's address."""
    place = issuer.url.removeprefix("http://")
    with running_server(settings_for(tmp_path, "sqlite", oidc_private_hosts=place)) as server:
        office = Office(server, an_organization(server.services.db, "Acme"))
        office.person("owner", "owner@own.example")
        office.person("member", "ada@own.example")
        yield office


@pytest.fixture
def other_office(open_office: Office) -> Office:
    """An office of another organization on the same server."""
    made = Office(open_office.server, an_organization(open_office.server.services.db, "Other"))
    made.person("owner", "owner@other.example")
    return made


def typed(address: str, **others: str) -> dict[str, str]:
    return {"name": "ours", "issuer": address, "client": CLIENT, "secret": "hunter22"} | others


def entered(office: Office, issuer: RunningIssuer, email: str) -> httpx.Response:
    """The answer to a browser that signs in at the provider `ours` as the person of an address."""
    with httpx.Client(base_url=office.server.url) as browser:
        begun = browser.get("/api/platform/v1/auth/oidc/ours/start", params={"next": "/me"})
        back = issuer.sign_in(begun.headers["location"], email)
        return browser.get("/api/platform/v1/auth/oidc/ours/callback", params=back)


@pytest.mark.usefixtures("other_office")
def test_an_owner_adds_a_provider_and_its_people_sign_in_there_and_nowhere_else(
    open_office: Office, issuer: RunningIssuer
) -> None:
    with open_office.visitor("owner@own.example") as owner:
        added = owner.post(PAGE, data=typed(issuer.url), follow_redirects=True).text
        tested = owner.post(f"{PAGE}/ours/test").text
    door = httpx.get(f"{open_office.server.url}/sign-in").text
    ada = entered(open_office, issuer, "ada@own.example")
    stranger = entered(open_office, issuer, "owner@other.example")

    assert "/api/platform/v1/auth/oidc/ours/callback" in added
    assert "hunter22" not in added
    assert "ours answers" in tested
    assert "Sign in with ours" in door
    assert (ada.status_code, ada.headers["location"]) == (302, "/me")
    assert stranger.status_code == 401
    assert stranger.json()["metadata"]["code"] == "no_member"


def test_a_provider_is_changed_and_removed(open_office: Office, issuer: RunningIssuer) -> None:
    change = {"issuer": issuer.url, "client": CLIENT, "domains": "else.example"}
    with open_office.visitor("owner@own.example") as owner:
        owner.post(PAGE, data=typed(issuer.url))
        form = owner.get(f"{PAGE}/ours").text
        changed = owner.post(f"{PAGE}/ours", data=change)
        outside = entered(open_office, issuer, "ada@own.example")
        moved = owner.post(f"{PAGE}/ours", data=change | {"client": "another"})
        asked = owner.get(f"{PAGE}/ours/remove").text
        owner.post(f"{PAGE}/ours/remove")
        after = owner.get(PAGE).text
    door = httpx.get(f"{open_office.server.url}/sign-in").text

    assert issuer.url in form
    assert "hunter22" not in form
    assert changed.status_code == 303
    assert outside.status_code == 401, "its secret is still there, its domains are others"
    assert moved.status_code == 400
    assert "Enter the client secret, too" in moved.text
    assert "Remove ours?" in asked
    assert "No identity provider yet" in after
    assert "ours" not in door


def test_where_several_organizations_have_providers_the_door_says_whose_each_is(
    open_office: Office, other_office: Office, issuer: RunningIssuer
) -> None:
    with open_office.visitor("owner@own.example") as owner:
        owner.post(PAGE, data=typed(issuer.url))
    with other_office.visitor("owner@other.example") as owner:
        taken = owner.post(PAGE, data=typed(issuer.url))
        owner.post(PAGE, data=typed(issuer.url, name="theirs"))
        foreign = [owner.get(f"{PAGE}/ours"), owner.post(f"{PAGE}/ours/remove")]
        foreign += [owner.post(f"{PAGE}/ours/test")]
    door = httpx.get(f"{open_office.server.url}/sign-in").text

    assert taken.status_code == 409
    assert "Another provider has this name" in taken.text
    assert [answer.status_code for answer in foreign] == [404, 404, 404]
    assert "Sign in with ours (Acme)" in door
    assert "Sign in with theirs (Other)" in door


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "A B"}, "A name has 1 to 40"),
        ({"issuer": "http://id.example"}, "Issuer is an https:// address"),
        ({"issuer": "javascript:x"}, "Issuer is an https:// address"),
        ({"issuer": "https://127.0.0.1"}, "local or private address"),
        ({"issuer": "https://[::ffff:169.254.169.254]"}, "local or private address"),
        ({"client": " "}, "Client id is empty"),
        ({"domains": "<b>"}, "is not a domain"),
        ({"secret": "a b"}, "without spaces"),
    ],
)
def test_what_cannot_be_a_provider_is_explained_and_the_form_keeps_what_was_typed(
    office: Office, owner: str, change: dict[str, str], says: str
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(PAGE, data=typed("https://id.example", **change))

    assert answer.status_code == 400
    assert says in answer.text
    assert f'value="{change.get("client", CLIENT)}"' in answer.text
    assert "hunter22" not in answer.text


def test_managers_test_and_owners_alone_change(office: Office, owner: str) -> None:
    with office.visitor(office.person("manager")) as manager:
        page = manager.get(PAGE)
        refused = manager.post(PAGE, data=typed("https://id.example"))
    with office.visitor(office.person("member")) as member:
        statuses = [member.get(PAGE).status_code, member.post(f"{PAGE}/corp/test").status_code]

    assert page.status_code == 200
    assert "Add a provider" not in page.text
    assert refused.status_code == 403
    assert statuses == [403, 403]

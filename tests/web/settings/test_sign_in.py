"""The page of identity providers: listed, tested, and the setting for another one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.support.builders import an_organization
from tests.support.issuer import RunningIssuer, running_issuer
from tests.support.servers import Server, running_server, settings_for
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


def test_the_form_writes_an_entry_that_the_setting_takes(office: Office, owner: str) -> None:
    typed = {"name": "corp", "issuer": "https://id.example", "client": "sm", "domains": "a.example"}
    with office.visitor(owner) as visitor:
        page = visitor.get(PAGE, params=typed).text

    text = re.search(r'<textarea id="setting"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert text is not None
    entry = json.loads(unescape(text[1]))
    assert entry == {
        "name": "corp", "issuer": "https://id.example", "org": office.org, "audience": "sm",
        "client_id": "sm", "client_secret": "…", "allowed_domains": ["a.example"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"name": "A B"}, "a name has 1 to 40"),
        ({"issuer": "http://id.example"}, "issuer is an https:// address"),
        ({"issuer": "javascript:x"}, "issuer is an https:// address"),
        ({"client": ""}, "audience is empty"),
    ],
)
def test_what_cannot_be_set_is_explained(
    office: Office, owner: str, typed: dict[str, str], says: str
) -> None:
    usual = {"name": "corp", "issuer": "https://id.example", "client": "sm"}
    with office.visitor(owner) as visitor:
        page = visitor.get(PAGE, params=usual | typed).text

    assert says in page
    assert 'id="setting"' not in page


def test_members_are_refused(office: Office, server: Server) -> None:
    with office.visitor(office.person("member")) as visitor:
        assert visitor.get(PAGE).status_code == 403
        assert visitor.post(f"{PAGE}/corp/test").status_code == 403

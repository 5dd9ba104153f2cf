"""`stationmaster sign-in-link`: a session without a password, once, for the operator alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import operator, reads, service
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in import links, ways as signin
from stationmaster.errors import Conflict, Forbidden, Unauthorized
from stationmaster.ids import KeyId
from tests.support.builders import an_invited
from tests.support.commands import command, succeed
from tests.web.conftest import Office


def a_link(office: Office) -> str:
    """A sign-in link of the office's owner, as its address's last part."""
    db = office.server.services.db
    by = operator.owner(db, office.org)
    owner = next(one for one in reads.list_members(db, office.org) if one.role == "owner")
    return signin.make_sign_in_link(db, office.org, owner.user_id, by=by).reveal()


def opened(office: Office, link: str) -> httpx.Response:
    return httpx.get(f"{office.server.url}/sign-in/{link}", timeout=60)


def test_a_link_signs_in_once(office: Office, owner: str) -> None:
    link = a_link(office)

    first, second = opened(office, link), opened(office, link)

    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert first.headers["cache-control"] == "no-store"
    assert "HttpOnly" in first.headers["set-cookie"]
    assert second.status_code == 401
    assert "This link does not work" in second.text
    cookies = {"stationmaster_session": first.cookies["stationmaster_session"]}
    page = httpx.get(f"{office.server.url}/settings/api-keys", cookies=cookies, timeout=60)
    assert owner in page.text


def test_a_link_lives_for_fifteen_minutes(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    link, made = a_link(office), clock.now_ms()
    db = office.server.services.db

    monkeypatch.setattr(clock, "now_ms", lambda: made + 15 * 60_000)
    with pytest.raises(Unauthorized):
        signin.with_sign_in_link(db, Secret(link))
    monkeypatch.setattr(clock, "now_ms", lambda: made + 15 * 60_000 - 5_000)
    signin.with_sign_in_link(db, Secret(link))


def test_another_link_ends_the_one_before(office: Office) -> None:
    first, second = a_link(office), a_link(office)

    assert [opened(office, link).status_code for link in (first, second)] == [401, 303]


def test_a_sign_in_link_sets_no_password_and_leaves_sessions_as_they_are(
    office: Office, owner: str
) -> None:
    link = a_link(office)
    with office.visitor(owner) as before:
        joined = httpx.post(
            f"{office.server.url}/join/{link}", data={"password": "another long one"}, timeout=60
        )
        by_api = httpx.post(
            f"{office.server.url}/api/platform/v1/auth/join",
            json={"token": link, "password": "another long one"},
            timeout=60,
        )
        used = opened(office, link)

        assert [joined.status_code, by_api.status_code, used.status_code] == [401, 401, 303]
        assert before.get("/settings/api-keys").status_code == 200
    with office.visitor(owner):
        """The password is still PASSWORD."""


def test_a_password_link_signs_nobody_in_by_itself(office: Office, owner: str) -> None:
    db = office.server.services.db
    by = operator.owner(db, office.org)
    _, link = service.make_link(db, office.org, by.principal_id, by=by)

    assert opened(office, link.reveal()).status_code == 401
    assert links.peek(db, link.reveal()).email == owner


def test_only_the_operator_makes_links_and_for_those_who_have_joined(office: Office) -> None:
    db = office.server.services.db
    by = operator.owner(db, office.org)
    invited, _ = an_invited(db, office.org, "zoe@example.com")
    person = Caller(
        office.org, "human", by.principal_id, by.email, "owner", KeyId("key"), "full", "web"
    )

    with pytest.raises(Forbidden):
        signin.make_sign_in_link(db, office.org, by.principal_id, by=person)
    with pytest.raises(Conflict):
        signin.make_sign_in_link(db, office.org, invited.user_id, by=by)


def test_the_command_prints_an_address_for_the_first_owner_or_a_member(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("data")
    succeed("init", "--data-dir", folder, "--owner", "ada@example.com")
    succeed("members", "add", "bob@example.com", "--data-dir", folder)

    of_owner = succeed("sign-in-link", "--data-dir", folder)
    of_bob = command("sign-in-link", "bob@example.com", "--data-dir", folder)
    of_nobody = command("sign-in-link", "eve@example.com", "--data-dir", folder)

    until = datetime.fromtimestamp(of_owner["expires_at"] / 1000, UTC)
    assert timedelta(minutes=14) < until - datetime.now(UTC) <= timedelta(minutes=15)
    assert of_owner["url"].startswith("http://127.0.0.1:8700/sign-in/sml_")
    assert of_bob.stdout.startswith(b"http://127.0.0.1:8700/sign-in/sml_")
    assert "bob@example.com" in of_bob.stderr
    assert of_nobody.code == 1

"""The pages as a client without a browser sees them: who gets in, what is refused, what is kept."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import msgspec
import pytest

from stationmaster.access import reads, service
from stationmaster.access.model import Role
from tests.support.builders import a_key, a_member
from tests.support.patience import PATIENCE_S
from tests.support.servers import running_server, settings_for
from tests.web.conftest import PASSWORD, Office

KEYS, MEMBERS = "/settings/api-keys", "/settings/members"
A_KEY = {"name": "laptop", "role": "member", "scope": "full", "expires": "90"}


@pytest.mark.parametrize("path", ["/", KEYS, MEMBERS])
def test_a_stranger_is_led_to_the_door_and_back(office: Office, path: str) -> None:
    with office.visitor() as stranger:
        answer = stranger.get(path)
        door = stranger.get(answer.headers["location"])

    assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in?next={path}")
    assert f'name="next" value="{path}"' in door.text


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        (KEYS, KEYS),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("/\\elsewhere.example/", "/"),
        ("settings", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_after_signing_in_nobody_is_led_away(
    office: Office, owner: str, wanted: str, taken: str
) -> None:
    with office.visitor() as visitor:
        answer = visitor.post(
            "/sign-in", data={"email": owner, "password": PASSWORD, "next": wanted}
        )

    assert (answer.status_code, answer.headers["location"]) == (303, taken)


def test_the_session_is_out_of_reach_of_scripts_and_other_sites(office: Office, owner: str) -> None:
    with office.visitor() as visitor:
        answer = visitor.post("/sign-in", data={"email": owner, "password": PASSWORD})

    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie


def test_a_wrong_password_is_told_without_saying_what_is_wrong(office: Office, owner: str) -> None:
    with office.visitor() as visitor:
        wrong = visitor.post("/sign-in", data={"email": owner, "password": "not this one"})
        nobody = visitor.post(
            "/sign-in", data={"email": "nobody@example.com", "password": "not this one"}
        )

    assert (wrong.status_code, nobody.status_code) == (401, 401)
    assert wrong.text.replace(owner, "") == nobody.text.replace("nobody@example.com", "")
    assert "not this one" not in wrong.text
    assert "set-cookie" not in wrong.headers


def test_a_refusal_of_an_identity_provider_is_told_in_our_own_words(office: Office) -> None:
    with office.visitor() as visitor:
        known = visitor.get("/sign-in?refused=no_member")
        strange = visitor.get("/sign-in?refused=Pay+here")

    assert "ask an owner to invite it" in known.text
    assert "Pay here" not in strange.text
    assert 'role="alert"' not in strange.text


def test_a_session_ends_when_its_person_signs_out(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        kept = dict(visitor.cookies)
        visitor.post("/sign-out")
        with office.visitor() as other:
            other.cookies.update(kept)
            answer = other.get(KEYS)

    assert answer.status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
    ],
)
def test_a_form_of_another_site_changes_nothing(
    office: Office, owner: str, headers: dict[str, str]
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(KEYS, data=A_KEY, headers=headers)

    assert answer.status_code == 403
    assert reads.list_keys(office.server.services.db, office.org) == []


def test_a_cookie_opens_no_operation_of_the_api(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.get("/api/platform/v1/me")

    assert answer.status_code == 401


def test_a_page_runs_nothing_of_others_and_stays_in_no_cache(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        for path in ("/sign-in", KEYS, MEMBERS):
            headers = visitor.get(path).headers
            assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-request-id"].startswith("req_")


def test_what_people_type_is_text(office: Office, owner: str) -> None:
    name = "<script>alert(1)</script>"
    with office.visitor(owner) as visitor:
        made = visitor.post(KEYS, data={**A_KEY, "name": name})
        listed = visitor.get(KEYS)

    for page in (made.text, listed.text):
        assert name not in page
        assert "&lt;script&gt;alert(1)" in page


def test_a_key_is_shown_once(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        made = visitor.post(KEYS, data=A_KEY)
        listed = visitor.get(KEYS)

    [secret] = set(re.findall(r"sm_[0-9A-Za-z]{49}", made.text))
    assert secret not in listed.text
    assert "laptop" in listed.text


def test_a_key_without_a_role_of_its_own_says_so(office: Office, owner: str) -> None:
    db = office.server.services.db
    [ada] = reads.list_members(db, office.org)
    a_key(db, office.org, ada)
    with office.visitor(owner) as visitor:
        listed = visitor.get(KEYS)

    assert "the holder’s</td>" in listed.text


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", " "), ("role", "king"), ("scope", "all"), ("expires", "0"), ("holder", "svc_no")],
)
def test_a_form_that_does_not_fit_is_shown_again_with_the_reason(
    office: Office, owner: str, field: str, value: str
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(KEYS, data={**A_KEY, field: value})

    assert 400 <= answer.status_code < 500
    assert 'role="alert"' in answer.text
    assert reads.list_keys(office.server.services.db, office.org) == []


def test_a_member_sees_and_revokes_the_own_keys_alone(office: Office, owner: str) -> None:
    db = office.server.services.db
    bob = office.person("member")
    boss = a_member(db, office.org, "boss@example.com", "owner")
    a_key(db, office.org, boss)
    [key] = reads.list_keys(db, office.org)

    with office.visitor(bob) as visitor:
        listed = visitor.get(KEYS)
        asked = visitor.get(f"{KEYS}/{key.key_id}/revoke")
        tried = visitor.post(f"{KEYS}/{key.key_id}/revoke")

    assert key.hint not in listed.text
    assert (asked.status_code, tried.status_code) == (404, 404)
    assert service.get_key(db, office.org, key.key_id).revoked_at is None


@pytest.mark.parametrize(("role", "status"), [("member", 403), ("guest", 403), ("manager", 200)])
def test_members_are_for_managers_and_owners(office: Office, role: Role, status: int) -> None:
    person = office.person(role)
    with office.visitor(person) as visitor:
        answers = [
            visitor.get(MEMBERS),
            visitor.post(MEMBERS, data={"email": f"new-{role}@example.com", "role": "guest"}),
        ]

    assert [answer.status_code for answer in answers] == [status, status]


def test_a_manager_makes_no_owners_and_changes_none(office: Office, owner: str) -> None:
    db = office.server.services.db
    manager = office.person("manager")
    [boss] = [each for each in reads.list_members(db, office.org) if each.email == owner]
    with office.visitor(manager) as visitor:
        invited = visitor.post(MEMBERS, data={"email": "new@example.com", "role": "owner"})
        changed = visitor.post(f"{MEMBERS}/{boss.user_id}/role", data={"role": "guest"})
        linked = visitor.post(f"{MEMBERS}/{boss.user_id}/link")
        removed = visitor.post(f"{MEMBERS}/{boss.user_id}/remove")
        erased = visitor.post(f"{MEMBERS}/{boss.user_id}/erase", data={"reports": "restate"})

    answers = (invited, changed, linked, removed, erased)
    assert {answer.status_code for answer in answers} == {403}


def test_people_of_another_organization_do_not_exist(office: Office, owner: str) -> None:
    db = office.server.services.db
    other = service.create_organization(db, "Initech")
    stranger = a_member(db, other, "stranger@example.com")
    with office.visitor(owner) as visitor:
        answers = [
            visitor.get(f"{MEMBERS}/{stranger.user_id}/remove"),
            visitor.post(f"{MEMBERS}/{stranger.user_id}/remove"),
            visitor.get(f"{MEMBERS}/{stranger.user_id}/erase"),
            visitor.post(f"{MEMBERS}/{stranger.user_id}/erase", data={"reports": "restate"}),
            visitor.post(f"{MEMBERS}/{stranger.user_id}/link"),
            visitor.post(f"{MEMBERS}/{stranger.user_id}/role", data={"role": "guest"}),
        ]

    assert {answer.status_code for answer in answers} == {404}
    assert service.get_member(db, other, stranger.user_id).role == "member"


def test_an_owner_erases_a_person_and_not_the_last_owner(office: Office, owner: str) -> None:
    db = office.server.services.db
    bob, boss = office.person("manager"), office.person("manager")
    by_email = {each.email: each.user_id for each in reads.list_members(db, office.org)}
    with office.visitor(boss) as visitor:
        assert "Erase" not in visitor.get(MEMBERS).text
    with office.visitor(owner) as visitor:
        path = f"{MEMBERS}/{by_email[bob]}/erase"
        assert path in visitor.get(MEMBERS).text
        assert "restate" in visitor.get(path).text
        done = visitor.post(path, data={"reports": "restate"})
        others = visitor.get(MEMBERS).text
        last = visitor.post(f"{MEMBERS}/{by_email[owner]}/erase", data={"reports": "restate"})

    assert (done.status_code, done.headers["location"]) == (303, MEMBERS)
    assert bob not in others
    assert (last.status_code, "at least one owner" in last.text) == (409, True)


def test_a_link_that_was_used_opens_nothing(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        page = visitor.post(MEMBERS, data={"email": "bob@example.com", "role": "member"})
    [path] = set(re.findall(r"/join/[\w-]+", page.text))
    with office.visitor() as bob:
        weak = bob.post(path, data={"password": "password"})
        first = bob.post(path, data={"password": PASSWORD})
        second = bob.post(path, data={"password": "another long password"})
        shown = bob.get(path)

    assert [weak.status_code, first.status_code] == [400, 303]
    assert [second.status_code, shown.status_code] == [401, 401]


def test_files_change_their_address_with_their_bytes(office: Office) -> None:
    with office.visitor() as visitor:
        [path] = re.findall(r'href="(/static/\w+/style.css)"', visitor.get("/sign-in").text)
        found = visitor.get(path)
        other = visitor.get("/static/0000000000000000/style.css")
        outside = visitor.get("/static/0000000000000000/..%2f..%2fpages.py")

    assert (found.status_code, found.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in found.headers["cache-control"]
    assert (other.status_code, outside.status_code) == (404, 404)


def test_a_removed_person_is_out_at_once(office: Office) -> None:
    db = office.server.services.db
    bob = office.person("member")
    with office.visitor(bob) as visitor:
        before = visitor.get(KEYS)
        [member] = [each for each in reads.list_members(db, office.org) if each.email == bob]
        service.remove_member(db, office.org, member.user_id)
        after = visitor.get(KEYS)

    assert (before.status_code, after.status_code) == (200, 303)


def test_whoever_is_in_two_organizations_is_asked_which(office: Office) -> None:
    db = office.server.services.db
    other = Office(office.server, service.create_organization(db, "Initech"))
    for each in (office, other):
        each.person("member", "ada@example.com")
    sent = {"email": "ada@example.com", "password": PASSWORD}
    with office.visitor() as visitor:
        asked = visitor.post("/sign-in", data=sent)
        entered = visitor.post("/sign-in", data={**sent, "org": other.org})

    assert asked.status_code == 409
    assert "Initech" in asked.text
    assert entered.status_code == 303


def test_the_pages_are_no_part_of_the_described_api(office: Office) -> None:
    described = httpx.get(f"{office.server.url}/openapi.json", timeout=PATIENCE_S).json()["paths"]

    assert [path for path in described if path.startswith(("/settings", "/sign", "/join"))] == []


def test_a_used_link_says_so_and_leads_to_signing_in(office: Office) -> None:
    with office.visitor() as visitor:
        refused = visitor.get("/join/sml_used")

    assert refused.status_code == 401
    assert "<h1>This link does not work</h1>" in refused.text
    assert ">Sign in</a>" in refused.text


def test_an_unknown_address_is_a_page_for_browsers_and_json_for_programs(
    office: Office, owner: str
) -> None:
    html = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    with office.visitor(owner) as visitor:
        page = visitor.get("/settngs", headers=html)
        wrong_method = visitor.put(KEYS, headers=html)
        program = visitor.get("/settngs")
        api = visitor.get("/api/platform/v1/nothing", headers=html)

    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page or operation at this address." in page.text
    assert "Sign out" in page.text
    assert wrong_method.status_code == 405
    assert "GET" in wrong_method.headers["allow"]
    assert "<h1>" in wrong_method.text
    assert program.json()["metadata"]["code"] == "unknown_route"
    assert api.json()["status"] == 404


@pytest.mark.parametrize(
    "path", ["/limits/requests/%00", "/repositories/%00/ci", "/people/a%00", "/computers/%00"]
)
def test_an_address_with_a_nul_is_unknown_before_any_database_is_asked(
    office: Office, owner: str, path: str
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.get(path)

    assert answer.status_code == 404
    assert "There is no such page." in answer.text


def test_a_failure_of_ours_is_a_page_with_the_id_that_finds_it(
    office: Office, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(reads, "list_keys", fail)
    with office.visitor(owner) as visitor:
        page = visitor.get(KEYS, headers={"Accept": "text/html"})

    assert page.status_code == 500
    assert page.headers["x-request-id"] in page.text
    assert "secret detail" not in page.text


def test_a_notice_of_the_operator_is_on_every_page_as_text(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(settings_for(tmp_path, "sqlite"), notice="<b>Staging</b>")
    with running_server(settings) as server:
        pages = [
            httpx.get(f"{server.url}{path}", timeout=PATIENCE_S).text
            for path in ("/sign-in", "/join/no")
        ]

    assert all("&lt;b&gt;Staging&lt;/b&gt;" in page for page in pages)

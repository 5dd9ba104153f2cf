"""Connecting an agent: a key that can only send, the lines to paste, and what has arrived."""

from __future__ import annotations

import html
import re

import httpx
import pytest

from stationmaster.access import reads
from stationmaster.access.model import Role
from stationmaster.agents.cards import PRODUCTS
from tests.support.patience import PATIENCE_S
from tests.web.conftest import Office

EVENT = {
    "event_id": "0123456789abcdef0123456789abcdef",
    "kind": "user_message",
    "ts": 1_700_000_000_000,
    "product": "codex",
    "source": "hook",
    "session_id": "s-1",
}


def made_key(page: str) -> str:
    found = re.search(r"sm_[A-Za-z0-9_]+", html.unescape(page))
    assert found is not None, page
    return found[0]


@pytest.mark.parametrize("agent", PRODUCTS)
@pytest.mark.parametrize("way", ["laptop", "fleet", "ci"])
def test_a_key_that_can_only_send_comes_with_the_lines_that_use_it(
    office: Office, owner: str, agent: str, way: str
) -> None:
    with office.visitor(owner) as visitor:
        shown = visitor.post("/connect", data={"agent": agent, "way": way})

    [key] = reads.list_keys(office.server.services.db, office.org)
    assert shown.status_code == 200
    assert (key.scope, key.role) == ("ingest", "guest")
    assert key.principal_kind == ("human" if way == "laptop" else "service")
    secret = made_key(shown.text)
    assert shown.text.count(secret) >= 1
    assert f"/connect/{key.key_id}?agent={agent}" in shown.text
    me = httpx.get(
        f"{office.server.url}/api/platform/v1/me",
        headers={"Authorization": f"Bearer {secret}"},
        timeout=PATIENCE_S,
    )
    assert me.json()["scope"] == "ingest"


def test_the_page_says_when_nothing_when_a_request_and_when_telemetry_has_come(
    office: Office, owner: str
) -> None:
    services = office.server.services
    with office.visitor(owner) as visitor:
        secret = made_key(visitor.post("/connect", data={"agent": "codex", "way": "laptop"}).text)
        [key] = reads.list_keys(services.db, office.org)
        page = f"/connect/{key.key_id}?agent=codex"
        nothing = visitor.get(page).text
        sent = httpx.post(
            f"{office.server.url}/api/platform/v1/events",
            headers={"Authorization": f"Bearer {secret}"},
            json=[EVENT],
            timeout=PATIENCE_S,
        )
        services.last_use.flush(services.db)
        services.mover.drain()
        arrived = visitor.get(page).text

    assert sent.status_code == 200, sent.text
    assert "Nothing yet" in nothing
    assert "It arrives" in arrived
    assert "Codex" in arrived


@pytest.mark.parametrize(
    ("role", "page", "laptop", "fleet"),
    [("manager", 200, 200, 200), ("member", 200, 200, 403), ("guest", 403, 403, 403)],
)
def test_members_connect_their_own_computer_and_managers_fleets(
    office: Office, role: Role, page: int, laptop: int, fleet: int
) -> None:
    with office.visitor(office.person(role)) as visitor:
        answers = [
            visitor.get("/connect").status_code,
            visitor.post("/connect", data={"agent": "codex", "way": "laptop"}).status_code,
            visitor.post("/connect", data={"agent": "codex", "way": "fleet"}).status_code,
        ]

    assert answers == [page, laptop, fleet]


def test_a_key_of_another_person_is_not_shown(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        visitor.post("/connect", data={"agent": "codex", "way": "laptop"})
    [key] = reads.list_keys(office.server.services.db, office.org)
    with office.visitor(office.person("member")) as visitor:
        assert visitor.get(f"/connect/{key.key_id}").status_code == 404


def test_managers_make_keys_that_send_for_many_people_at_once(office: Office, owner: str) -> None:
    people = [office.person("member", f"{name}@many.example") for name in ("ada", "bob")]
    with office.visitor(owner) as visitor:
        refused = visitor.post(
            "/settings/api-keys/many",
            data={"name": "laptops", "people": "ada@many.example\nnobody@many.example"},
        )
        before = reads.list_keys(office.server.services.db, office.org)
        made = visitor.post(
            "/settings/api-keys/many", data={"name": "laptops", "people": "\n".join(people)}
        )

    keys = reads.list_keys(office.server.services.db, office.org)
    assert refused.status_code == 400
    assert "nobody@many.example" in refused.text
    assert before == []
    assert made.status_code == 200
    assert [(key.scope, key.role) for key in keys] == [("ingest", "guest")] * 2
    assert all(f"{address},sm_" in made.text for address in people)


def test_a_member_makes_no_keys_for_others(office: Office, owner: str) -> None:
    with office.visitor(office.person("member")) as visitor:
        many = visitor.post("/settings/api-keys/many", data={"name": "x", "people": owner})

    assert many.status_code == 403
    assert reads.list_keys(office.server.services.db, office.org) == []

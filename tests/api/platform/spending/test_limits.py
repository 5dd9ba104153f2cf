"""GET /api/platform/v1/limits and PUT …/limits/service-accounts/{id}."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.model import Role
from stationmaster.ids import OrgId
from tests.spec import day
from tests.support.builders import a_key, a_member, a_service_account, an_organization
from tests.support.servers import Server, running_server, settings_for

LIMITS = "/api/platform/v1/limits"
GLOBAL = "/api/v0/organization/usage/limits/global"
M = 1_000_000


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    """An organization after Tuesday's and Thursday's work of people and a program."""
    clock.freeze(day.NOW)
    acme = day.Acme(any_server.services.db)
    with any_server.client(acme.key) as client, any_server.client(acme.nightly_key) as program:
        day.send(client, [*day.tuesday(), *day.thursday()])
        day.send(program, day.nightly())
    return acme


def principals(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    return {each["email"] or each["name"]: each for each in answer.json()["principals"]}


@pytest.mark.both_databases
def test_what_is_used_is_what_the_reports_tell_of_the_period(
    acme: day.Acme, ada: httpx.Client
) -> None:
    found = ada.get(LIMITS)

    # Ada: 1536 + 14 on Tuesday, 1.2 x 10 on Thursday. The program: 0.4 x 110.
    used = {who: each["used"] for who, each in principals(found).items()}
    assert used == {"ada@example.com": 1562, "nightly": 44}
    report = ada.get(
        "/api/v1/analytics/tokens", params={"startDate": "2026-11-01", "endDate": "2026-11-20"}
    )
    total = sum(row["billable_tokens"] for row in report.json()["data"])
    assert found.json()["totalUsed"] == total == 1562 + 44 + 128  # Bob is no member.


def test_the_period_and_the_last_day_that_counts_are_told(ada: httpx.Client) -> None:
    found = ada.get(LIMITS).json()

    assert found["period"] == {
        "start": "2026-11-01",
        "end": "2026-11-30",
        "reset": int(datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1000),
    }
    assert found["usedThrough"] == "2026-11-20"


@pytest.mark.both_databases
def test_use_stands_beside_the_limit_that_applies(acme: day.Acme, ada: httpx.Client) -> None:
    before = principals(ada.get(LIMITS))
    ada.put(GLOBAL, json={"globalLimit": M})
    program = f"{LIMITS}/service-accounts/{acme.nightly.service_account_id}"
    set_own = ada.put(program, json={"limit": 2 * M})
    answer = ada.get(LIMITS)

    assert before["nightly"] == {
        "id": acme.nightly.service_account_id,
        "kind": "service",
        "email": None,
        "name": "nightly",
        "limit": None,
        "effectiveLimit": None,
        "used": 44,
        "remaining": None,
        "share": None,
        "state": None,
        "forecast": 66,
    }
    assert set_own.json() == {"id": acme.nightly.service_account_id, "limit": 2 * M}
    assert answer.json()["globalLimit"] == M
    after = principals(answer)
    assert after["nightly"] == before["nightly"] | {
        "limit": 2 * M,
        "effectiveLimit": 2 * M,
        "remaining": 2 * M - 44,
        "share": 0.0,
        "state": "within",
    }
    assert after["ada@example.com"]["effectiveLimit"] == M
    assert after["ada@example.com"]["share"] == 0.0016
    removed = ada.put(program, json={"limit": None})
    assert removed.json()["limit"] == M


def test_a_forecast_is_the_average_of_the_days_that_count(ada: httpx.Client) -> None:
    found = ada.get(LIMITS).json()

    # 20 of the 30 days of November count.
    assert found["daysCounted"] == 20
    assert found["totalForecast"] == found["totalUsed"] * 30 // 20


@pytest.mark.parametrize("role", ["manager", "member", "guest"])
def test_everyone_reads_their_own_limit_however_people_are_shown(
    any_server: Server, acme: day.Acme, ada: httpx.Client, role: Role
) -> None:
    ada.put(GLOBAL, json={"globalLimit": M})
    ada.put("/api/platform/v1/privacy", json={"mode": "off"})
    db = any_server.services.db
    a_member(db, acme.org, "boss@example.com", "owner")
    service.set_role(db, acme.org, acme.ada.user_id, role)
    own = ada.get(f"{LIMITS}/me").json()

    assert own["principal"] == {
        "id": acme.ada.user_id, "kind": "human", "email": "ada@example.com", "name": None,
        "limit": None, "effectiveLimit": M, "used": 1562, "remaining": M - 1562, "share": 0.0016,
        "state": "within", "forecast": 2343,
    }  # fmt: skip
    assert own["usedThrough"] == "2026-11-20"


@pytest.mark.both_databases
def test_late_events_are_counted_at_the_next_question(acme: day.Acme, ada: httpx.Client) -> None:
    before = principals(ada.get(LIMITS))["ada@example.com"]["used"]
    day.send(ada, day.thursday())
    clock.freeze(day.NOW + timedelta(hours=1))  # However long the first roll-up took, it rested.

    assert principals(ada.get(LIMITS))["ada@example.com"]["used"] == before + 12


def test_nothing_is_used_on_the_first_day_of_a_period(ada: httpx.Client) -> None:
    clock.freeze(datetime(2026, 12, 1, 9, tzinfo=UTC))

    found = ada.get(LIMITS).json()

    assert (found["period"]["start"], found["usedThrough"]) == ("2026-12-01", None)
    assert (found["totalUsed"], {each["used"] for each in found["principals"]}) == (0, {0})


@pytest.mark.parametrize("reset_day", [19, 21])
def test_a_setting_says_when_the_period_begins(tmp_path: Path, reset_day: int) -> None:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path, "sqlite", credit_reset_day=reset_day)) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            day.send(client, [*day.tuesday(), *day.thursday()])
            found = client.get(LIMITS).json()

    assert found["period"]["start"] == f"2026-11-{reset_day}"
    assert found["totalUsed"] == (12 if reset_day == 19 else 0)


@pytest.mark.both_databases
def test_pages_follow_one_another_until_nobody_is_left(any_server: Server) -> None:
    clock.freeze(day.NOW)
    db = any_server.services.db
    org = an_organization(db)
    emails = [f"p{n}@example.com" for n in range(4)]
    for email in emails:
        a_member(db, org, email, "owner")
    with any_server.client(a_key(db, org, a_member(db, org, emails[0]))) as client:
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = client.get(LIMITS, params={"limit": "3", **cursor}).json()
            seen += [each["email"] for each in page["principals"]]
            if not page["pagination"]["hasMore"]:
                break
            cursor = {"cursor": page["pagination"]["nextCursor"]}
        beyond = client.get(LIMITS, params={"cursor": "zzz"}).json()

    assert sorted(seen) == emails
    assert page["pagination"] == {"hasMore": False, "nextCursor": None}
    assert beyond["principals"] == []


@pytest.mark.parametrize(
    "asked",
    [{"limit": "0"}, {"limit": "101"}, {"limit": "many"}, {"cursor": "x\0"}, {"cursor": ""}],
)
def test_a_page_that_cannot_be_is_refused(ada: httpx.Client, asked: dict[str, str]) -> None:
    assert ada.get(LIMITS, params=asked).status_code == 400


@pytest.mark.parametrize("account", ["svc_none", "user_none"])
def test_an_unknown_service_account_is_404(ada: httpx.Client, account: str) -> None:
    answer = ada.put(f"{LIMITS}/service-accounts/{account}", json={"limit": M})

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (404, "not_found")


def test_a_service_account_of_another_organization_is_as_unknown(
    any_server: Server, ada: httpx.Client
) -> None:
    db = any_server.services.db
    theirs = a_service_account(db, an_organization(db, "Other")).service_account_id

    answers = [
        ada.put(f"{LIMITS}/service-accounts/{account}", json={"limit": M})
        for account in (theirs, "svc_none")
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert answers[0].json() == answers[1].json()


@pytest.mark.parametrize(
    ("account", "body"),
    [
        ("svc_%00", {"limit": M}),
        ("ada@example.com", {"limit": M}),
        ("svc_none", {"limit": M - 1}),
        ("svc_none", {"limit": "1000000"}),
        ("svc_none", {}),
        ("svc_none", {"limit": M, "email": "x"}),
    ],
)
def test_what_cannot_be_a_change_is_refused(
    ada: httpx.Client, account: str, body: dict[str, object]
) -> None:
    assert ada.put(f"{LIMITS}/service-accounts/{account}", json=body).status_code == 400


def test_only_owners_and_managers_see_and_change(any_server: Server, org_of_roles: Roles) -> None:
    statuses = {}
    for who, key in org_of_roles.items():
        with any_server.client(key) as client:
            path = f"{LIMITS}/service-accounts/svc_none"
            answers = (client.get(LIMITS), client.put(path, json={"limit": M}))
        statuses[who] = [answer.status_code for answer in answers]

    assert statuses == {
        "owner": [200, 404],
        "manager": [200, 404],
        "program": [200, 404],
        "member": [403, 403],
        "guest": [403, 403],
        "stranger": [401, 401],
    }


Roles = dict[str, str | None]


@pytest.fixture
def org_of_roles(any_server: Server) -> Roles:
    db = any_server.services.db
    org: OrgId = an_organization(db)
    return {
        "owner": a_key(db, org, a_member(db, org, "o@example.com", "owner")),
        "manager": a_key(db, org, a_member(db, org, "m@example.com", "manager")),
        "program": a_key(db, org, a_service_account(db, org, "deploy", "manager")),
        "member": a_key(db, org, a_member(db, org, "ada@example.com")),
        "guest": a_key(db, org, a_member(db, org, "g@example.com", "guest")),
        "stranger": None,
    }


def test_writes_are_limited_apart_from_reads(tmp_path: Path) -> None:
    fields = {"limit_writes_per_minute": 2}
    with running_server(settings_for(tmp_path, "sqlite", **fields)) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            writes = [client.put(GLOBAL, json={"globalLimit": M}) for _ in range(3)]
            read = client.get(GLOBAL)

    assert [each.status_code for each in writes] == [200, 200, 429]
    assert writes[-1].headers["retry-after"]
    assert read.status_code == 200

"""GET /api/platform/v1/coverage: who sends, who stopped, who never did, and on which machines."""

from __future__ import annotations

import json

import httpx
import pytest

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from tests.api.platform.coverage.senders import COVERAGE, ago, by_name, covered
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, an_event, an_organization
from tests.support.servers import Server

MACHINE = {"X-Stationmaster-Machine": "f00d" * 8}


@pytest.mark.both_databases
def test_people_are_active_quiet_stopped_or_never_seen(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    a_member(db, acme.org, "cy@example.com")
    silent = {"ada@example.com": 3, "bob@example.com": 4}
    for who, count in silent.items():
        day.send(ada, [an_event(user_email=who, ts=ago(count) - 5)])
    a_member(db, acme.org, "dee@example.com")
    day.send(ada, [an_event(user_email="dee@example.com", ts=ago(14), product="codex")])

    found = covered(ada)

    states = {who: (each["kind"], each["state"]) for who, each in by_name(found).items()}
    assert states == {
        "ada@example.com": ("member", "active"),
        "bob@example.com": ("observed", "quiet"),
        "cy@example.com": ("member", "never"),
        "dee@example.com": ("member", "stopped"),
        "nightly": ("service", "never"),
    }
    assert found["peopleByState"] == {"active": 1, "quiet": 1, "stopped": 1, "never": 2}
    [problem] = found["problems"]
    assert "dee@example.com (14 days)" in problem
    cy = by_name(found)["cy@example.com"]
    assert (cy["since"], cy["lastSeen"], cy["daysSilent"], cy["senders"]) == (None, None, None, [])
    agents = {each["agent"]: (each["state"], each["people"]) for each in found["agents"]}
    assert agents == {"claude-code": ("active", 2), "codex": ("stopped", 1)}


@pytest.mark.both_databases
def test_an_alias_is_its_person(any_server: Server, acme: day.Acme, ada: httpx.Client) -> None:
    with any_server.client(acme.nightly_key) as program:
        day.send(program, [an_event(installation="i1", session_id="s8", ts=ago(9))])
        shown = {"installation": "i1", "user_email": "bob@example.com"}
        day.send(program, [an_event(session_id="s9", ts=ago(2), **shown)])
    covered(ada)  # Rolling up is what shows that both are one.

    bob = by_name(covered(ada))["bob@example.com"]
    assert (bob["kind"], bob["since"], bob["lastSeen"], bob["events"]) == (
        *("observed", ago(9)),
        *(ago(2), 2),
    )
    assert [sender["lastSeen"] for sender in bob["senders"]] == [ago(2), ago(9)]
    assert by_name(covered(ada))["nightly"]["state"] == "never"


def test_a_machine_is_named_by_its_client_and_known_again(
    acme: day.Acme, ada: httpx.Client
) -> None:
    ada.headers.update(MACHINE)
    day.send(ada, [an_event(ts=ago(2), product_version="2.1")])
    day.send(ada, [an_event(ts=ago(1), installation="something else")])
    ada.headers.pop("X-Stationmaster-Machine")
    day.send(ada, [an_event(ts=ago(1))])

    [laptop, unnamed] = by_name(covered(ada))["ada@example.com"]["senders"]
    assert laptop["machine"].startswith("machine_")
    assert (laptop["agent"], laptop["source"], laptop["version"], laptop["events"]) == (
        *("claude-code", "otlp_logs"),
        *("2.1", 2),
    )
    assert (laptop["since"], laptop["lastSeen"]) == (ago(2), ago(1))
    assert unnamed["machine"] == "unnamed"


def test_one_laptop_whose_export_and_client_name_it_differently_is_one_machine(
    ada: httpx.Client,
) -> None:
    day.send(ada, [an_event(ts=ago(1), installation="agent's own id")])
    ada.headers.update(MACHINE)
    day.send(ada, [an_event(ts=ago(1), source="hook")])
    ada.headers.pop("X-Stationmaster-Machine")
    day.send(ada, [an_event(ts=ago(1), installation="another id", user_email="bob@example.com")])

    [agent] = covered(ada)["agents"]

    assert (agent["agent"], agent["machines"]) == ("claude-code", 2)


def test_without_names_programs_alone_are_listed(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    day.send(ada, [an_event(ts=ago(20)), an_event(user_email="bob@example.com", ts=ago(1))])
    hide(any_server, acme, "pseudonymous")

    found = covered(ada)

    assert [each["name"] for each in found["people"]] == ["nightly"]
    assert found["peopleByState"] == {"active": 1, "quiet": 0, "stopped": 1, "never": 1}
    assert {each["principalKind"] for each in found["silentKeys"]} == {"service"}
    assert found["problems"] == []
    text = json.dumps(found)
    assert "example.com" not in text
    assert acme.ada.user_id not in text


@pytest.mark.parametrize("mode", ["team-only", "off"])
def test_too_few_people_are_told_of_in_no_list(
    any_server: Server, acme: day.Acme, ada: httpx.Client, mode: PrivacyMode
) -> None:
    few = {"ts": ago(1), "product": "codex"}
    many = {"ts": ago(1), "product": "opencode", "session_id": "s2"}
    senders = [f"p{n}@example.com" for n in range(3)]
    day.send(ada, [an_event(user_email=each, **few) for each in senders[:2]])
    day.send(ada, [an_event(user_email=each, **many) for each in senders])
    day.send(ada, [an_event(user_email=senders[0], source="store_db", **many)])
    hide(any_server, acme, mode)

    found = covered(ada)

    assert [each["kind"] for each in found["people"]] == ["service"]
    assert found["peopleByState"] is None
    assert [each["agent"] for each in found["agents"]] == ["opencode"]
    assert [found[name] for name in ("drops", "quality", "comparisons")] == [[], [], []]
    assert "p0@" not in json.dumps(found)


def test_versions_of_a_few_people_are_not_listed_where_nobody_is_shown_alone(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    columns = "org_id, user_id, machine, product, source, version, first_at, last_at, version_at"
    row = [acme.org, "", "machine_1", "opencode", "otlp_logs", "", ago(1), ago(1), ago(1)]
    figures = "events, unknown, unknown_before, refused"
    senders = [(f"user_{n}", "2.0" if n else "1.0") for n in range(4)] + [("svc_nightly", "0.9")]
    rows = [[row[0], user, *row[2:5], version, *row[6:], 1, 2, 0, 0] for user, version in senders]
    places = ", ".join("?" * 13)
    db.write(f"INSERT INTO senders ({columns}, {figures}) VALUES ({places})", rows)
    hide(any_server, acme, "team-only")

    assert {each["version"] for each in covered(ada)["unknown"]} == {"2.0", "0.9"}


def hide(server: Server, acme: day.Acme, mode: PrivacyMode) -> None:
    db = server.services.db
    privacy.put(db, acme.org, mode, 3, by=a_caller(db, acme.org, acme.ada))


@pytest.mark.both_databases
def test_valid_keys_that_nobody_has_used_are_listed(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    ben = a_member(any_server.services.db, acme.org, "ben@example.com")
    a_key(any_server.services.db, acme.org, ben, "ingest")
    any_server.services.last_use.flush(any_server.services.db)
    covered(ada)
    any_server.services.last_use.flush(any_server.services.db)

    found = covered(ada)["silentKeys"]
    assert {(each["principalId"], each["scope"]) for each in found} == {
        (ben.user_id, "ingest"),
        (acme.nightly.service_account_id, "full"),
    }


@pytest.mark.both_databases
def test_people_come_in_pages(ada: httpx.Client, acme: day.Acme, any_server: Server) -> None:
    for name in ("b", "c", "d"):
        a_member(any_server.services.db, acme.org, f"{name}@example.com")
    whole = [each["id"] for each in covered(ada)["people"]]

    found: list[str] = []
    sizes, cursor = [], None
    while True:
        page = covered(ada, limit=2, **({} if cursor is None else {"cursor": cursor}))
        found += [each["id"] for each in page["people"]]
        sizes.append(len(page["people"]))
        assert page["peopleByState"]["never"] == 5
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            break
    assert sizes == [2, 2, 1]
    assert found == whole == sorted(whole)


@pytest.mark.both_databases
def test_nothing_of_another_organization_is_told(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    day.send(ada, [*day.tuesday(), an_event(ts=ago(1), product="marked", source="hook")])
    other = an_organization(db, "Other")
    key = a_key(db, other, a_member(db, other, "eve@other.example", "owner"))
    with any_server.client(key) as eve:
        found = covered(eve)

    assert [each["email"] for each in found["people"]] == ["eve@other.example"]
    assert [found[name] for name in ("agents", "unknown", "drops", "quality", "comparisons")] == [
        [] for _ in range(5)
    ]
    assert "example.com" not in json.dumps(found)


@pytest.mark.parametrize(
    "params", [{"days": "0"}, {"days": "93"}, {"limit": "0"}, {"limit": "1001"}, {"cursor": "/"}]
)
def test_what_cannot_be_asked_is_told(ada: httpx.Client, params: dict[str, str]) -> None:
    answer = ada.get(COVERAGE, params=params)

    assert answer.status_code == 400
    [fault] = answer.json()["metadata"]["errors"]
    assert fault["field"] == next(iter(params))

"""GET /api/platform/v1/coverage: who sends, who stopped, who never did, what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from stationmaster import clock, days
from stationmaster.access import privacy
from tests.spec import day
from tests.support.builders import a_caller, a_key, a_member, an_event, an_organization
from tests.support.servers import Server

COVERAGE = "/api/platform/v1/coverage"
MACHINE = {"X-Stationmaster-Machine": "f00d" * 8}
NOW_MS = int(day.NOW.timestamp() * 1000)


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    return day.Acme(any_server.services.db)


@pytest.fixture
def ada(any_server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with any_server.client(acme.key) as client:
        yield client


def covered(client: httpx.Client, **params: object) -> dict[str, Any]:
    answer = client.get(COVERAGE, params={"limit": 100, **params})  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["email"] or each["name"] or each["id"]: each for each in found["people"]}


def ago(count: int) -> int:
    return NOW_MS - count * days.MS_PER_DAY


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


def test_days_with_drops_tell_the_reason(ada: httpx.Client) -> None:
    wrong = {"event_id": "x", "kind": "model_call"}
    ada.post("/api/platform/v1/events", json=[wrong])
    ada.post("/v1/logs", json=otlp_logs("somebodys-agent", "hello"))
    ada.post("/v1/logs", json=otlp_logs("claude-code", "claude_code.brand_new"))
    day.send(ada, [an_event(ts=NOW_MS + days.MS_PER_DAY)])
    clock.freeze(day.NOW + timedelta(days=1))

    found = covered(ada)

    today = day.NOW.date().isoformat()
    assert sorted((each["agent"], each["reason"], each["records"]) for each in found["drops"]) == [
        ("claude-code", "clock_skew", 1),
        ("claude-code", "unknown_record", 1),
        ("unknown", "invalid", 1),
        ("unknown:somebodys-agent", "unknown_source", 1),
    ]
    assert {each["day"] for each in found["drops"]} == {today}
    [unknown] = found["unknown"]
    assert (unknown["agent"], unknown["records"], unknown["isNew"]) == ("claude-code", 1, False)
    # Dropped records alone are no data: ada never sent any before the event.
    assert by_name(found)["ada@example.com"]["since"] == NOW_MS


def otlp_logs(service: str, name: str) -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    record = {"body": {"stringValue": name}, "attributes": []}
    logs = {
        "resource": resource,
        "scopeLogs": [{"scope": {"name": service}, "logRecords": [record]}],
    }
    return {"resourceLogs": [logs]}


def test_sources_of_one_session_are_compared_and_what_is_far_off_is_a_problem(
    ada: httpx.Client,
) -> None:
    events = []
    for number in range(10):
        own = {"ts": ago(1), "session_id": f"s{number}", "product": "opencode", "kind": "tool_call"}
        events += [an_event(source="store_db", **own) for _ in range(4)]
        events += [an_event(source="otlp_logs", **own) for _ in range(4 if number else 0)]
        events.append(an_event(**(own | {"kind": "user_message"})))
    events.append(an_event(source="otlp_logs", **(own | {"session_id": "s0"})))
    day.send(ada, events)

    found = covered(ada, days=1)

    far = next(
        each
        for each in found["comparisons"]
        if (each["source"], each["figure"]) == ("otlp_logs", "tool_calls")
    )
    assert (far["sessions"], far["differing"], far["told"], far["counted"]) == (10, 1, 37, 40)
    assert (far["difference"], far["flagged"], far["share"]) == (3, 0, 0.075)
    assert far["worst"] == [{"sessionId": "s0", "told": 1, "counted": 4}]
    assert [
        problem for problem in found["problems"] if "otlp_logs reports 37 tool calls" in problem
    ]
    assert found["quality"] == [
        {
            "agent": "opencode",
            "events": 87,
            "withoutSession": 0,
            "withoutRepository": 87,
            "withoutClient": 87,
            "calls": 77,
            "withoutAutonomy": 77,
            "clockSkew": 0,
        }
    ]


def test_a_source_of_one_session_that_lacks_paid_calls_is_a_problem(ada: httpx.Client) -> None:
    own = {"ts": ago(1), "product": "gemini-cli", "kind": "model_call", "model": "gemini-2.5-pro"}
    calls = [
        {**own, "event_id": f"{n:032x}", "input_tokens": 100 + n, "output_tokens": 9}
        for n in range(19)
    ]
    day.send(ada, [an_event(source="otlp_logs", **each) for each in calls])
    day.send(ada, [an_event(source="transcript", **each) for each in calls[:14]])

    [problem] = covered(ada, days=1)["problems"]

    assert problem.startswith("gemini-cli: transcript reports 1,617 tokens in 1 sessions, ")
    assert "2,242 are counted from all sources (28% off, most in session s1)" in problem


def test_outputs_that_are_lower_bounds_are_a_problem_whether_or_not_another_source_has_them(
    ada: httpx.Client,
) -> None:
    own = {"ts": ago(1), "kind": "model_call", "model": "claude-sonnet-4-5", "source": "transcript"}
    low = {"output_tokens": 1, "quality": "output_lower_bound"}
    alone = an_event(**own, **low, session_id="s1")
    both = an_event(**own, **low, session_id="s2")
    exported = an_event(
        **(own | {"source": "otlp_logs"}), output_tokens=99, session_id="s2", event_id=both.event_id
    )
    day.send(ada, [alone, both, exported])

    [counted, beside] = covered(ada, days=1)["problems"]

    assert counted.startswith("claude-code: the output of 1 of 2 model calls is a lower bound")
    assert "`stationmaster agents setup claude-code`" in counted
    assert beside.startswith("claude-code: transcript reports 1 of 99 output tokens in 1 sessions")


def test_calls_without_a_price_are_a_problem_with_their_models(ada: httpx.Client) -> None:
    own = {"ts": ago(1), "kind": "model_call", "source": "otlp_logs", "input_tokens": 10}
    models = ["house-x", "house-x", "house-y", "claude-sonnet-4-5"]
    day.send(ada, [an_event(**own, model=model) for model in models])

    [problem] = covered(ada, days=1)["problems"]

    assert problem.startswith(
        "3 model calls have no whole price, so dollars are too low: house-x (2), house-y (1): "
    )
    assert "`stationmaster rates import FILE`" in problem


def test_a_counter_that_includes_refused_calls_is_no_difference(ada: httpx.Client) -> None:
    own = {"ts": ago(1), "product": "gemini-cli", "kind": "tool_call", "tool": "Bash"}
    counter = {"source": "otlp_metrics", "count": 2, "is_aggregate": True}
    day.send(
        ada,
        [
            an_event(source="otlp_logs", **own),
            an_event(source="otlp_logs", decision="reject", **own),
            an_event(**counter, **own),
        ],
    )

    found = covered(ada, days=1)

    [of_counter] = [
        (each["told"], each["counted"], each["difference"])
        for each in found["comparisons"]
        if (each["source"], each["figure"]) == ("otlp_metrics", "tool_calls")
    ]
    assert of_counter == (2, 1, 0)
    assert found["problems"] == []


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
    any_server: Server, acme: day.Acme, ada: httpx.Client, mode: privacy.Mode
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


def hide(server: Server, acme: day.Acme, mode: privacy.Mode) -> None:
    db = server.services.db
    privacy.put(db, acme.org, mode, 3, by=a_caller(db, acme.org, acme.ada))


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


def test_an_expected_agent_that_nobody_sends_is_a_problem(
    any_server: Server, acme: day.Acme, ada: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = msgspec.structs.replace(
        any_server.services.settings, expected_agents="codex, claude-code"
    )
    monkeypatch.setattr(any_server.app, "services", replace(any_server.services, settings=settings))
    day.send(ada, [an_event(ts=ago(1))])

    found = covered(ada)

    agents = {each["agent"]: (each["isExpected"], each["state"]) for each in found["agents"]}
    assert agents == {"claude-code": (True, "active"), "codex": (True, "never")}
    assert [p for p in found["problems"] if p.startswith("codex is expected and sends nothing")]

"""What coverage reports as a problem: sources that differ, calls without a price, silent agents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import httpx
import msgspec
import pytest

from stationmaster import clock, days
from tests.api.platform.coverage.senders import NOW_MS, ago, by_name, covered, otlp_logs
from tests.spec import day
from tests.support.builders import an_event
from tests.support.servers import Server


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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

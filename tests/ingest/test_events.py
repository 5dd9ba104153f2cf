from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import Malformed, TooLarge, UnsupportedMedia
from stationmaster.events.model import FIELDS, Event
from stationmaster.ingest import events
from stationmaster.ingest.events import ItemError, Submitted
from stationmaster.lake import rows
from stationmaster.lake.rows import Delivery
from stationmaster.lake.schema import to_table
from tests.support.builders import an_event

JSON = "application/json"
NDJSON = "application/x-ndjson"


def an_item(**members: Any) -> dict[str, Any]:
    usual = {
        "event_id": "0123456789abcdef" * 2,
        "kind": "model_call",
        "ts": 1_795_176_000_000,
        "product": "codex",
        "source": "transcript",
    }
    return usual | members


def submit(*items: Any) -> Submitted:
    return events.decode(JSON, None, json.dumps(items).encode(), body_max=2**22)


def test_the_three_forms_of_a_body_hold_the_same() -> None:
    item = an_item(input_tokens=5)
    array = submit(item, item)
    wrapped = json.dumps({"events": [item, item]}).encode()
    lines = b"\n".join([json.dumps(item).encode()] * 2) + b"\n\n"
    assert events.decode(JSON, None, wrapped, body_max=2**20) == array
    assert events.decode(NDJSON, None, lines, body_max=2**20) == array
    assert len(array.events) == 2


def test_what_a_collector_sends_comes_back_as_it_was() -> None:
    sent = an_event(input_tokens=5, quality="estimated", model_tier="thinking")
    received = events.check([msgspec.json.encode(sent)])
    assert received.errors == []
    (event,) = received.events
    assert {name: getattr(event, name) for name in FIELDS} == {
        name: getattr(sent, name) for name in FIELDS
    }


@pytest.mark.parametrize(
    "told", ["git.example.com/acme/app", "Git.example.com/Acme/App.git", "GIT.EXAMPLE.COM/acme/app"]
)
def test_a_repository_has_one_name(told: str) -> None:
    (event,) = submit(an_item(repo=told)).events
    assert event.repo == "git.example.com/acme/app"


def test_a_received_event_is_stored_like_any_other() -> None:
    (event,) = submit(an_item(input_tokens=5)).events
    row = rows.of_delivery(Delivery("org_a", [event], {}))
    assert row.plain is not None
    (stored,) = rows.decode_events(rows.compress(row.plain))
    assert type(stored) is Event
    assert to_table([event]).equals(to_table([stored]))


def test_standing_comes_from_our_table_and_not_from_the_sender() -> None:
    (event,) = submit(an_item(source="otlp_metrics", source_rank=1, source_group=1)).events
    assert (event.source_rank, event.source_group) == (5, 5)


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({"prompt": "secret"}, "Object contains unknown field `prompt`"),
        ({"event_id": "xyz"}, "at `$.event_id`"),
        ({"event_id": "0" * 32 + "\n"}, "at `$.event_id`"),
        ({"kind": "thought"}, "Invalid enum value 'thought' - at `$.kind`"),
        ({"source": "rumour"}, "Invalid enum value 'rumour' - at `$.source`"),
        ({"product": "p" * 61}, "at `$.product`"),
        ({"product": "unknown:x"}, "at `$.product`"),
        ({"ts": 1.5}, "Expected `int`, got `float` - at `$.ts`"),
        ({"ts": -1}, "Expected `int` >= 0 - at `$.ts`"),
        ({"ts_source": "gut feeling"}, "at `$.ts_source`"),
        ({"input_tokens": -1}, "Expected `int` >= 0 - at `$.input_tokens`"),
        ({"output_tokens": 10**9 + 1}, "Expected `int` <= 1000000000 - at `$.output_tokens`"),
        ({"cache_read_tokens": 2**63}, "Expected `int` <= 1000000000 - at `$.cache_read_tokens`"),
        ({"count": 0}, "Expected `int` >= 1 - at `$.count`"),
        ({"count": 10**6 + 1}, "Expected `int` <= 1000000 - at `$.count`"),
        ({"cost_usd": -0.5}, "at `$.cost_usd`"),
        ({"model": "m" * 201}, "Expected `str` of length <= 200 - at `$.model`"),
        ({"session_id": "a\x00b"}, "at `$.session_id`"),
        ({"branch": "main\n"}, "at `$.branch`"),
        ({"client": "fax"}, "Invalid enum value 'fax' - at `$.client`"),
        ({"quality": "estimated,fine"}, "at `$.quality`"),
    ],
)
def test_a_value_out_of_bounds_is_an_error_of_its_item_alone(
    members: dict[str, Any], error: str
) -> None:
    submitted = submit(an_item(), an_item(**members), an_item())
    assert len(submitted.events) == 2
    (found,) = submitted.errors
    assert found.index == 1
    assert found.error.endswith(error)
    assert submitted.drops == {("unknown", "events", "invalid"): 1}


def test_a_missing_member_is_named() -> None:
    item = an_item()
    del item["kind"]
    assert submit(item).errors == [ItemError(0, "Object missing required field `kind`")]


def test_quality_flags_are_sorted() -> None:
    (event,) = submit(an_item(quality="spread,estimated,spread")).events
    assert event.quality == "estimated,spread"


@pytest.mark.parametrize("item", [None, 5, "x", [], [[]]])
def test_items_that_are_no_objects_are_errors(item: Any) -> None:
    assert len(submit(item).errors) == 1


@pytest.mark.parametrize("body", [b"", b"5", b"[", b'{"event": []}', b'{"events": [], "x": 1}'])
def test_a_body_of_another_form_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        events.decode(JSON, None, body, body_max=2**20)


def test_a_deeply_nested_body_is_malformed_or_its_item_an_error() -> None:
    with pytest.raises(Malformed):
        events.decode(JSON, None, b"[" * 100_000, body_max=2**20)
    lines = events.decode(NDJSON, None, b'{"x":' + b"[" * 100_000, body_max=2**20)
    assert len(lines.errors) == 1


def test_more_than_ten_thousand_items_are_too_many() -> None:
    body = b"[" + b",".join([b"{}"] * 10_001) + b"]"
    with pytest.raises(TooLarge) as refusal:
        events.decode(JSON, None, body, body_max=2**20)
    assert refusal.value.code == "too_many_events"


def test_other_media_types_are_refused() -> None:
    with pytest.raises(UnsupportedMedia):
        events.decode("text/csv", None, b"", body_max=2**20)


@given(st.binary(max_size=200))
def test_any_line_is_an_event_or_an_error(line: bytes) -> None:
    submitted = events.check([line])
    assert len(submitted.events) + len(submitted.errors) == 1


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("file_path_hash", "/home/dev/secret.py"),
        ("cwd_hash", "/home/dev"),
        ("commit_sha", "what the prompt said"),
        ("hook_command", "rm -rf /home/dev"),
        ("repo", "https://user:password@git.example.com/acme/app"),
        ("pr_url", "https://user:password@git.example.com/acme/app/pull/1"),
        ("user_email", "not an address"),
    ],
)
def test_a_member_that_could_carry_content_takes_only_its_own_form(
    member: str, content: str
) -> None:
    submitted = submit(an_item(**{member: content}))

    assert submitted.events == []
    assert member in submitted.errors[0].error


def test_the_forms_of_real_events_are_taken() -> None:
    real = {
        "file_path_hash": "00ff" * 4,
        "commit_sha": "34c4d56602ae594bf87988542bf4ecc866855659",
        "hook_command": "python3",
        "repo": "git.example.com/acme/app",
        "pr_url": "https://git.example.com/acme/app/pull/1",
        "user_email": "dev@example.com",
    }

    assert submit(an_item(**real)).errors == []


def test_a_session_without_a_root_is_its_own_root() -> None:
    [event] = submit(an_item(session_id="s1")).events

    assert event.root_session_id == "s1"

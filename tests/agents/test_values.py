from __future__ import annotations

from datetime import UTC
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from stationmaster.agents import values
from stationmaster.agents.interface import InvalidRecord
from stationmaster.days import iso_ms


@pytest.mark.parametrize(
    ("given_value", "read"),
    [(7, 7), (7.0, 7), ("7", 7), ("-7", -7), (0, 0), (2**63, 2**63)],
)
def test_whole_reads_every_form_of_a_number(given_value, read):
    assert values.whole(given_value) == read


class Asked(msgspec.Struct):
    command: str | None = None
    count: Any = None


@pytest.mark.parametrize(
    "raw",
    [
        {"command": "ls", "count": 1, "other": []},
        '{"command": "ls", "count": 1, "other": []}',
        b'{"command": "ls", "count": 1}',
        msgspec.Raw(b'{"command": "ls", "count": 1}'),
    ],
)
def test_a_lenient_decoder_reads_an_object_in_any_form(raw):
    assert values.lenient(Asked)(raw) == Asked("ls", 1)


def test_a_lenient_decoder_leaves_out_what_is_of_another_type():
    assert values.lenient(Asked)('{"command": 7, "count": 1}') == Asked(None, 1)


@pytest.mark.parametrize(
    "raw", [None, 7, [], "", "ls", '{"command":', "\ud800", b"\xff", msgspec.Raw(), "[" * 100_000]
)
def test_a_lenient_decoder_gives_an_empty_record_for_all_else(raw):
    assert values.lenient(Asked)(raw) == Asked()


@pytest.mark.parametrize("nonsense", [7.5, float("nan"), float("inf"), "x", "", None, True, [], {}])
def test_whole_is_none_for_what_is_no_whole_number(nonsense):
    assert values.whole(nonsense) is None


@pytest.mark.parametrize("count", [0, 1, 1_000_000_000, "12", 12.0])
def test_tokens_reads_possible_counts(count):
    assert values.tokens(count) == int(count)


@pytest.mark.parametrize(
    "count", [-1, 1.5, 1_000_000_001, 2**63, "many", True, [1], {"a": 1}, float("nan"), ""]
)
def test_tokens_refuses_impossible_counts(count):
    with pytest.raises(InvalidRecord):
        values.tokens(count)


def test_tokens_that_were_not_given_are_none():
    assert values.tokens(None) is None


def test_refusal_does_not_repeat_the_value():
    with pytest.raises(InvalidRecord) as refused:
        values.tokens("a secret")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("word", "read"), [("true", True), (True, True), ("false", False), (False, False), (1, None)]
)
def test_flag_reads_booleans_and_their_words(word, read):
    assert values.flag(word) is read


def test_name_is_cut_at_two_hundred_characters():
    assert values.name("x" * 1_000_000) == "x" * 200


@pytest.mark.parametrize("nothing", ["", None, 1, {}, []])
def test_name_of_nothing_is_none(nothing):
    assert values.name(nothing) is None


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-11-21T02:06:13.682Z", 1_795_226_773_682),
        ("2026-11-21T02:06:13Z", 1_795_226_773_000),
        ("2026-11-21T02:06:13.682", 1_795_226_773_682),
        ("2026-11-21T04:06:13.682999+02:00", 1_795_226_773_682),
    ],
)
def test_time_reads_every_iso_form(text, ms):
    assert values.time_ms(text) == ms


@pytest.mark.parametrize(
    "text", ["", "yesterday", None, 5, "2026-13-01T00:00:00.000Z", "0001-01-01T00:00:00+14:00", {}]
)
def test_time_of_nonsense_is_none(text):
    result = values.time_ms(text)
    assert result is None or result < 0


@given(st.datetimes(timezones=st.just(UTC)))
def test_time_agrees_with_the_general_parser(at):
    text = at.replace(microsecond=at.microsecond // 1000 * 1000).isoformat()
    assert values.time_ms(text) == pytest.approx(iso_ms(text), abs=1)


@pytest.mark.parametrize(
    ("raw", "model"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5-20251101"),
        ("anthropic/claude-opus-4-5", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101", "claude-opus-4-5-20251101"),
        ("models/gemini-3-pro", "gemini-3-pro"),
        ("__proto__", "__proto__"),
        ("", None),
    ],
)
def test_model_names_lose_their_provider(raw, model):
    assert values.model_name(raw) == model


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://git.example.com/acme/calc.git", "git.example.com/acme/calc"),
        ("https://user:secret@Git.example.com/Acme/Calc", "git.example.com/acme/calc"),
        ("git@github.com:acme/calc.git", "github.com/acme/calc"),
        ("ssh://git@git.example.com:7999/acme/calc.git", "git.example.com/acme/calc"),
        ("/srv/git/calc", None),
        ("not a url", None),
        (None, None),
        (5, None),
    ],
)
def test_repository_is_host_owner_and_name(url, repository):
    assert values.repository(url) == repository


def test_a_name_keeps_its_printable_characters_alone() -> None:
    assert values.name("\x1b[31mred\x1b[0m\nmodel\u202e\x9b") == "[31mred[0mmodel"


def test_a_length_that_ingestion_would_refuse_is_none() -> None:
    assert [values.length(it) for it in (0, "7", 10**9, 10**9 + 1, -1, None)] == [
        0, 7, 10**9, None, None, None,
    ]  # fmt: skip

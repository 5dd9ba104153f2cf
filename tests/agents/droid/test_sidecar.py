"""Tokens are a running total of the session: nothing is counted twice, however often one looks."""

from __future__ import annotations

import os
from copy import copy

import pytest

from stationmaster.agents.interface import Intake
from stationmaster.days import iso_ms
from tests.agents.builders import AT, AT_MS, SESSION, agent, of_kind
from tests.agents.droid.builders import Folder, message, start, used

NEXT_DAY = "2026-11-22T08:00:00.000Z"


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def answer(number, at=AT, **fields):
    return message("assistant", "Ok", id=f"a{number}", at=at, **fields)


def total(*intakes):
    """(input, output, cache read, cache write) of everything told, of copies the larger."""
    together = Intake()
    for intake in intakes:
        for event in intake.events:
            together.add(copy(event))
    calls = of_kind(together, "model_call")
    return tuple(
        sum(getattr(call, field) or 0 for call in calls)
        for field in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    )


def test_counters_are_disjoint_and_output_includes_thinking(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20, 300, 40, 5), providerLock="anthropic")
    [call] = of_kind(folder.look()[0], "model_call")
    assert (call.input_tokens, call.output_tokens) == (100, 25)
    assert (call.cache_read_tokens, call.cache_write_tokens, call.reasoning_tokens) == (300, 40, 5)
    assert (call.model, call.provider, call.model_tier) == ("gpt-5", "anthropic", "thinking")
    assert (call.is_aggregate, call.quality, call.session_id) == (True, "spread", SESSION)


def test_what_grows_between_looks_is_counted_once(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.say(answer(2))
    folder.set(used(150, 35, 10))
    second, state = folder.look(state)
    third, _ = folder.look(state)
    assert total(first, second, third) == (150, 35, 10, 0)
    assert (third.events, third.drops) == ([], {"redundant": 1})


def test_looking_again_from_the_beginning_adds_nothing(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.say(answer(2))
    folder.set(used(150, 35))
    second, _ = folder.look(state)
    anew, _ = folder.look()
    assert total(first, second, anew) == total(anew, second, first) == (150, 35, 0, 0)


def test_an_older_look_that_arrives_late_changes_nothing(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.set(used(150, 35))
    second, _ = folder.look(state)
    assert total(second, first) == (150, 35, 0, 0)


def test_a_session_over_two_days_is_spread_over_the_answers_of_each(folder):
    folder.say(start(), answer(1), answer(2), answer(3), answer(4, NEXT_DAY))
    folder.set(used(100, 22, 7))
    calls = of_kind(folder.look()[0], "model_call")
    assert [(c.ts, c.input_tokens, c.output_tokens, c.cache_read_tokens) for c in calls] == [
        (AT_MS, 75, 16, 5),
        (iso_ms(NEXT_DAY), 25, 6, 2),
    ]


def test_what_comes_on_the_next_day_is_of_that_day(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.say(answer(2, NEXT_DAY))
    folder.set(used(130, 27))
    second, _ = folder.look(state)
    assert [c.input_tokens for c in of_kind(first, "model_call")] == [100]
    assert [(c.ts, c.input_tokens) for c in of_kind(second, "model_call")] == [
        (iso_ms(NEXT_DAY), 30)
    ]


def test_answers_that_come_before_their_tokens_are_remembered(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    _, state = folder.look()
    folder.say(answer(2, NEXT_DAY))
    nothing, state = folder.look(state)
    folder.set(used(130, 27))
    second, _ = folder.look(state)
    assert nothing.events == []
    assert [c.ts for c in of_kind(second, "model_call")] == [iso_ms(NEXT_DAY)]


def test_tokens_without_a_new_answer_go_where_the_last_ones_went(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.set(used(101, 21))
    second, _ = folder.look(state)
    assert total(first, second) == (101, 21, 0, 0)
    assert len({e.event_id for i in (first, second) for e in of_kind(i, "model_call")}) == 1


def test_answers_name_their_model_in_newer_builds(folder):
    folder.say(
        start(),
        answer(1, modelId="claude-opus-4-5"),
        answer(2, modelId="claude-opus-4-5"),
        answer(3, modelId="custom:GLM-4.6-[Z.AI]-0"),
    )
    folder.set(used(90, 30))
    calls = of_kind(folder.look()[0], "model_call")
    assert [(c.model, c.input_tokens) for c in calls] == [("claude-opus-4-5", 60), ("GLM-4.6", 30)]


def test_a_smaller_total_is_a_new_one(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.say(answer(2))
    folder.set(used(10, 2))
    second, _ = folder.look(state)
    assert total(first, second) == (110, 22, 0, 0)


def test_a_total_of_nothing_is_no_new_one(folder):
    folder.say(start(), answer(1))
    folder.set(used(100, 20))
    first, state = folder.look()
    folder.set(used())
    second, state = folder.look(state)
    folder.set(used(110, 21))
    third, _ = folder.look(state)
    assert total(first, second, third) == (110, 21, 0, 0)


@pytest.mark.parametrize(
    ("lock", "ts", "ts_source"),
    [("2026-11-21T02:06:13.682Z", AT_MS, "sidecar"), (None, 1_795_200_000_000, "file_time")],
)
def test_settings_alone_know_the_time_of_their_lock_else_of_their_file(folder, lock, ts, ts_source):
    folder.set(used(100, 20), providerLockTimestamp=lock)
    os.utime(folder.settings, ns=(0, 1_795_200_000_000 * 1_000_000))
    [call] = of_kind(folder.look()[0], "model_call")
    assert (call.ts, call.ts_source, call.session_id) == (ts, ts_source, SESSION)


def test_a_total_that_is_all_there_is_counts_as_output(folder):
    folder.set({"totalTokens": 500})
    [call] = of_kind(folder.look()[0], "model_call")
    assert (call.input_tokens, call.output_tokens) == (0, 500)


@pytest.mark.parametrize(
    ("model", "said", "lock", "name"),
    [
        ("claude-sonnet-4-5-20250929", "", None, "claude-sonnet-4-5-20250929"),
        ("custom:Claude-Opus-4.5-Thinking-[Anthropic]-0", "", None, "Claude-Opus-4.5-Thinking"),
        ("anthropic/claude-opus-4-5", "", None, "claude-opus-4-5"),
        (None, "Model: Claude Opus 4.5\nDate: x", "anthropic", "claude-opus-4.5"),
        (None, "Model: gpt-5.1-codex", None, "gpt-5.1-codex"),
        (None, "Model: gpt of my own secret plans", None, "gpt"),
        (None, "Model: our own secret", "openai", "openai-unknown"),
        (None, "", None, None),
        (7, "", "openai", "openai-unknown"),
    ],
)
def test_model_is_that_of_the_settings_else_a_known_one_that_a_text_names(
    folder, model, said, lock, name
):
    folder.say(start(), message("user", f"<system-reminder>{said}</system-reminder>"), answer(1))
    folder.set(used(1, 1), model=model, providerLock=lock)
    [call] = of_kind(folder.look()[0], "model_call")
    assert call.model == name


@pytest.mark.parametrize(
    ("effort", "tier"), [("high", "thinking"), ("none", "standard"), (None, "standard")]
)
def test_reasoning_effort_is_the_tier(folder, effort, tier):
    folder.set(used(1, 1), reasoningEffort=effort)
    [call] = of_kind(folder.look()[0], "model_call")
    assert call.model_tier == tier


def test_first_level_holds_from_the_beginning_and_others_from_when_they_were_written(folder):
    folder.say(start(), answer(1))
    folder.set(autonomyLevel="low", interactionMode="auto")
    first, state = folder.look()
    folder.set(autonomyLevel="high", interactionMode="auto")
    os.utime(folder.settings, ns=(0, 1_795_300_000_000 * 1_000_000))
    second, state = folder.look(state)
    third, _ = folder.look(state)
    modes = [(e.ts, e.autonomy, e.autonomy_raw) for i in (first, second, third) for e in i.events]
    assert modes == [
        (AT_MS, "auto-low", "auto/low"),
        (1_795_300_000_000, "auto-high", "auto/high"),
    ]


def test_settings_and_session_file_tell_the_same_first_level(folder):
    folder.say(start(), message("user", "x"), answer(1))
    folder.set(autonomyLevel="low", interactionMode="auto")
    intake = Intake()
    reader = agent("droid").transcript(str(folder.journal))
    reader.feed_lines(folder.journal.read_bytes(), intake)
    settings, _ = folder.look()
    ids = {e.event_id for i in (intake, settings) for e in of_kind(i, "mode_change")}
    assert len(ids) == 1


def test_the_session_is_what_the_session_file_calls_itself(folder):
    folder.say(start(id="other"), answer(1))
    folder.set(used(1, 1))
    [call] = of_kind(folder.look()[0], "model_call")
    assert call.session_id == "other"


def test_a_half_written_line_waits_for_the_next_look(folder):
    folder.say(start(), answer(1))
    with folder.journal.open("a") as file:
        file.write('{"type":"message","id":"a2","timesta')
    folder.set(used(100, 20))
    _, state = folder.look()
    with folder.journal.open("a") as file:
        file.write(f'mp":"{NEXT_DAY}","message":{{"role":"assistant","content":[]}}}}\n')
    folder.set(used(110, 22))
    second, _ = folder.look(state)
    assert [(c.ts, c.input_tokens) for c in of_kind(second, "model_call")] == [
        (iso_ms(NEXT_DAY), 10)
    ]


@pytest.mark.parametrize(
    "usage",
    [
        used(-1),
        used(2**63),
        used(1_000_000_001),
        used(out=900_000_000, think=900_000_000),
        {"inputTokens": "many"},
    ],
)
def test_impossible_tokens_are_rejected(folder, usage):
    folder.set(usage)
    intake, _ = folder.look()
    assert (intake.events, intake.drops) == ([], {"invalid": 1})


@pytest.mark.parametrize("text", ["{half", "", "[]", "[" * 100_000, "x" * 2**21])
def test_settings_that_are_none_stop_nothing(folder, text):
    folder.settings.write_text(text)
    assert folder.look()[0].events == []


@pytest.mark.parametrize("line", ["{not json", "[]", '"x"', '{"message": 5}', "[" * 100_000])
def test_lines_that_are_no_records_stop_nothing(folder, line):
    folder.journal.write_text(f"{line}\n")
    folder.say(answer(1))
    folder.set(used(1, 1))
    assert total(folder.look()[0]) == (1, 1, 0, 0)


def test_another_session_file_in_its_place_is_read_anew(folder):
    folder.say(start(), *(answer(n) for n in range(9)))
    folder.set(used(100, 20))
    _, state = folder.look()
    folder.journal.unlink()
    folder.say(answer(1, NEXT_DAY))
    folder.set(used(110, 22))
    second, _ = folder.look(state)
    assert [c.ts for c in of_kind(second, "model_call")] == [iso_ms(NEXT_DAY)]


def test_many_models_are_kept_apart_only_so_far(folder):
    folder.say(start(), *(answer(n, modelId=f"m{n}") for n in range(500)))
    folder.set(used(1000, 500))
    intake, _ = folder.look()
    assert total(intake) == (1000, 500, 0, 0)
    assert len(of_kind(intake, "model_call")) <= 200


def test_stamp_changes_with_the_file(folder):
    folder.set(used(1, 1))
    reader = agent("droid").transcript(str(folder.settings))
    before = reader.stamp()
    assert reader.stamp() == before
    folder.set(used(10, 10))
    assert reader.stamp() != before
    folder.settings.unlink()
    with pytest.raises(FileNotFoundError):
        reader.stamp()
    with pytest.raises(FileNotFoundError):
        reader.read(Intake())

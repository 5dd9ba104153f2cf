from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from stationmaster.agents import cards, recognition
from stationmaster.agents.cards.home import Home, Root
from stationmaster.agents.copilot_cli import store
from stationmaster.agents.interface import Document, Intake
from tests.agents.builders import SESSION, agent, of_kind
from tests.agents.counting import counted, facts

TABLES = """
create table schema_version (version integer not null);
create table sessions (id text primary key, cwd text, repository text, host_type text,
  branch text, summary text, created_at text, updated_at text);
create table turns (id integer primary key, session_id text, turn_index integer,
  user_message text, assistant_response text, timestamp text);
create table assistant_usage_events (id integer primary key autoincrement,
  session_id text not null, turn_index integer, agent_id text, parent_tool_call_id text,
  model text not null, input_tokens integer, output_tokens integer, cache_read_tokens integer,
  cache_write_tokens integer, reasoning_tokens integer, duration_ms integer, initiator text,
  reasoning_effort text, finish_reason text, created_at text);
"""
MARK = "Xq7Secret"


@pytest.fixture
def path(tmp_path):
    made = tmp_path / ".copilot" / "session-store.db"
    made.parent.mkdir()
    with closing(sqlite3.connect(made)) as store:
        store.executescript(TABLES)
        store.execute(
            "insert into sessions values (?, ?, 'acme/Calc', 'github', 'main', ?, '', '')",
            (SESSION, f"/home/{MARK}", MARK),
        )
        store.execute("insert into turns values (1, ?, 0, ?, ?, '')", (SESSION, MARK, MARK))
        store.commit()
    return str(made)


def add(path, output=7, created="2026-11-21 02:06:13", **fields):
    row = {
        "session_id": SESSION,
        "model": "gpt-5",
        "input_tokens": 100,
        "output_tokens": output,
        "cache_read_tokens": 60,
        "cache_write_tokens": 10,
        "created_at": created,
        **fields,
    }
    with closing(sqlite3.connect(path)) as store:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        store.execute(
            f"insert into assistant_usage_events ({names}) values ({marks})", tuple(row.values())
        )
        store.commit()


def read(path, state=None):
    intake = Intake()
    reader = agent("copilot-cli").transcript(path, state)
    assert isinstance(reader, Document)
    reader.read(intake)
    return intake, reader.state()


def test_store_is_found_under_a_home_and_told_from_other_files(path, tmp_path):
    known = agent("copilot-cli")
    roots = Home(str(tmp_path)).roots(cards.get("copilot-cli").files)
    assert Root(f"{tmp_path}/.copilot", "session-store.db") in roots
    with open(path, "rb") as file:
        head = file.read(65_536)
    assert recognition.find_transcript(path, head) is known
    assert recognition.find_transcript(path, b"plain words") is None
    assert recognition.find_transcript(f"{tmp_path}/other.db", head) is None


def test_row_is_a_call_with_plain_input(path):
    add(path, reasoning_tokens=2, duration_ms=1500, created="2026-11-21T02:06:13.682Z")
    intake, _ = read(path)
    [call] = of_kind(intake, "model_call")
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_tokens) == (30, 60, 10)
    assert (call.output_tokens, call.reasoning_tokens, call.model_tier) == (7, 2, "thinking")
    assert (call.session_id, call.ts, call.duration_ms) == (SESSION, 1_795_226_773_682, 1500)
    [context] = of_kind(intake, "session_context")
    assert (context.repo, context.branch) == ("github.com/acme/calc", "main")


def test_time_without_a_zone_is_utc(path):
    add(path)
    [call] = of_kind(read(path)[0], "model_call")
    assert call.ts == 1_795_226_773_000


@pytest.mark.parametrize(
    ("fields", "is_auxiliary", "is_subagent"),
    [
        ({"initiator": "compaction"}, True, False),
        ({"initiator": "sub-agent"}, False, True),
        ({"agent_id": "a1", "parent_tool_call_id": "c"}, False, True),
        ({"initiator": "user"}, False, False),
    ],
)
def test_whose_call_it_is(path, fields, is_auxiliary, is_subagent):
    add(path, **fields)
    [call] = of_kind(read(path)[0], "model_call")
    assert (call.is_auxiliary, call.is_subagent) == (is_auxiliary, is_subagent)


def test_only_rows_that_were_not_told_are_told_and_twice_is_harmless(path):
    add(path, output=1)
    first, state = read(path)
    add(path, output=2)
    second, state = read(path, state)
    third, _ = read(path, state)
    assert [e.output_tokens for e in of_kind(second, "model_call")] == [2]
    assert third.events == []
    again, _ = read(path)
    ids = {e.event_id for e in first.events + second.events if e.kind == "model_call"}
    assert {e.event_id for e in of_kind(again, "model_call")} == ids


def test_many_rows_are_told_in_pieces(path, monkeypatch):
    monkeypatch.setattr(store, "_ROWS_IN_A_PIECE", 2)
    for output in range(1, 6):
        add(path, output=output)
    reader = agent("copilot-cli").transcript(path)
    pieces = []
    while not pieces or not reader.is_read:
        intake = Intake()
        reader.read(intake)
        pieces.append([e.output_tokens for e in of_kind(intake, "model_call")])
    assert pieces == [[1, 2], [3, 4], [5]]


def test_another_store_in_its_place_is_read_from_the_beginning(path):
    add(path, output=1)
    add(path, output=2)
    _, state = read(path)
    with closing(sqlite3.connect(path)) as store:
        store.executescript(
            "drop table assistant_usage_events; drop table sessions;"
            + TABLES.replace("create table schema_version (version integer not null);", "").replace(
                "create table turns", "create table if not exists turns"
            )
        )
    add(path, output=5)
    assert [e.output_tokens for e in of_kind(read(path, state)[0], "model_call")] == [5]


def test_stamp_changes_with_what_is_written(path):
    reader = agent("copilot-cli").transcript(path)
    before = reader.stamp()
    assert reader.stamp() == before
    add(path)
    assert reader.stamp() != before


def test_store_that_is_in_use_is_read_as_it_is_now(path):
    with closing(sqlite3.connect(path)) as store:
        store.execute("pragma journal_mode = wal")
        add(path, output=3)
        reader = agent("copilot-cli").transcript(path)
        before = reader.stamp()
        add(path, output=4)
        assert reader.stamp() != before
        assert len(of_kind(read(path)[0], "model_call")) == 2


def test_reading_leaves_no_file_behind_and_changes_none(path, tmp_path):
    add(path)
    before = {file: file.read_bytes() for file in (tmp_path / ".copilot").iterdir()}
    read(path)
    assert {file: file.read_bytes() for file in (tmp_path / ".copilot").iterdir()} == before


def test_rows_count_where_no_call_is_told_and_no_further(path):
    from tests.agents.copilot_cli import test_spans, test_transcript

    add(path, output=7)
    rows = of_kind(read(path)[0], "model_call")
    spans = test_spans.chat(gen_ai__usage__output_tokens=9).events
    sums = test_transcript.read(test_transcript.start(), test_transcript.shutdown(500, 11)).events
    assert facts(counted(rows, SESSION))["output"] == 7
    assert facts(counted(rows + sums, SESSION))["output"] == 7
    assert facts(counted(rows + sums + spans, SESSION))["output"] == 9


def test_columns_that_are_missing_are_not_needed(tmp_path):
    made = str(tmp_path / "session-store.db")
    with closing(sqlite3.connect(made)) as store:
        store.execute(
            "create table assistant_usage_events (session_id text, model text,"
            " input_tokens real, output_tokens real, created_at text)"
        )
        row = (SESSION, "m", 10.0, 2.0, "2026-11-21")
        store.execute("insert into assistant_usage_events values (?, ?, ?, ?, ?)", row)
        store.commit()
    [call] = read(made)[0].events
    assert (call.input_tokens, call.output_tokens) == (10, 2)


@pytest.mark.parametrize(
    "fields",
    [
        {"input_tokens": -1},
        {"input_tokens": "many"},
        {"output_tokens": 2**62},
        {"created": "yesterday"},
        {"created": None},
        {"cache_read_tokens": b"\xff"},
    ],
)
def test_row_that_cannot_be_is_refused_and_the_others_are_read(path, fields):
    add(path, **fields)
    add(path, output=2)
    intake, _ = read(path)
    assert len(intake.invalid) == 1
    assert [e.output_tokens for e in of_kind(intake, "model_call")] == [2]


@pytest.mark.parametrize("value", ["__proto__", "x" * 10_000_000, b"\xff\xfe", "", 5, 1.5])
def test_any_value_in_a_name_is_read_or_left_out(path, value):
    add(path, model=value, session_id=value, initiator=value, agent_id=value)
    intake, _ = read(path)
    assert intake.invalid == []
    [call] = of_kind(intake, "model_call")
    assert len(call.model or "") <= 200


def test_file_without_the_table_or_that_is_no_database_tells_nothing(tmp_path):
    empty = str(tmp_path / "session-store.db")
    with closing(sqlite3.connect(empty)) as store:
        store.execute("create table other (id integer)")
        store.commit()
    assert read(empty)[0].events == []
    with open(empty, "r+b") as file:
        file.seek(0)
        file.write(b"no database at all, only words" * 50)
    assert read(empty)[0].invalid == ["the session store cannot be read as a database"]


def test_store_that_is_gone_raises_what_a_file_raises(tmp_path):
    reader = agent("copilot-cli").transcript(str(tmp_path / "session-store.db"))
    with pytest.raises(OSError, match=r"session-store\.db"):
        reader.read(Intake())
    with pytest.raises(FileNotFoundError):
        reader.stamp()


def test_conversation_in_the_store_reaches_no_event(path):
    add(path, turn_index=0, finish_reason=MARK)
    intake, state = read(path)
    assert len(intake.events) == 2
    assert MARK not in f"{intake.events}{state}"

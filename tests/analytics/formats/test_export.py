"""The export forms: which is chosen, and how documents become rows."""

from __future__ import annotations

import io
import json
from datetime import date

import pyarrow.parquet as pq
import pytest

from stationmaster.analytics.formats import export

ACTIVITY = (
    b'{"date":"2026-11-01","daily_active_users":2,"weekly_active_users":3,'
    b'"monthly_active_users":4,"daily_active_users_by_client":{"terminal-ui":1,"web":0,'
    b'"non-interactive-cli":1},"sessions":5,"messages":9,"user_messages":4}'
)
GROUPED = (
    b'{"date":"2026-11-01","group_key":"=cmd|calc","tool_calls":3},'
    b'{"date":"2026-11-01","group_key":"Read, \\"all\\"","tool_calls":1}'
)


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "json"),
        ("*/*", "json"),
        ("application/json", "json"),
        ("text/csv", "csv"),
        ("TEXT/CSV; charset=utf-8", "csv"),
        ("text/*", "csv"),
        ("application/x-ndjson", "ndjson"),
        ("application/vnd.apache.parquet", "parquet"),
        ("text/csv, */*", "csv"),
        ("text/csv;q=0.5, application/json", "json"),
        ("text/csv;q=0.5, application/json;q=0.4", "csv"),
        ("text/csv;q=0", "json"),
        ("*/*, text/csv;q=0.1", "json"),
        ("application/json;q=0, */*", "csv"),
        ("image/png", "json"),
        ("text/csv;q=much", "json"),
        ("", "json"),
        (";;,,/", "json"),
    ],
)
def test_the_preferred_form_is_chosen_and_json_where_none_is_named(
    accept: str | None, form: str
) -> None:
    assert export.negotiate(accept) == form


def test_csv_flattens_objects_and_keeps_the_specified_order() -> None:
    text = b"".join(export.to_csv("activity", [ACTIVITY])).decode()

    assert text == (
        "date,daily_active_users,weekly_active_users,monthly_active_users,"
        "daily_active_users_by_client.terminal-ui,daily_active_users_by_client.web,"
        "daily_active_users_by_client.non-interactive-cli,sessions,messages,user_messages\r\n"
        "2026-11-01,2,3,4,1,0,1,5,9,4\r\n"
    )


def test_csv_of_tokens_keeps_what_no_user_is_shown_for_and_days_without_any() -> None:
    usage = {"model_id": "m", "model_tier": "standard", "billable_tokens": 5, "input_tokens": 4}
    usage |= {"output_tokens": 1, "cache_read_tokens": 0, "cache_write_tokens": 0}
    half = usage | {"billable_tokens": 2, "input_tokens": 2, "output_tokens": 0}
    ada = {"user_id": "u", "user_email": "ada@example.com", "billable_tokens": 2}
    day = usage | {
        "date": "2026-11-01",
        "by_model": [usage],
        "by_user": [ada | {"by_model": [half]}],
    }
    none = dict.fromkeys(usage, 0) | {"date": "2026-11-02", "by_model": [], "by_user": []}

    text = b"".join(export.to_csv("tokens", [json.dumps(row).encode() for row in (day, none)]))

    assert text.decode().splitlines()[1:] == [
        "2026-11-01,u,ada@example.com,m,standard,2,2,0,0,0",
        "2026-11-01,,,m,standard,3,2,1,0,0",
        "2026-11-02,,,,,0,0,0,0,0",
    ]


def test_csv_of_no_rows_is_its_header() -> None:
    assert b"".join(export.to_csv("tools_by_tool_name", [])) == b"date,group_key,tool_calls\r\n"


def test_csv_quotes_and_defuses_formulas() -> None:
    text = b"".join(export.to_csv("tools_by_tool_name", [GROUPED])).decode()

    assert text.splitlines()[1:] == [
        "2026-11-01,'=cmd|calc,3",
        '2026-11-01,"Read, ""all""",1',
    ]


def test_ndjson_has_one_row_a_line_in_the_stored_bytes() -> None:
    lines = b"".join(export.to_ndjson([GROUPED, b"", ACTIVITY])).splitlines()

    assert lines[2] == ACTIVITY
    assert [json.loads(line).get("tool_calls") for line in lines] == [3, 1, None]


def test_ndjson_of_no_rows_is_empty() -> None:
    assert list(export.to_ndjson([])) == []


def test_parquet_is_typed() -> None:
    file = io.BytesIO()
    export.to_parquet("activity", [ACTIVITY], file)

    assert pq.read_table(io.BytesIO(file.getvalue())).to_pylist() == [
        {
            "date": date(2026, 11, 1),
            "daily_active_users": 2,
            "weekly_active_users": 3,
            "monthly_active_users": 4,
            "daily_active_users_by_client": {"terminal-ui": 1, "web": 0, "non-interactive-cli": 1},
            "sessions": 5,
            "messages": 9,
            "user_messages": 4,
        }
    ]


def test_parquet_of_no_rows_still_has_its_columns() -> None:
    file = io.BytesIO()
    export.to_parquet("tools_by_tool_name", [], file)

    table = pq.read_table(io.BytesIO(file.getvalue()))
    assert (table.num_rows, table.column_names) == (0, ["date", "group_key", "tool_calls"])

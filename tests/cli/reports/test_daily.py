"""`rollup` and `analytics`: the same answers in every form."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.support.commands import command, succeed
from tests.support.processes import PROGRAM
from tests.support.servers import running_server, settings_for
from tests.support.sessions import DAY

DAYS = ("--from", DAY, "--to", DAY)


def test_rollup_says_which_days_it_did_and_does_them_once(fed: dict[str, str]) -> None:
    first = succeed("rollup", "--data-dir", fed["data"])
    again = succeed("rollup", "--data-dir", fed["data"])

    [day] = first["days"]
    assert sorted(day) == ["changed", "cost_ms", "day", "org_id", "unpriced_models"]
    assert (day["org_id"], day["day"], day["unpriced_models"]) == (fed["org_id"], DAY, [])
    assert "tokens" in day["changed"]
    assert again == {"days": []}


def test_rollup_of_a_range_leaves_other_days(fed: dict[str, str]) -> None:
    days = ("--from", "2026-11-01", "--through", "2026-11-19")

    assert succeed("rollup", *days, "--data-dir", fed["data"]) == {"days": []}
    assert command("rollup", "--from", "x", "--data-dir", fed["data"]).error.startswith(
        "--from takes"
    )


def test_an_engine_is_duckdb_or_spark(fed: dict[str, str]) -> None:
    done = command("rollup", "--engine", "abacus", "--data-dir", fed["data"])

    assert "STATIONMASTER_ENGINE" in done.error


def test_spark_without_java_says_what_to_install(fed: dict[str, str], tmp_path: Path) -> None:
    # A process of its own: the driver of this one may be running.
    done = subprocess.run(
        [*PROGRAM, "rollup", "--engine", "spark", "--data-dir", fed["data"]],
        env={**os.environ, "JAVA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "stationmaster: Java did not start for Spark: install version 17"
    )


def test_a_report_is_there_without_a_rollup_before(fed: dict[str, str]) -> None:
    answer = succeed("analytics", "tokens", *DAYS, "--data-dir", fed["data"])

    assert answer["data"][0]["input_tokens"] == 20


def test_the_last_seven_closed_days_are_reported_by_default(fed: dict[str, str]) -> None:
    answer = succeed("analytics", "activity", "--data-dir", fed["data"])

    assert [row["date"] for row in answer["data"]] == [DAY]
    assert answer["data"][0]["user_messages"] == 2


def test_reports_are_filtered_and_grouped_from_a_folder_and_from_a_server(
    fed: dict[str, str], tmp_path: Path
) -> None:
    asked = ("tokens", *DAYS, "--agent", "codex", "--agent", "claude-code", "--group-by", "agent")
    here = succeed("analytics", *asked, "--data-dir", fed["data"])
    nobody = succeed(
        "analytics", "activity", *DAYS, "--user", "x@example.com", "--data-dir", fed["data"]
    )
    with running_server(settings_for(tmp_path, "")) as server:
        there = succeed("analytics", *asked, "--url", server.url, "--key", fed["api_key"])

    assert [(row["group_key"], row["input_tokens"]) for row in here["data"]] == [
        ("claude-code", 20)
    ]
    assert there == here
    assert nobody["data"][0]["daily_active_users"] == 0


def _forms(arguments: tuple[object, ...]) -> dict[str, Any]:
    """The same report in each format: its bytes taken apart."""
    found = {
        form: command("analytics", "tokens", *DAYS, *arguments, "--format", form).stdout
        for form in ("json", "ndjson", "csv", "parquet", "table")
    }
    return {
        "json": json.loads(found["json"])["data"],
        "ndjson": [json.loads(line) for line in found["ndjson"].splitlines()],
        "csv": list(csv.DictReader(io.StringIO(found["csv"].decode()))),
        "parquet": pq.read_table(io.BytesIO(found["parquet"])).to_pylist(),
        "table": found["table"].decode().split(),
    }


def test_every_form_tells_the_same_locally_and_over_http(
    fed: dict[str, str], tmp_path: Path
) -> None:
    local = _forms(("--data-dir", fed["data"]))
    with running_server(settings_for(tmp_path, "")) as server:
        served = _forms(("--url", server.url, "--key", fed["api_key"]))

    assert served == local
    assert local["json"] == local["ndjson"]
    assert [row["input_tokens"] for row in local["json"]] == [20]
    assert [row["input_tokens"] for row in local["csv"]] == ["20"]
    assert [row["input_tokens"] for row in local["parquet"]] == [20]
    assert local["table"][:5] == ["date", "cost", "credits", "input", "output"]
    assert local["table"][5:9] == [DAY, "$0.0002", "36", "20"]


def test_a_report_may_be_grouped(fed: dict[str, str]) -> None:
    answer = succeed("analytics", "tokens", *DAYS, "--group-by", "model", "--data-dir", fed["data"])

    assert [row["group_key"] for row in answer["data"]] == ["claude-sonnet-4-5"]


def test_spending_is_grouped_by_hour_as_the_api_groups_it(fed: dict[str, str]) -> None:
    answer = succeed("analytics", "spend", *DAYS, "--group-by", "hour", "--data-dir", fed["data"])

    assert [row["group_key"] for row in answer["data"]] == ["00"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("tokens", "--format", "xml"),
            "--format is one of table, json, ndjson, csv, parquet, not",
        ),
        (
            ("money",),
            "REPORT is one of tokens, tools, activity, productivity, users, edits, tool-runs,"
            " errors, cache, spend, hook-runs, not 'money'.",
        ),
        (
            ("tokens", "--from", "x"),
            "--from takes a date such as 2026-11-21, or today, ",
        ),
        (("tokens", "--to", "2026-11-21"), "--to 2026-11-21: 2026-11-21 is not over yet"),
    ],
)
def test_a_question_that_cannot_be_answered_is_one_line(
    arguments: tuple[str, ...], error: str, made: dict[str, str]
) -> None:
    assert command("analytics", *arguments, "--data-dir", made["data"]).error.startswith(error)


def test_a_server_that_cannot_be_reached_or_refuses_is_one_line(
    made: dict[str, str], tmp_path: Path
) -> None:
    url = "http://127.0.0.1:1"
    for form in ("table", "csv"):
        asked = ("analytics", "tokens", "--format", form, "--key", "sm_x")
        assert command(*asked, "--url", url).error.startswith(f"{url} cannot be reached: ")
    with running_server(settings_for(tmp_path, "")) as server:
        for form in ("table", "csv"):
            asked = ("analytics", "tokens", "--format", form, "--key", "sm_x")
            assert "API key" in command(*asked, "--url", server.url).error


@pytest.mark.parametrize(
    "url", ["foo", "127.0.0.1:1", "http://[::1", "http://h:port", "ftp://h/", "http://a:b@h"]
)
@pytest.mark.parametrize(
    "arguments",
    [
        ("analytics", "tokens"),
        ("collect",),
        ("limits", "list"),
        ("hooks", "install", "cursor"),
        ("agents", "verify", "codex"),
        ("ingest", "."),
    ],
)
def test_an_address_that_is_none_is_refused_alike_by_every_command(
    arguments: tuple[str, ...], url: str, tmp_path: Path
) -> None:
    home = ("--home", tmp_path) if arguments[0] in ("collect", "hooks", "agents") else ()
    done = command(*arguments, *home, "--url", url, "--key", "sm_x")

    assert done.error == (
        "--url (or STATIONMASTER_URL) takes a server's address such as "
        f"https://stationmaster.example.com, not '{url}'"
    )


def test_the_clock_stands_where_it_is_told(fed: dict[str, str]) -> None:
    tomorrow = {"STATIONMASTER_NOW": "2026-11-22T00:00:00Z"}

    today = command("analytics", "tokens", "--to", "2026-11-21", "--data-dir", fed["data"])
    later = succeed("analytics", "tokens", "--data-dir", fed["data"], env=tomorrow)

    assert today.code == 1
    assert [row["date"] for row in later["data"]] == [DAY, "2026-11-21"]


def test_days_that_are_not_over_cannot_be_rolled_up(made: dict[str, str]) -> None:
    asked = command("rollup", "--from", "2026-11-21", "--data-dir", made["data"])

    assert asked.code == 1
    assert asked.error.startswith("--from 2026-11-21: 2026-11-21 is not over yet")


@pytest.mark.parametrize("report", ["edits", "tool-runs", "errors", "cache", "spend", "hook-runs"])
def test_the_reports_on_facts_have_tables_and_every_form(fed: dict[str, str], report: str) -> None:
    data = ("--data-dir", fed["data"])
    shown = command("analytics", report, *DAYS, *data, "--group-by", "agent", "--compare")
    assert shown.code == 0, shown.stderr
    assert "Compared with the days before" in shown.stdout.decode()
    found = succeed("analytics", report, *DAYS, *data, "--period", "month")
    assert [row["date"] for row in found["data"]] == [f"{DAY[:8]}01"]
    assert found["meta"]["missing_days"] == []


def test_a_report_takes_only_its_own_filters(fed: dict[str, str]) -> None:
    data = ("--data-dir", fed["data"])
    assert succeed("analytics", "spend", *DAYS, *data, "--where", "branch=none")["data"] != []
    refused = command("analytics", "edits", *DAYS, *data, "--where", "branch=main")
    assert "--where takes NAME=VALUE, for edits with language" in refused.error

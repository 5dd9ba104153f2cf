"""`doctor`: what came, which days are due, and what needs a person."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.support import sessions
from tests.support.commands import command, succeed
from tests.support.object_storage import ObjectStorage
from tests.support.sessions import DAY


def _doctor(made: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    done = command("doctor", "--data-dir", made["data"], "--json")
    assert done.code == (1 if done.json["problems"] else 0)
    return done.json, done.json["organizations"][0]


def test_doctor_has_nothing_to_say_of_a_fresh_installation(made: dict[str, str]) -> None:
    found, org = _doctor(made)

    [prices] = org.pop("price_lists")
    assert prices["origin"] == "built-in"
    assert found["problems"] == []
    assert found["lake"] == str(Path(made["data"]).resolve() / "lake")
    assert found["inbox"] == {"rows": 0, "bytes": 0, "corrupt_rows": 0}
    assert org == {
        "org_id": made["org_id"],
        "name": "default",
        "first_day": None,
        "days_due": [],
        "closed_through": None,
        "days_to_erase": [],
        "sources": [],
        "unknown_sources": [],
        "people_by_state": {"active": 0, "quiet": 0, "stopped": 0, "never": 1},
        "coverage_problems": [],
        "unpriced_models": [],
        "models_without_price": [],
        "quarantine": [],
    }


def test_doctor_tells_of_a_lake_that_does_not_answer(
    made: dict[str, str], object_storage: ObjectStorage
) -> None:
    url = "s3://no-such-bucket/lake"
    done = command(
        "doctor", "--data-dir", made["data"], "--json", env={"STATIONMASTER_LAKE_URL": url}
    )

    assert done.code == 1
    assert done.json["lake"] == url
    assert "bucket does not exist" in done.json["problems"][0]


def test_doctor_reports_a_damaged_part_until_it_is_restored(fed: dict[str, str]) -> None:
    succeed("rollup", "--through", "2026-11-01", "--data-dir", fed["data"])
    [part] = Path(fed["data"], "lake").rglob("part-*.parquet")
    whole = part.read_bytes()
    succeed("rollup", "--data-dir", fed["data"])
    for damage in (lambda: part.write_bytes(whole[:100]), part.unlink):
        damage()
        found, _ = _doctor(fed)
        [problem] = found["problems"]
        assert DAY in problem
        assert part.name in problem
        refused = command("rollup", "--again", "--data-dir", fed["data"])
        assert refused.code == 1
        assert f"1 of 1 part files of {DAY} are missing or changed" in refused.stderr

    part.write_bytes(whole)
    found, _ = _doctor(fed)
    assert found["problems"] == []
    [day] = succeed("rollup", "--data-dir", fed["data"])["days"]
    assert (day["day"], day["changed"]) == (DAY, [])


def test_a_day_is_counted_without_a_lost_part_only_where_that_is_asked_for(
    fed: dict[str, str],
) -> None:
    succeed("rollup", "--through", "2026-11-01", "--data-dir", fed["data"])
    [part] = Path(fed["data"], "lake").rglob("part-*.parquet")
    whole = part.read_bytes()
    part.unlink()
    assert command("rollup", "--data-dir", fed["data"]).code == 1

    [day] = succeed("rollup", "--without-damaged", "--data-dir", fed["data"])["days"]

    assert day["day"] == DAY
    _, org = _doctor(fed)
    assert org["quarantine"] == [{"day": DAY, "reason": "missing_part", "events": 0, "parts": 1}]

    part.write_bytes(whole)
    [day] = succeed("rollup", "--retry-quarantined", "--data-dir", fed["data"])["days"]
    assert "tokens" in day["changed"]
    found, org = _doctor(fed)
    assert (found["problems"], org["quarantine"]) == ([], [])


def test_doctor_shows_what_came_and_which_days_are_due(fed: dict[str, str]) -> None:
    succeed("rollup", "--through", "2026-11-01", "--data-dir", fed["data"])

    _, org = _doctor(fed)

    assert org["first_day"] == DAY
    assert org["days_due"] == [DAY]
    assert org["sources"] == [
        {"product": "claude-code", "source": "transcript", "outcome": "kept", "count": 5}
    ]
    text = command("doctor", "--data-dir", fed["data"]).stdout.decode()
    assert "days not yet aggregated" in text
    assert "claude-code  transcript     5           0        0" in text


def test_doctor_shows_senders_that_no_agent_module_knows(
    made: dict[str, str], tmp_path: Path
) -> None:
    service = {"key": "service.name", "value": {"stringValue": "strange-agent"}}
    logs = {
        "resource": {"attributes": [service]},
        "scopeLogs": [{"logRecords": [{"body": {"stringValue": "hello"}}]}],
    }
    (tmp_path / "logs.json").write_text(json.dumps({"resourceLogs": [logs]}))
    succeed("ingest", tmp_path / "logs.json", "--data-dir", made["data"])
    succeed("rollup", "--data-dir", made["data"])

    _, org = _doctor(made)

    assert org["unknown_sources"] == [{"name": "strange-agent", "source": "otlp_logs", "count": 1}]
    assert "strange-agent" in command("doctor", "--data-dir", made["data"]).stdout.decode()


def test_doctor_shows_models_without_a_rate(made: dict[str, str], tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home")
    session.write_bytes(session.read_bytes().replace(b"claude-sonnet-4-5", b"mystery-9"))
    succeed("collect", "--home", tmp_path / "home", "--data-dir", made["data"])
    rolled = succeed("rollup", "--data-dir", made["data"])

    _, org = _doctor(made)

    assert org["unpriced_models"] == ["mystery-9"]
    [unknown] = org["models_without_price"]
    assert (unknown["model_id"], unknown["is_on_card"], unknown["days"]) == ("mystery-9", False, 1)
    assert "mystery-9 (1 day)" in command("doctor", "--data-dir", made["data"]).stdout.decode()
    assert rolled["days"][0]["unpriced_models"] == ["mystery-9"]


def test_doctor_needs_a_person_for_a_row_that_does_not_decode(
    fed: dict[str, str], tmp_path: Path
) -> None:
    with sqlite3.connect(Path(fed["data"]) / "inbox.sqlite3") as inbox:
        inbox.execute("UPDATE inbox SET payload = x'00ff00ff'")
    inbox.close()
    command("rollup", "--data-dir", fed["data"])

    found, _ = _doctor(fed)

    assert found["inbox"]["corrupt_rows"] == 1
    assert found["problems"] == ["1 inbox row cannot be decoded and was set aside."]
    assert command("doctor", "--data-dir", fed["data"]).code == 1


def test_a_senders_name_is_no_markup_of_the_terminal(made: dict[str, str], tmp_path: Path) -> None:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "svc [/b]"}}]}
    body = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [{}]}]}]}
    (tmp_path / "odd.json").write_text(json.dumps(body))
    succeed("ingest", str(tmp_path / "odd.json"), "--data-dir", made["data"])
    command("rollup", "--data-dir", made["data"])

    shown = command("doctor", "--data-dir", made["data"])

    assert shown.code == 0
    assert b"svc [/b]" in shown.stdout

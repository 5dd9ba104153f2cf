"""An installation that uses every room, and all that can be asked of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pyarrow.parquet as pq

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.model import Secret
from stationmaster.computers import secrets
from stationmaster.db.engine import Database
from stationmaster.lake.schema import event_id
from stationmaster.settings import Settings
from stationmaster.wiki import service as wiki
from tests.support.builders import a_readiness_report, an_event
from tests.support.commands import command, succeed
from tests.support.servers import Server, running_server
from tests.wiki.wikis import an_upload

Answers = dict[str, tuple[int, str | None, bytes]]
"""Status, ETag and bytes of everything that can be asked."""
DAY = date(2026, 11, 20)
NOW = "2026-11-21T12:00:00Z"
NOON = {day: 1_795_176_000_000 - 86_400_000 * (20 - day) for day in range(14, 21)}
_RANGE = "startDate=2026-11-14&endDate=2026-11-20"
_QUESTIONS = (
    *(
        f"/api/v1/analytics/{report}?{_RANGE}"
        for report in ("tokens", "tools", "activity", "productivity", "users")
    ),
    f"/api/v1/analytics/tokens?{_RANGE}&groupBy=model",
    "/api/organization/agent-readiness-reports",
    "/api/platform/v1/members",
    "/api/platform/v1/service-accounts",
    "/api/platform/v1/audit",
    "/api/platform/v1/limits",
)


def environment(settings: Settings) -> dict[str, str]:
    """What commands on an installation need to be told."""
    told = {"STATIONMASTER_NOW": NOW}
    if settings.database_url is not None:
        told["STATIONMASTER_DATABASE_URL"] = settings.database_url
    if settings.lake_url is not None:
        told["STATIONMASTER_LAKE_URL"] = settings.lake_url
    return told


def run(settings: Settings, *arguments: object) -> Any:
    """The JSON of a command on an installation, which must succeed."""
    given = (*arguments, "--data-dir", settings.data_dir)
    return succeed(*given, env=environment(settings))


def error(settings: Settings, *arguments: object) -> str:
    """What a command on an installation says last, which must fail."""
    done = command(*arguments, "--data-dir", settings.data_dir, env=environment(settings))
    assert done.code == 1, done.stderr
    return done.stderr.splitlines()[-1].removeprefix("stationmaster: ")


def fill(settings: Settings) -> str:
    """Make an installation and use it; the owner's key. One request is left in the inbox."""
    key: str = run(settings, "init", "--org", "acme", "--owner", "ada@example.com")["api_key"]
    clock.freeze(datetime.fromisoformat(NOW))
    with running_server(settings) as server, server.client(key) as client:
        for day in range(14, 21):
            send(client, *(f"d{day}-{n}" for n in range(3)), day=day)
        _check(client.get(_QUESTIONS[0]))
        _check(client.post("/api/organization/agent-readiness-reports", json=a_readiness_report()))
        db, services = server.services.db, server.services
        [tenant] = operator.tenants(db)
        owner = operator.owner(db, tenant.org_id)
        wiki.create(db, owner, an_upload())
        secrets.change(db, services.vault, owner, {"TOKEN": Secret("marked-0451")}, [])
        send(client, "waiting", day=20)
    run(settings, "members", "add", "bob@example.com", "--role", "manager")
    run(settings, "limits", "global", "1000000")
    return key


def events(*names: str, day: int) -> Any:
    """Model calls of some names, as they are sent."""
    made = [
        an_event(
            event_id=f"{int.from_bytes(name.encode()):032x}"[-32:],
            ts=NOON[day],
            session_id=name,
            model="claude-sonnet-4-5",
            input_tokens=7,
            output_tokens=1,
            source="transcript",
        )
        for name in names
    ]
    return msgspec.to_builtins(made)


def send(client: httpx.Client, *names: str, day: int) -> list[str]:
    """Send model calls of some names; their ids, once they are acknowledged."""
    made = events(*names, day=day)
    _check(client.post("/api/platform/v1/events", json=made))
    return [event["event_id"] for event in made]


def answers(settings: Settings, key: str) -> Answers:
    """What an installation answers, and every secret that it keeps."""
    clock.freeze(datetime.fromisoformat(NOW))
    with running_server(settings) as server, server.client(key) as client:
        found = {asked: _answer(client, asked) for asked in _QUESTIONS}
        found |= _wiki(client)
        found["secrets"] = (200, None, json.dumps(_secrets(server)).encode())
    return found


def _wiki(client: httpx.Client) -> Answers:
    [run_of_wiki] = client.get("/api/v0/wiki").json()["wikiRuns"]
    place = f"/api/v0/wiki/{run_of_wiki['wikiRunId']}"
    asked = (place, f"{place}/search?q=parseHttp")
    return {each: _answer(client, each) for each in asked}


def _answer(client: httpx.Client, asked: str) -> tuple[int, str | None, bytes]:
    answer = client.get(asked)
    _check(answer)
    return answer.status_code, answer.headers.get("etag"), answer.content


def _check(answer: httpx.Response) -> None:
    assert answer.status_code < 300, (answer.request.url, answer.text)


def _secrets(server: Server) -> list[str]:
    rows = server.services.db.rows("SELECT org_id, name, sealed FROM computer_secrets")
    return [
        server.services.vault.unseal(bytes(sealed), secrets.purpose(org, name)).reveal()
        for org, name, sealed in rows
    ]


def open_migrated(url: str) -> None:
    """What every process does at its start."""
    db = Database.open(url)
    try:
        db.migrate()
    finally:
        db.close()


def waiting(settings: Settings) -> int:
    """Requests in the inbox."""
    db = Database.open(settings.inbox_url)
    [(count,)] = db.rows("SELECT count(*) FROM inbox")
    db.close()
    return int(count)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def stored_ids(settings: Settings) -> set[str]:
    """The ids of all events in a local lake."""
    found = set()
    for part in settings.lake_dir.rglob("part-*.parquet"):
        table = pq.ParquetFile(part).read(["event_id_hi", "event_id_lo"])
        found |= {event_id(row["event_id_hi"], row["event_id_lo"]) for row in table.to_pylist()}
    return found


NEWER_TABLES = (
    *("jobs", "lake_parts", "outgoing_mail", "erasures", "erased_marks", "erasure_keys"),
    *("ci_edits", "ci_findings"),
    *("schema_use", "user_aliases", "user_evidence", "organization_privacy", "day_slices"),
    *("senders", "day_quality", "source_comparisons", "day_facts"),
    *("organization_time_zones", "organization_retention"),
    *("price_lists", "price_reviews", "day_prices"),
    *("agent_sessions", "agent_session_models", "day_so_far"),
    *("alerts", "alert_destinations", "alert_deliveries", "alert_attempts"),
    *("gateway_providers", "computer_presence", "computer_sessions"),
    *("session_tickets", "computer_pairings", "remote_access_off", "identity_providers"),
    *("managed_computers", "computer_step_logs", "computer_metrics"),
    *("budgets", "budget_use", "budget_holds", "budget_requests"),
    "gate_reports",
)
NEWER_COLUMNS = (
    ("wiki_runs", "job_id"),
    ("wiki_runs", "completed_at"),
    ("wiki_runs", "details"),
    ("one_time_links", "made_by"),
    ("one_time_links", "made_with"),
    ("api_keys", "made_with"),
    ("repositories", "looked_at"),
    ("members", "team"),
    ("active_users", "team"),
    ("active_users", "products"),
    ("lake_days", "published"),
)


def downgrade(state: Path) -> None:
    """Make a state database one of the revision before `schema_use` came."""
    with closing(sqlite3.connect(state)) as connection:
        connection.execute(
            "INSERT INTO global_credit_limits (org_id, credits) SELECT org_id, amount FROM budgets "
            "WHERE scope_kind = 'each-user'"
        )
        for table in NEWER_TABLES:
            connection.execute(f"DROP TABLE {table}")
        for table, column in NEWER_COLUMNS:
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("UPDATE alembic_version SET version_num = '0013'")
        connection.commit()

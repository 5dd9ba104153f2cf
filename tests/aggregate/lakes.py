"""Small lakes for tests: events in, parts on disk, a rolled-up day out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import update

from stationmaster import days
from stationmaster.aggregate.day import DayResult, roll_up
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.rollups import reads, serving
from stationmaster.lake.rollups.model import REPORTS, Report
from stationmaster.lake.schema import to_table
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

DAY = date(2026, 11, 10)
NOON = days.start_ms(DAY) + 12 * 3_600_000
_numbers = count(1)


def settings(tmp_path: Path, **fields: Any) -> Settings:
    return Settings(data_dir=tmp_path, **fields)


def event(kind: str, **fields: Any) -> Event:
    """Something ada did in session s1 of Claude Code at noon of DAY, unless told otherwise."""
    session = fields.get("root_session_id", "s1")
    quiet: dict[str, Any] = {
        "event_id": f"{next(_numbers):032x}",
        "kind": kind,
        "ts": NOON,
        "product": "claude-code",
        "source": "otlp_logs",
        "user_id": "user_ada",
        "user_source": "email",
        "session_id": session,
        "root_session_id": session,
    }
    return Event(**(quiet | fields))


def land(
    db: Database,
    config: Settings,
    org: OrgId,
    parts: Sequence[Sequence[Event]],
    day: date = DAY,
    *,
    is_entered: bool = True,
) -> None:
    """Write parts of one day, enter them and count them as deliveries, as the mover does.

    A small day of entered parts is read into memory. One of parts that are not is read in place,
    as a large day is, which takes twice as long.
    """
    lake = Lake.open(config)
    written = [
        lake.write(org, day, f"test{next(_numbers):06d}", [to_table(list(part))]) for part in parts
    ]
    row = {"org_id": org, "day": day.isoformat(), "landed": 0, "rolled": 0}
    with db.transaction() as connection:
        connection.execute(db.insert(lake_days).values(row).on_conflict_do_nothing())
        connection.execute(
            update(lake_days)
            .where(lake_days.c.org_id == org, lake_days.c.day == day.isoformat())
            .values(landed=lake_days.c.landed + len(parts))
        )
        if is_entered:
            entries.enter(connection, {(org, day): written})


def rolled_up(
    db: Database,
    config: Settings,
    org: OrgId,
    events: Sequence[Event],
    day: date = DAY,
    *,
    is_entered: bool = True,
) -> DayResult:
    land(db, config, org, [events], day, is_entered=is_entered)
    return roll_up(db, config, org, day)


def bodies(db: Database, org: OrgId, day: date = DAY) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What is stored of a day, by report and by user."""
    reports: dict[str, bytes] = {}
    for report in REPORTS:
        for document in reads.documents(db, org, report, day, day):
            reports[report] = document.body
    users: dict[str, bytes] = {}
    before = ""
    for user in serving.users(db, org, "", day.isoformat(), day.isoformat(), 1_000_000):
        [(_, users[user])] = serving.user_bodies(db, org, before, user, *[day.isoformat()] * 2)
        before = user
    return reports, users


def document(db: Database, org: OrgId, report: Report, day: date = DAY) -> Any:
    """The stored document, decoded; a grouped one as a list."""
    [stored] = reads.documents(db, org, report, day, day)
    body = stored.body if "_by_" not in report else b"[" + stored.body + b"]"
    return msgspec.json.decode(body)


def user_row(db: Database, org: OrgId, user: str, day: date = DAY) -> Any:
    return msgspec.json.decode(bodies(db, org, day)[1][user])

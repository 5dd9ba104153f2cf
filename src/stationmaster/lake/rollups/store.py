"""Writing a day, in the caller's one transaction.  `begin` is first; then `replace_sessions` and
`replace_active_users`, because the documents name counts that are taken from their tables;
`publish` is last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from hashlib import blake2b
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, select, text

from stationmaster import clock, days, ids
from stationmaster.db.alone import in_transaction
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import (
    active_users,
    day_facts,
    day_slices,
    report_documents,
    user_documents,
)
from stationmaster.db.upserts import insert_new, upsert
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.model import (
    FACTS_FORM,
    MONTH_DAYS,
    WEEK_DAYS,
    Activity,
    Documents,
    Report,
    Windows,
)

DIGEST_BYTES = 16


def digest(body: bytes) -> bytes:
    """What distinguishes two versions of a document: 16 bytes of BLAKE2b."""
    return blake2b(body, digest_size=DIGEST_BYTES).digest()


def landed(connection: Connection, org: OrgId, run: Sequence[date]) -> dict[date, int]:
    """How many deliveries the lake holds of each of some days, given in order. Read it before the
    events themselves."""
    rows = connection.execute(
        select(lake_days.c.day, lake_days.c.landed).where(
            lake_days.c.org_id == org,
            lake_days.c.day.between(run[0].isoformat(), run[-1].isoformat()),
        )
    )
    stored = {day: int(number) for day, number in rows}
    return {day: stored.get(day.isoformat(), 0) for day in run}


def begin(connection: Connection, org: OrgId, landed: Mapping[date, int]) -> set[date]:
    """The days that may be published of events that were read when so many deliveries had landed:
    of which no newer ones are published. Days are given in order.

    Until the transaction ends no other one publishes any day of the organization: a day's users and
    sessions change documents of later days, too.
    """
    hold(connection, org)
    rows = [(org, day.isoformat(), number, 0) for day, number in landed.items()]
    insert_new(connection, lake_days, ("org_id", "day", "landed", "rolled"), rows)
    # The rows of all days that are over, because publishing one makes others before and after it
    # dirty, and everybody locks the rows of days in their order.
    last = max(*landed, clock.today() - timedelta(days=1)).isoformat()
    rolled = connection.execute(
        select(lake_days.c.day, lake_days.c.rolled)
        .where(lake_days.c.org_id == org, lake_days.c.day <= last)
        .order_by(lake_days.c.day)
        .with_for_update()
    )
    published = {day: int(number) for day, number in rolled}
    return {day for day, number in landed.items() if published[day.isoformat()] <= number}


def hold(connection: Connection, org: OrgId) -> None:
    """Keep every other transaction that publishes days of an organization waiting until the end."""
    in_transaction(connection, f"publish {org}")


def mark_days_of(
    connection: Connection, org: OrgId, users: Iterable[str], *, excluded: Iterable[date] = ()
) -> int:
    """Make dirty the days on which any of the users was active, except some; how many those are.

    After `begin` or `hold`, so that no day is published meanwhile.
    """
    active = (
        "SELECT DISTINCT day FROM active_users WHERE org_id = :org AND user_id IN "
        f"(SELECT value FROM {_json_values(connection)}) ORDER BY day"
    )
    listed = {"org": org, "list": json.dumps(sorted(users))}
    left_out = {day.isoformat() for day in excluded}
    marked = [
        day for day in connection.execute(text(active), listed).scalars() if day not in left_out
    ]
    mark_days(connection, org, marked)
    return len(marked)


def mark_days(connection: Connection, org: OrgId, iso_days: Iterable[str]) -> None:
    """Make days dirty, given in order: everybody locks their rows in that one, one by one."""
    for day in iso_days:
        connection.execute(
            text("UPDATE lake_days SET landed = landed + 1 WHERE org_id = :org AND day = :day"),
            {"org": org, "day": day},
        )


def mark_range(db: Database, org: OrgId, first: date | None, last: date | None) -> None:
    """Make the stored days of a range due again; without an end it has none."""
    key = {"org": org, "first": str(first or date.min), "last": str(last or date.max)}
    with db.transaction() as connection:
        stored = connection.execute(
            text(
                "SELECT day FROM lake_days WHERE org_id = :org "
                "AND day BETWEEN :first AND :last ORDER BY day"
            ),
            key,
        )
        mark_days(connection, org, stored.scalars().all())


def replace_sessions(
    connection: Connection, org: OrgId, day: date, session_ids: Iterable[str]
) -> set[str]:
    """Record which sessions were active on a day; those of them that began earlier.

    Later days on which a session was active that is added or removed here become dirty, because
    they count it as begun, or no longer do.
    """
    ids = set(session_ids)
    key = {"org": org, "day": day.isoformat()}
    stored = set(
        connection.execute(
            text("SELECT session_id FROM session_days WHERE org_id = :org AND day = :day"), key
        ).scalars()
    )
    gone, new = stored - ids, ids - stored
    values = _json_values(connection)
    if gone:
        connection.execute(
            text(
                "DELETE FROM session_days WHERE org_id = :org AND day = :day "
                f"AND session_id IN (SELECT value FROM {values})"
            ),
            {**key, "list": json.dumps(sorted(gone))},
        )
    if new:
        connection.execute(
            text(
                "INSERT INTO session_days (org_id, session_id, day) "
                f"SELECT :org, value, :day FROM {values}"
            ),
            {**key, "list": json.dumps(sorted(new))},
        )
    if gone or new:
        _dirty_later_days(connection, org, day, gone | new)
    began_earlier = text(
        "SELECT session_id FROM session_days AS s WHERE org_id = :org AND day = :day "
        "AND EXISTS (SELECT 1 FROM session_days AS p WHERE p.org_id = s.org_id "
        "AND p.session_id = s.session_id AND p.day < s.day)"
    )
    return set(connection.execute(began_earlier, key).scalars())


def _dirty_later_days(connection: Connection, org: OrgId, day: date, changed: set[str]) -> None:
    key = {"org": org, "day": day.isoformat()}
    later = text("SELECT 1 FROM session_days WHERE org_id = :org AND day > :day LIMIT 1")
    if connection.execute(later, key).first() is None:
        return
    touched = connection.execute(
        text(
            "SELECT DISTINCT day FROM session_days WHERE org_id = :org AND day > :day "
            f"AND session_id IN (SELECT value FROM {_json_values(connection)}) ORDER BY day"
        ),
        {**key, "list": json.dumps(sorted(changed))},
    ).scalars()
    mark_days(connection, org, touched.all())


def _json_values(connection: Connection) -> str:
    """A FROM item with the column `value`: the texts of the JSON array `:list`."""
    if connection.dialect.name == "sqlite":
        return "json_each(:list)"
    return "json_array_elements_text(CAST(:list AS json)) AS listed(value)"


def replace_active_users(
    connection: Connection, org: OrgId, day: date, users: Mapping[str, Activity]
) -> Windows:
    """Record who had any activity on a day, and the sums of each one.

    Returns the day's windows. The activity documents of the 29 days after it are brought up to
    date where the counted users changed.
    """
    mine = (active_users.c.org_id == org, active_users.c.day == day.isoformat())
    stored = {
        user: Activity(bool(is_counted), *rest)
        for user, is_counted, *rest in connection.execute(
            select(
                active_users.c.user_id, *(active_users.c[name] for name in Activity._fields)
            ).where(*mine)
        )
    }
    gone = stored.keys() - users.keys()
    if gone:
        _delete_users(connection, org, day, sorted(gone))
    changed = {user: activity for user, activity in users.items() if stored.get(user) != activity}
    if changed:
        upsert(
            connection,
            active_users,
            [
                {"org_id": org, "day": day.isoformat(), "user_id": user, **activity._asdict()}
                for user, activity in sorted(changed.items())
            ],
        )
    if _counted(stored) == _counted(users):
        return windows(connection, org, day, day)[day]
    last = day + timedelta(days=MONTH_DAYS - 1)
    activity = windows(connection, org, day, last)
    _update_activity(connection, org, day, last, activity)
    return activity[day]


def _counted(users: Mapping[str, Activity]) -> set[str]:
    return {user for user, activity in users.items() if activity.is_counted}


def _delete_users(connection: Connection, org: OrgId, day: date, users: list[str]) -> None:
    for table in (active_users, user_documents):
        connection.execute(
            delete(table).where(
                table.c.org_id == org,
                table.c.day == day.isoformat(),
                table.c.user_id == bindparam("gone"),
            ),
            [{"gone": user} for user in users],
        )


def windows(connection: Connection, org: OrgId, first: date, last: date) -> dict[date, Windows]:
    """The trailing windows of every day of a range.

    A user active on a day counts in a window until it ends, or until the next active day, which
    then counts in its place; so one pass over the range's rows gives all windows together.
    """
    start = first - timedelta(days=MONTH_DAYS - 1)
    runs = connection.execute(
        text(
            "SELECT day, next_day, COUNT(*) FROM ("
            "SELECT day, LEAD(day) OVER (PARTITION BY user_id ORDER BY day) AS next_day "
            "FROM active_users WHERE org_id = :org AND day BETWEEN :first AND :last "
            "AND is_counted) AS runs GROUP BY day, next_day"
        ),
        {"org": org, "first": start.isoformat(), "last": last.isoformat()},
    ).all()
    counts_by_day = {day: [0, 0] for day in days.span(first, last)}
    for day, next_day, users in runs:
        begin = days.parse(day)
        until = days.parse(next_day) if next_day else date.max
        for which, length in enumerate((WEEK_DAYS, MONTH_DAYS)):
            for n in range(length):
                at = begin + timedelta(days=n)
                if at >= until or at > last:
                    break
                if at >= first:
                    counts_by_day[at][which] += users
    return {day: Windows(*counts) for day, counts in counts_by_day.items()}


def _update_activity(
    connection: Connection, org: OrgId, day: date, last: date, counted: Mapping[date, Windows]
) -> None:
    stored = connection.execute(
        select(report_documents.c.day, report_documents.c.body)
        .where(
            report_documents.c.org_id == org,
            report_documents.c.report == "activity",
            report_documents.c.day > day.isoformat(),
            report_documents.c.day <= last.isoformat(),
        )
        .order_by(report_documents.c.day)
    ).all()
    bodies: dict[date, Mapping[Report, bytes]] = {}
    for at, body in stored:
        document = msgspec.json.decode(bytes(body))
        weekly, monthly = counted[days.parse(at)]
        document["weekly_active_users"] = weekly
        document["monthly_active_users"] = monthly
        bodies[days.parse(at)] = {"activity": msgspec.json.encode(document)}
    if bodies:
        put_reports(connection, org, bodies)


def publish(
    connection: Connection,
    org: OrgId,
    day: date,
    documents: Documents,
    slices: bytes,
    facts: bytes | None,
    *,
    landed: int,
    cost_ms: int,
) -> list[Report]:
    """Replace a day's documents, the slices they were made of, and its facts unless they are None;
    the reports whose bytes changed.

    `landed` is what the events were read at: the day stays dirty if more has arrived since.
    """
    iso = day.isoformat()
    changed = put_reports(connection, org, {day: documents.reports})[day]
    if documents.users:
        upsert(
            connection,
            user_documents,
            [
                {"org_id": org, "user_id": user, "day": iso, "body": body, "digest": digest(body)}
                for user, body in documents.users.items()
            ],
        )
    row = {"org_id": org, "day": iso, "landed": landed, "body": slices}
    upsert(connection, day_slices, [row])
    if facts is not None:
        upsert(connection, day_facts, [row | {"body": facts, "form": FACTS_FORM}])
    settle(connection, org, {day: landed}, cost_ms)
    return changed


def leave(connection: Connection, org: OrgId, day: date, landed: int) -> None:
    """Keep a day's documents as they are: its events are erased, so that no count is whole."""
    settle(connection, org, {day: landed}, 0)


def settle(connection: Connection, org: OrgId, landed: Mapping[date, int], cost_ms: int) -> None:
    """Note at what number of deliveries days were counted, and how long each took."""
    row = {"org_id": org, "rolled_at": clock.now_ms(), "cost_ms": cost_ms}
    rows = []
    for day, number in landed.items():
        counts = {"landed": number, "rolled": number, "published": ids.new_number()}
        rows.append({**row, "day": day.isoformat(), **counts})
    upsert(connection, lake_days, rows, keep=("landed",))


def put_reports(
    connection: Connection, org: OrgId, bodies: Mapping[date, Mapping[Report, bytes]]
) -> dict[date, list[Report]]:
    """Store documents of days, given in order; of each day the reports whose bytes are new."""
    listed = list(bodies)
    stored = {
        (row.day, row.report): row
        for row in connection.execute(
            select(
                *(report_documents.c[name] for name in ("day", "report", "digest", "revision"))
            ).where(
                report_documents.c.org_id == org,
                report_documents.c.report.in_(
                    {name for of_day in bodies.values() for name in of_day}
                ),
                report_documents.c.day.between(listed[0].isoformat(), listed[-1].isoformat()),
            )
        )
    }
    rows: list[dict[str, Any]] = []
    changed: dict[date, list[Report]] = {day: [] for day in bodies}
    for day, documents in bodies.items():
        iso = day.isoformat()
        for report, body in documents.items():
            old = stored.get((iso, report))
            new_digest = digest(body)
            if old is not None and bytes(old.digest) == new_digest:
                continue
            changed[day].append(report)
            revision = 1 if old is None else old.revision + 1
            row = {"org_id": org, "report": report, "day": iso, "body": body}
            rows.append({**row, "digest": new_digest, "revision": revision})
    if rows:
        upsert(connection, report_documents, rows)
    return changed

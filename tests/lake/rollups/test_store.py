from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads, serving, store
from stationmaster.lake.rollups.model import REPORTS, Activity, Documents, Windows

ORG = OrgId("org_a")
DAY = date(2026, 11, 10)


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def a_day(**changes: Any) -> Documents:
    activity = {"weekly_active_users": 1, "monthly_active_users": 1, "sessions": 4}
    reports = {report: b'{"of":"' + report.encode() + b'"}' for report in REPORTS}
    reports["activity"] = msgspec.json.encode(activity)
    return Documents(reports | changes, {})


def put(
    db: Database,
    day: date,
    documents: Documents | None = None,
    *,
    users: dict[str, bool] | None = None,
    credits: int = 0,
    sessions: tuple[str, ...] = (),
    landed: int = 1,
    org: OrgId = ORG,
) -> tuple[set[str], Windows]:
    with db.transaction() as connection:
        assert store.begin(connection, org, {day: landed})
        resumed = store.replace_sessions(connection, org, day, sessions)
        active = {user: Activity(counted, credits) for user, counted in (users or {}).items()}
        windows = store.replace_active_users(connection, org, day, active)
        found = documents or a_day()
        bodies = {user: user.encode() for user in users or {}}
        found = Documents(found.reports, bodies)
        store.publish(connection, org, day, found, b"", b"", landed=landed, cost_ms=1)
    return resumed, windows


def lake_day(db: Database, day: date) -> tuple[int, int]:
    [(landed, rolled)] = db.rows(
        "SELECT landed, rolled FROM lake_days WHERE org_id = ? AND day = ?", ORG, day.isoformat()
    )
    return landed, rolled


def revisions(db: Database, report: Any) -> list[int]:
    return [d.revision for d in reads.documents(db, ORG, report, DAY, DAY + timedelta(days=60))]


def test_a_published_day_is_read_back(db: Database) -> None:
    put(db, DAY, a_day(tokens=b'{"x":1}'))

    [document] = reads.documents(db, ORG, "tokens", DAY, DAY)

    assert document == (DAY, b'{"x":1}', store.digest(b'{"x":1}'), 1)
    assert reads.documents(db, OrgId("org_b"), "tokens", DAY, DAY) == []


def test_what_was_read_before_a_newer_count_is_not_published(db: Database) -> None:
    put(db, DAY, landed=3)

    with db.transaction() as connection:
        assert not store.begin(connection, ORG, {DAY: 2})
        assert store.begin(connection, ORG, {DAY: 3})


def test_two_days_of_an_organization_are_published_one_after_the_other(db: Database) -> None:
    """Otherwise each would leave the other's users out of the windows, unseen."""
    later = DAY + timedelta(days=3)
    other = threading.Thread(target=put, args=(db, later), kwargs={"users": {"user_b": True}})
    with db.transaction() as connection:
        store.begin(connection, ORG, {DAY: 1})
        other.start()
        other.join(0.3)
        assert other.is_alive()
        store.replace_active_users(connection, ORG, DAY, {"user_a": Activity(True, 0)})
    other.join()

    with db.reading() as connection:
        assert store.windows(connection, ORG, later, later) == {later: Windows(2, 2)}


def test_a_revision_grows_only_when_the_bytes_change(db: Database) -> None:
    put(db, DAY)
    put(db, DAY, a_day(tokens=b'{"x":1}'))
    put(db, DAY, a_day(tokens=b'{"x":1}'))

    assert (revisions(db, "tokens"), revisions(db, "tools")) == ([2], [1])


def test_the_revision_of_a_range_is_that_of_its_most_restated_report(db: Database) -> None:
    put(db, DAY)
    put(db, DAY, a_day(tokens=b'{"x":1}'))
    put(db, DAY + timedelta(days=1))

    assert serving.revision(db, ORG, "2026-11-10", "2026-11-30") == 2
    assert serving.revision(db, ORG, "2026-11-11", "2026-11-30") == 1
    assert serving.revision(db, ORG, "2026-11-12", "2026-11-30") == 0
    assert serving.revision(db, OrgId("org_b"), "2026-11-10", "2026-11-30") == 0


def test_a_session_begins_on_its_first_day(db: Database) -> None:
    assert put(db, DAY, sessions=("a", "b"))[0] == set()
    assert put(db, DAY + timedelta(days=2), sessions=("b", "c"))[0] == {"b"}


def test_a_session_that_turns_out_to_be_older_makes_later_days_dirty(db: Database) -> None:
    put(db, DAY + timedelta(days=1), sessions=("a",))
    put(db, DAY + timedelta(days=2), sessions=("b",))

    put(db, DAY, sessions=("a",))

    assert lake_day(db, DAY + timedelta(days=1)) == (2, 1)
    assert lake_day(db, DAY + timedelta(days=2)) == (1, 1)


def test_a_session_that_leaves_a_day_makes_later_days_dirty(db: Database) -> None:
    put(db, DAY, sessions=("a", "b"))
    put(db, DAY + timedelta(days=1), sessions=("a",))

    put(db, DAY, sessions=("b",))

    assert lake_day(db, DAY + timedelta(days=1)) == (2, 1)
    assert put(db, DAY + timedelta(days=1), sessions=("a",), landed=2)[0] == set()


def test_windows_count_a_user_once_and_end_after_7_and_30_days(db: Database) -> None:
    put(db, DAY, users={"u1": True, "u2": True, "svc": False})
    put(db, DAY + timedelta(days=3), users={"u1": True})

    with db.reading() as connection:
        found = store.windows(connection, ORG, DAY - timedelta(days=1), DAY + timedelta(days=40))

    assert found[DAY - timedelta(days=1)] == (0, 0)
    assert found[DAY] == (2, 2)
    assert found[DAY + timedelta(days=3)] == (2, 2)
    assert found[DAY + timedelta(days=6)] == (2, 2)
    assert found[DAY + timedelta(days=7)] == (1, 2)
    assert found[DAY + timedelta(days=10)] == (0, 2)
    assert found[DAY + timedelta(days=29)] == (0, 2)
    assert found[DAY + timedelta(days=30)] == (0, 1)
    assert found[DAY + timedelta(days=33)] == (0, 0)


def test_a_restated_day_updates_the_windows_of_the_29_days_after_it(db: Database) -> None:
    for n in (1, 29, 30):
        put(db, DAY + timedelta(days=n), users={"u1": True})

    put(db, DAY, users={"u1": True, "u2": True})

    found = reads.documents(db, ORG, "activity", DAY, DAY + timedelta(days=40))
    bodies = [(d.day - DAY, d.body, d.revision) for d in found]
    text = b'{"weekly_active_users":%d,"monthly_active_users":%d,"sessions":4}'
    assert bodies == [
        (timedelta(0), text % (1, 1), 1),
        (timedelta(1), text % (2, 2), 2),
        (timedelta(29), text % (1, 2), 2),
        (timedelta(30), text % (1, 1), 1),
    ]


def test_a_user_without_activity_any_more_has_no_document_any_more(db: Database) -> None:
    put(db, DAY, users={"u1": True, "u2": True})
    put(db, DAY, users={"u2": True})

    span = (DAY.isoformat(), DAY.isoformat())
    assert serving.users(db, ORG, "", *span, 10) == ["u2"]
    assert serving.user_bodies(db, ORG, "", "u9", *span) == [(store.digest(b"u2"), b"u2")]


def test_the_credits_of_a_user_are_those_of_the_last_roll_up(db: Database) -> None:
    put(db, DAY, users={"u1": True, "u2": True}, credits=7)
    put(db, DAY, users={"u1": True}, credits=9)

    stored = "SELECT user_id, billable_tokens FROM active_users WHERE org_id = ?"
    assert db.rows(stored, ORG) == [("u1", 9)]


def test_users_are_read_in_the_order_of_their_ids_and_days(db: Database) -> None:
    for n in range(3):
        put(db, DAY + timedelta(days=n), users={"u1": True, "u2": n == 1, f"v{n}": True})
    last = DAY + timedelta(days=1)

    span = (DAY.isoformat(), last.isoformat())

    assert serving.users(db, ORG, "", *span, 2) == ["u1", "u2"]
    assert serving.users(db, ORG, "u2", *span, 9) == ["v0", "v1"]
    assert serving.users(db, ORG, "zzz", *span, 2) == []
    sizes = serving.user_sizes(db, ORG, "u1", "v0", *span)
    assert sizes == [
        ("u2", store.digest(b"u2"), 2),
        ("u2", store.digest(b"u2"), 2),
        ("v0", store.digest(b"v0"), 2),
    ]


def test_closed_days_without_current_documents_are_due(db: Database) -> None:
    put(db, date(2026, 11, 18), landed=3)
    put(db, date(2026, 11, 19))
    with db.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE lake_days SET landed = landed + 1 WHERE day = '2026-11-19'"
        )

    assert reads.first_day(db, ORG) == date(2026, 11, 18)
    assert reads.due_days(db, ORG) == [date(2026, 11, 19), date(2026, 11, 20)]
    assert not reads.is_due(db, ORG, date(2026, 1, 1), date(2026, 11, 18))
    assert reads.is_due(db, ORG, date(2026, 11, 18), date(2026, 11, 19))
    assert reads.is_due(db, ORG, date(2026, 11, 20), date(2026, 12, 1))
    assert not reads.is_due(db, ORG, date(2026, 11, 21), date(2026, 12, 1))
    assert not reads.is_due(db, OrgId("org_b"), date(2026, 1, 1), date(2026, 12, 1))


def test_all_days_that_publishing_may_make_dirty_are_locked_in_their_order(db: Database) -> None:
    if db.dialect == "sqlite":
        pytest.skip("a writing transaction of SQLite is the only one")
    before, after = DAY - timedelta(days=3), DAY + timedelta(days=3)
    for day in (before, DAY + timedelta(days=1), after):
        put(db, day)
    free = select(lake_days.c.day).where(lake_days.c.org_id == ORG)

    with db.transaction() as connection:
        store.begin(connection, ORG, {DAY: 1, DAY + timedelta(days=2): 1})
        with db.transaction() as other:
            locked_by_nobody = other.execute(free.with_for_update(skip_locked=True)).all()

    assert locked_by_nobody == []

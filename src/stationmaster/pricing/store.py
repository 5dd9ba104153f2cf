"""Every query of price lists and of the prices that days were counted by."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from stationmaster import days
from stationmaster.db.engine import Database
from stationmaster.db.tables.prices import day_prices, price_lists, price_reviews
from stationmaster.db.upserts import upsert
from stationmaster.ids import OrgId

_LISTS = (
    "SELECT origin, imported_at, digest FROM price_lists WHERE org_id = ? "
    "ORDER BY imported_at DESC, origin"
)
_BODY = "SELECT body FROM price_lists WHERE org_id = ? AND origin = ? AND digest = ?"
_REVIEWED = "SELECT digest FROM price_reviews WHERE org_id = ?"
_DAYS = "SELECT day, digest, models FROM day_prices WHERE org_id = ? AND day > ? ORDER BY day"


class StoredList(NamedTuple):
    """An imported list without its content; the time is in UTC milliseconds."""

    origin: str
    imported_at: int
    digest: str


class DayPrices(NamedTuple):
    """A day, its models as JSON, and the digest of their prices when it was counted."""

    day: date
    digest: str
    models: str


def lists(db: Database, org: OrgId) -> list[StoredList]:
    """The imported lists, newest import first."""
    return [StoredList(*row) for row in db.rows(_LISTS, org)]


def body(db: Database, org: OrgId, origin: str, digest: str) -> bytes | None:
    """A list as it was stored; None where another one has replaced it."""
    rows = db.rows(_BODY, org, origin, digest)
    return bytes(rows[0][0]) if rows else None


def list_digests(connection: Connection, org: OrgId) -> frozenset[str]:
    """Of the imported lists as a transaction sees them."""
    rows = connection.execute(select(price_lists.c.digest).where(price_lists.c.org_id == org))
    return frozenset(rows.scalars())


def put_list(connection: Connection, org: OrgId, entry: StoredList, content: bytes) -> None:
    """Store an imported list in place of the earlier one of its origin."""
    remove_list(connection, org, entry.origin)
    connection.execute(insert(price_lists).values(org_id=org, **entry._asdict(), body=content))


def remove_list(connection: Connection, org: OrgId, origin: str) -> bool:
    """Whether there was one."""
    key = (price_lists.c.org_id == org) & (price_lists.c.origin == origin)
    return connection.execute(delete(price_lists).where(key)).rowcount > 0


def reviewed(db: Database, org: OrgId) -> str | None:
    """The digest of the prices that stored days were last compared with."""
    rows = db.rows(_REVIEWED, org)
    return rows[0][0] if rows else None


def put_reviewed(connection: Connection, org: OrgId, digest: str) -> None:
    """Store the digest of the prices that stored days were last compared with."""
    upsert(connection, price_reviews, [{"org_id": org, "digest": digest}])


def days_after(db: Database, org: OrgId, closed_through: date) -> list[DayPrices]:
    """The days that were counted by known prices, except those through one."""
    rows = db.rows(_DAYS, org, closed_through.isoformat())
    return [DayPrices(days.parse(day), digest, models) for day, digest, models in rows]


def put_day(connection: Connection, org: OrgId, prices: DayPrices) -> None:
    """Store the prices that a day was counted by, in place of earlier ones."""
    day = prices.day.isoformat()
    key = (day_prices.c.org_id == org) & (day_prices.c.day == day)
    connection.execute(delete(day_prices).where(key))
    row = {"org_id": org, "day": day, "digest": prices.digest, "models": prices.models}
    connection.execute(insert(day_prices).values(row))

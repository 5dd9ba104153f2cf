"""Who sends what: an agent of a person on a machine, from which source, since when, until when.

What is stored is bounded whatever is sent: the machines of a user beyond ROWS_OF_USER_MAX share one
row for each known agent and source, the users of an organization beyond ROWS_OF_ORG_MAX likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Insert, case, func, select

from stationmaster import clock, ids
from stationmaster.agents import recognition
from stationmaster.db.engine import Database
from stationmaster.db.tables.coverage import senders
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rows import StoredTally

ROWS_OF_USER_MAX = 200
ROWS_OF_ORG_MAX = 100_000
OTHERS = "others"
"""The user, the machine or the product of rows that hold what is beyond these numbers."""
UNNAMED = "unnamed"
"""The machine of data that names none."""
_stream_of = attrgetter(
    "user_id", "installation", "product", "source", "product_version", "user_email"
)
_LAST_OF = (
    "SELECT product, source, MAX(last_at) FROM senders "
    "WHERE org_id = ? AND user_id = ? AND events > 0 GROUP BY product, source"
)

_SINCE = (
    "SELECT product, source, MAX(last_at) FROM senders "
    "WHERE org_id = ? AND last_at >= ? AND events > 0 GROUP BY product, source"
)


class Last(NamedTuple):
    """When the last event of a product and source was (ms)."""

    product: str
    source: str
    at: int


class Stream(NamedTuple):
    """The key of a row."""

    org_id: str
    user_id: str
    machine: str
    product: str
    source: str


@dataclass(slots=True)
class Sent:
    """What arrived of a stream; its user's address, if known. Times are those of its events (ms), 0
    while there are none.

    `unknown` counts records whose name we do not know, `refused` those that cannot be true.
    """

    events: int = 0
    first_at: int = 0
    last_at: int = 0
    version: str = ""
    email: str | None = None
    unknown: int = 0
    refused: int = 0

    def add(self, other: Sent) -> None:
        """Add the counts and times of another; of versions that of the later events stays."""
        if other.events:
            if other.version and (other.last_at >= self.last_at or not self.version):
                self.version = other.version
            self.email = other.email or self.email
            self.first_at = min(self.first_at or other.first_at, other.first_at)
            self.last_at = max(self.last_at, other.last_at)
        self.events += other.events
        self.unknown += other.unknown
        self.refused += other.refused


class Senders:
    """Those of one batch."""

    def __init__(self) -> None:
        self._sent: dict[Stream, Sent] = {}

    def note(self, org_id: str, tally: StoredTally, events: Collection[Event]) -> None:
        """Add one delivery."""
        times: dict[tuple[str | None, ...], list[int]] = {}
        for event in events:
            times.setdefault(_stream_of(event), []).append(event.ts)
        delivered: dict[tuple[str, str], set[Stream]] = {}
        for (user, installation, product, source, version, email), moments in times.items():
            machine = tally.sender.machine or _machine(org_id, installation)
            stream = Stream(org_id, user or "", machine, product or "", source or "")
            delivered.setdefault(stream[3:], set()).add(stream)
            sent = Sent(len(moments), min(moments), max(moments), version or "", email)
            self._sent.setdefault(stream, Sent()).add(sent)
        for product, source, outcome, count in tally.counts:
            if outcome not in ("unknown_record", "invalid") or not tally.sender.user_id:
                continue
            machine = tally.sender.machine or UNNAMED
            stream = Stream(org_id, tally.sender.user_id, machine, product, source)
            # One person's agent sent them where it alone sent all the others.
            streams = delivered.get((product, source), set())
            stream = next(iter(streams)) if len(streams) == 1 else stream
            is_unknown = outcome == "unknown_record"
            sent = Sent(unknown=count * is_unknown, refused=count * (not is_unknown))
            self._sent.setdefault(stream, Sent()).add(sent)

    def store(self, state: Database, connection: Connection) -> None:
        """Add them to what is stored, in the transaction that counts their batch."""
        for org_id, streams in groupby(sorted(self._sent), key=attrgetter("org_id")):
            fitting: dict[Stream, Sent] = {}
            for stream, place in _places(connection, org_id, list(streams)):
                fitting.setdefault(place, Sent()).add(self._sent[stream])
            # Sorted, so that two movers never wait for each other's rows.
            rows = [_row(stream, fitting[stream]) for stream in sorted(fitting)]
            connection.execute(_upsert(state), rows)


def last_of(db: Database, org: OrgId, user_id: str) -> list[Last]:
    """The last events of one person that are in the lake, by product and source."""
    return sorted(Last(*row) for row in db.rows(_LAST_OF, org, user_id))


def last_since(db: Database, org: OrgId, since_ms: int) -> list[Last]:
    """The last events of the organization that happened since a time, by product and source."""
    return sorted(Last(*row) for row in db.rows(_SINCE, org, since_ms))


def _machine(org_id: str, installation: str | None) -> str:
    return UNNAMED if installation is None else ids.machine_of(OrgId(org_id), installation)


def _places(
    connection: Connection, org_id: str, streams: list[Stream]
) -> Iterable[tuple[Stream, Stream]]:
    """The row of each stream: its own where there is one or room for it."""
    users = sorted({stream.user_id for stream in streams})
    mine = senders.c.org_id == org_id
    stored = {
        Stream(*row)
        for start in range(0, len(users), 500)
        for row in connection.execute(
            select(*(senders.c[name] for name in Stream._fields)).where(
                mine, senders.c.user_id.in_(users[start : start + 500])
            )
        )
    }
    rows_of = Counter(stream.user_id for stream in stored)
    total: int | None = None
    for stream in streams:
        if stream in stored:
            yield stream, stream
            continue
        if total is None:
            total = connection.execute(select(func.count()).where(mine)).scalar_one()
        if total >= ROWS_OF_ORG_MAX:
            yield stream, _among_others(stream._replace(user_id=OTHERS))
        elif rows_of[stream.user_id] >= ROWS_OF_USER_MAX:
            yield stream, _among_others(stream)
        else:
            total += 1
            rows_of[stream.user_id] += 1
            yield stream, stream


def _among_others(stream: Stream) -> Stream:
    is_known = recognition.by_product(stream.product) is not None
    return stream._replace(machine=OTHERS, product=stream.product if is_known else OTHERS)


def _row(stream: Stream, sent: Sent) -> dict[str, object]:
    # What arrived without any event has the time at which it landed.
    now = clock.now_ms()
    return {
        **stream._asdict(),
        "first_at": sent.first_at or now,
        "last_at": sent.last_at or now,
        "events": sent.events,
        "refused": sent.refused,
        "version": sent.version,
        "version_at": sent.first_at or now,
        "unknown": sent.unknown,
        "unknown_before": None,
        "email": sent.email,
    }


def _upsert(state: Database) -> Insert:
    insert = state.insert(senders)
    old, new = senders.c, insert.excluded
    # Only refused records have the time of their arrival, and events that of their occurrence.
    has_events, is_first = new.events > 0, old.events == 0
    is_latest = has_events & (is_first | (new.last_at >= old.last_at))
    is_newer = is_latest & (new.version != "") & (new.version != old.version)

    def either(condition: ColumnElement[bool], name: str) -> ColumnElement[object]:
        return case((condition, new[name]), else_=old[name])

    return insert.on_conflict_do_update(
        index_elements=["org_id", "user_id", "machine", "product", "source"],
        set_={
            "first_at": either(has_events & (is_first | (new.first_at < old.first_at)), "first_at"),
            "last_at": either(is_latest, "last_at"),
            "events": old.events + new.events,
            "refused": old.refused + new.refused,
            "version": either(is_newer, "version"),
            "version_at": either(is_newer, "version_at"),
            "unknown_before": case(
                (is_newer & (old.version != ""), old.unknown), else_=old.unknown_before
            ),
            "email": func.coalesce(new.email, old.email),
            "unknown": case((is_newer, new.unknown), else_=old.unknown + new.unknown),
        },
    )

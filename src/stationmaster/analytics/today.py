"""The running UTC day so far: provisional figures, at most a minute old, counted when asked for.

They are counted at most once a minute for all who ask in all processes, and not again while
nothing new has arrived. The five reports are of closed days and do not have them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pyarrow as pa
from sqlalchemy import update

from stationmaster import clock
from stationmaster.access import privacy
from stationmaster.access.model import Caller
from stationmaster.aggregate import tallies
from stationmaster.aggregate.slices import Slices, records, unpack
from stationmaster.analytics import person_ids
from stationmaster.analytics.model import COLUMNS
from stationmaster.analytics.queries import spelled
from stationmaster.db.engine import Database
from stationmaster.db.tables.rollups import day_so_far
from stationmaster.db.upserts import upsert
from stationmaster.errors import Forbidden
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import sessions as stored_sessions
from stationmaster.report_names import Dimension
from stationmaster.settings import Settings

AGE_MAX_MS = 60_000
_STORED = "SELECT day, landed, counted_at, body FROM day_so_far WHERE org_id = ?"
_LANDED = "SELECT landed FROM lake_days WHERE org_id = ? AND day = ?"


class Figures(NamedTuple):
    """What was done so far; `amount` is 10⁻¹² dollars of the calls that have a price."""

    active_people: int = 0
    sessions: int = 0
    user_messages: int = 0
    billable_tokens: int = 0
    amount: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    files_changed: int = 0
    git_commits: int = 0
    git_prs_created: int = 0


class PersonToday(NamedTuple):
    """What a person or a program did on the day; `email` is None where it is not known."""

    user_id: str
    email: str | None
    figures: Figures


class Today(NamedTuple):
    """The day (UTC), when it was counted (ms), and what it shows. Lists are of most credits first;
    all are empty where people are not shown by name. `models` has 10⁻¹² dollars by model."""

    day: date
    counted_at: int
    figures: Figures
    agents: list[tuple[str, Figures]]
    people: list[PersonToday]
    models: dict[str, int]


Only = Mapping[Dimension, Collection[str]]
"""The values that count of some dimensions of slices; those of `user` are ids."""


def only_of(db: Database, org: OrgId, chosen: Mapping[Dimension, str]) -> Only:
    """The values of slices that are meant by one value of some dimensions; a user may be meant by
    address, and is all ids of that person."""
    only: dict[Dimension, Collection[str]] = {}
    for dimension, value in chosen.items():
        value = spelled(dimension, value)
        is_user = dimension == "user"
        only[dimension] = person_ids.all_of(db, org, (value,)) if is_user else (value,)
    return only


class _Stored(NamedTuple):
    day: str
    landed: int
    counted_at: int
    body: bytes


class Counter:
    """Counts the running day of organizations. Safe to use from any thread."""

    def __init__(self, db: Database, inbox: Inbox, mover: Mover, settings: Settings) -> None:
        self._db = db
        self._inbox = inbox
        self._mover = mover
        self._settings = settings

    def count(self, org: OrgId) -> None:
        """Bring the stored figures of the running day up to date."""
        self._current(org)

    def of_organization(self, org: OrgId, only: Mapping[Dimension, Collection[str]] = {}) -> Today:
        """What everybody did, or a part of them. Raises Forbidden (`privacy_mode`) where no person
        is shown alone: compared, the figures of two minutes would be those of single people; for
        the same reason a part is shown only where people are shown by name.
        """
        policy = privacy.of(self._db, org)
        if policy.is_grouped:
            raise Forbidden(
                "Today's figures are not shown in this organization, because they would show what "
                f"single people do by the minute: its privacy mode is {policy.mode}.",
                code="privacy_mode",
            )
        if only and not policy.is_named:
            raise Forbidden(
                "Today's figures are shown only for the whole organization: its privacy mode is "
                f"{policy.mode}.",
                code="privacy_mode",
            )
        stored, sliced = self._current(org)
        sliced = _chosen(sliced, only)
        if not policy.is_named:
            return _today(stored, sliced)._replace(agents=[], models={})
        users = sliced.column("user_id")
        emails = dict(zip(users, sliced.column("email"), strict=True))
        people = _ranked(_folded(sliced, users))
        listed = [PersonToday(user, emails[user], figures) for user, figures in people]
        return _today(stored, sliced)._replace(people=listed)

    def of_caller(self, by: Caller, only: Mapping[Dimension, Collection[str]] = {}) -> Today:
        """What the caller did."""
        stored, sliced = self._current(by.org_id)
        own = person_ids.of(self._db, by.org_id, by.principal_id)
        # One person, however many ids they have.
        users = [by.principal_id if user in own else user for user in sliced.column("user_id")]
        sliced = sliced.with_column("user_id", users)
        return _today(stored, _chosen(sliced, {**only, "user": (by.principal_id,)}))

    def _current(self, org: OrgId) -> tuple[_Stored, Slices]:
        stored = self._stored(org)
        if stored is None:
            with self._db.alone(f"today of {org}"):
                # Another one may have counted it meanwhile.
                stored = self._stored(org) or self._count(org)
        return stored, unpack(stored.body)

    def _stored(self, org: OrgId, age_max_ms: int | None = AGE_MAX_MS) -> _Stored | None:
        """What is stored of today, unless it is older."""
        for row in self._db.rows(_STORED, org):
            stored = _Stored(row[0], row[1], row[2], bytes(row[3]))
            age = clock.now_ms() - stored.counted_at
            if stored.day == f"{clock.today()}" and (age_max_ms is None or age <= age_max_ms):
                return stored
        return None

    def _count(self, org: OrgId) -> _Stored:
        # The engine takes a while to load.
        from stationmaster.aggregate.day import count_so_far

        today, now = clock.today(), clock.now_ms()
        if self._inbox.pending(org, today):
            self._mover.drain(org)
        last = self._stored(org, None)
        landed = [number for (number,) in self._db.rows(_LANDED, org, today.isoformat())]
        if last is not None and landed == [last.landed]:
            return self._put(org, last._replace(counted_at=now), None)
        counted = count_so_far(self._db, self._settings, org, today)
        new = _Stored(f"{today}", counted.landed, now, counted.slices.pack())
        return self._put(org, new, counted.sessions)

    def _put(
        self, org: OrgId, new: _Stored, rows: Sequence[stored_sessions.SessionDay] | None
    ) -> _Stored:
        with self._db.transaction() as connection:
            if rows is None:
                connection.execute(
                    update(day_so_far).filter_by(org_id=org).values(counted_at=new.counted_at)
                )
                return new
            upsert(connection, day_so_far, [{"org_id": org, **new._asdict()}])
            # Once it is over, the day's own rollup has its sessions.
            if new.day == f"{clock.today()}":
                stored_sessions.replace(connection, org, date.fromisoformat(new.day), rows)
        return new


def _chosen(sliced: Slices, only: Only) -> Slices:
    """The slices of the chosen values."""
    if not only:
        return sliced
    filters = [(sliced.column(COLUMNS[dimension]), values) for dimension, values in only.items()]
    count = sliced.whole("slices").num_rows
    fits = [all(column[number] in values for column, values in filters) for number in range(count)]
    return sliced.only(pa.array(fits, pa.bool_()))


def _today(stored: _Stored, sliced: Slices) -> Today:
    """What the slices show, without people."""
    agents = sliced.column("agent")
    models: defaultdict[str, int] = defaultdict(int)
    for model, amount in records(sliced["costs"].select(["model", "amount"])):
        models[model] += int(amount)
    return Today(
        date.fromisoformat(stored.day),
        stored.counted_at,
        _folded(sliced, [""] * len(agents)).get("", Figures()),
        _ranked(_folded(sliced, agents)),
        [],
        dict(models),
    )


def _folded(sliced: Slices, keys: Sequence[str]) -> dict[str, Figures]:
    """The figures of each key; `keys` has one for every slice."""
    active = tallies.counted(sliced, keys)
    at_work: dict[str, set[int]] = {}
    for number, session, *_ in records(sliced["sessions"]):
        at_work.setdefault(keys[number], set()).add(session)
    costs: dict[str, list[int]] = {}
    columns = ("slice", "calls", "amount")
    for number, calls, amount in records(sliced["costs"].select(columns)):
        cost = costs.setdefault(keys[number], [0, 0])
        cost[0] += calls
        cost[1] += int(amount)
    figures = {}
    for key, tally in tallies.gather(sliced, keys).items():
        calls, amount = costs.get(key, (0, 0))
        billable, *tokens = tally.credits()
        figures[key] = Figures._make(
            (
                *(len(active.get(key, ())), len(at_work.get(key, ()))),
                *(tally.user_messages, billable, amount, *tokens, calls, tally.tool_calls),
                tally.files_created + tally.files_edited,
                *(tally.git_commits, tally.git_prs_created),
            )
        )
    return figures


def _ranked(figures: dict[str, Figures]) -> list[tuple[str, Figures]]:
    return sorted(figures.items(), key=lambda item: (-item[1].billable_tokens, item[0]))

"""Rolling up one day: events in, documents published, all in one transaction."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from typing import NamedTuple

from stationmaster import clock
from stationmaster.access import service
from stationmaster.aggregate import (
    coverage,
    documents,
    engines,
    facts,
    identities,
    metrics,
    poison,
    quarantine,
    session_rows,
    slices,
)
from stationmaster.aggregate.choice import Choice
from stationmaster.aggregate.engine import Engine
from stationmaster.aggregate.identities import Identities, Known
from stationmaster.aggregate.metrics import Counts
from stationmaster.aggregate.midnight import Eve
from stationmaster.aggregate.slices import Slices
from stationmaster.credits.card import Card
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, Unavailable
from stationmaster.ids import OrgId
from stationmaster.lake import entries, horizon, integrity
from stationmaster.lake.entries import Entry
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.storage import Lake, Part, Partition
from stationmaster.pricing import review
from stationmaster.pricing.current import in_force
from stationmaster.rollups import sessions as stored_sessions
from stationmaster.rollups import store
from stationmaster.rollups.coverage import Coverage
from stationmaster.rollups.model import Activity, Report, Windows
from stationmaster.settings import Settings

_ATTEMPTS = 3
_log = logging.getLogger(__name__)


class DayResult(NamedTuple):
    org: OrgId
    day: date
    changed: tuple[Report, ...]
    """The reports whose bytes are new."""
    unpriced: tuple[str, ...]
    """Models that the rate card does not name; they cost like the reference model."""
    cost_ms: int


def roll_up(db: Database, settings: Settings, org: OrgId, day: date) -> DayResult:
    """Count a closed day of the lake and replace its documents, unless newer ones came meanwhile.

    Events that make this fail are set aside, and the rest is counted; so are parts that do not
    decode and have no entry. Raises DamagedParts where a part with an entry is missing or changed,
    OperatorError for a day that is not over, a StationmasterError or OSError while an engine or
    storage fails; then nothing changes.
    """
    if day >= clock.today():
        raise OperatorError(f"{day} is not over yet (UTC).", code="day_not_over")
    while True:
        aside = quarantine.of_day(db, org, day)
        try:
            return _replace(db, settings, org, day, Choice(aside))
        except DamagedParts:
            raise
        except Exception as fault:
            lake = Lake.open(settings)
            # Which events a fault comes from is not to be told by its kind: a search tries them.
            found = poison.find(
                fault,
                lake,
                entries.visible(db, lake, org, day),
                aside,
                partial(_try, db, settings, org, day),
                partial(engines.make, settings),
            )
            if not found.items:
                raise
            _log.error(
                "%d events or parts of %s on %s are set aside (%s); `stationmaster doctor` counts"
                " them, `stationmaster rollup --retry-quarantined` takes them back",
                *(len(found.items), org, day, found.reason),
            )
            quarantine.set_aside(db, org, day, found.items, found.reason)


class _Undone(Exception):
    """Leaves a transaction that was only tried."""


def _try(db: Database, settings: Settings, org: OrgId, day: date, choice: Choice) -> None:
    """Do all that rolling up does, and take it back."""
    with suppress(_Undone):
        _replace(db, settings, org, day, choice, keep=False)


def _replace(
    db: Database, settings: Settings, org: OrgId, day: date, choice: Choice, *, keep: bool = True
) -> DayResult:
    began = time.perf_counter()
    with db.reading() as connection:
        landed = store.landed(connection, org, day)
        known = identities.known(connection, org)
    prices = in_force(db, settings, org)
    counts, covered, shown = _count(
        db, settings, org, day, choice, known, prices.card, is_tried=not keep
    )
    addresses = known.addresses(shown) | service.emails(db, org)
    found = slices.of(counts, addresses, _uncounted(db, settings, org))
    today = documents.Day(day, found, Windows(0, 0))
    # Before the transaction, so that others wait for as little as possible.
    active = {
        user: Activity(user in today.counted, tally.billable_tokens, *today.places[user])
        for user, tally in today.people.items()
    }
    rows = session_rows.of(counts, org, addresses)
    models = {(model, tier) for _, model, tier, *_ in slices.records(found["tokens"])}
    with db.transaction() as connection:
        if not store.begin(connection, org, day, landed):
            return DayResult(org, day, (), counts.unpriced, _ms_since(began))
        if horizon.is_closed(connection, org, day):
            store.leave(connection, org, day, landed)
            return DayResult(org, day, (), counts.unpriced, _ms_since(began))
        sessions = {session for _, session, *_ in slices.records(counts.active_sessions)}
        resumed = store.replace_sessions(connection, org, day, sessions)
        today.slices = found.with_table("sessions", slices.sessions_of(counts, resumed))
        today.windows = store.replace_active_users(connection, org, day, active)
        covered.replace(connection, org, day)
        stored_sessions.replace(connection, org, day, rows)
        rendered = documents.render(today)
        packed = today.slices.pack()
        finer = facts.of(counts, resumed)
        cost_ms = _ms_since(began)
        changed = store.publish(
            connection, org, day, rendered, packed, finer, landed=landed, cost_ms=cost_ms
        )
        identities.learn(connection, org, day, known, shown)
        entries.note_whole(connection, org, day, besides=choice.aside.parts)
        review.note(connection, org, day, prices, models)
        if not keep:
            raise _Undone
    return DayResult(org, day, tuple(changed), counts.unpriced, cost_ms)


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


class _Counted(NamedTuple):
    """What was counted of a day, what of its coverage, and what it shows of people."""

    counts: Counts = metrics.NOTHING
    coverage: Coverage = Coverage([], [])
    shown: Identities = identities.NOBODY


def recount(db: Database, settings: Settings, org: OrgId, day: date, card: Card) -> Slices:
    """What a day's model calls would weigh and cost by another rate card, call by call: slices
    without their sessions. Nothing is stored.

    Of a day whose events are erased nothing is found, or only a part.
    """
    with db.reading() as connection:
        known = identities.known(connection, org)
    choice = Choice(quarantine.of_day(db, org, day))
    return slices.of(_count(db, settings, org, day, choice, known, card).counts, {}, ())


def _count(
    db: Database,
    settings: Settings,
    org: OrgId,
    day: date,
    choice: Choice,
    known: Known,
    card: Card,
    *,
    is_tried: bool = False,
) -> _Counted:
    """Count a day. A compaction may take parts away meanwhile, then it starts again.

    Parts are checked first, unless it `is_tried`: whoever tries choices has checked them all.
    """
    lake = Lake.open(settings)
    for attempt in range(1, _ATTEMPTS + 1):
        is_last = attempt == _ATTEMPTS
        entered = {} if is_tried else _entered(db, org, day, choice)
        parts = choice.of(entries.visible(db, lake, org, day))
        faults = integrity.compare(entered, parts)
        if faults and not is_last:
            continue
        if not parts and not faults:
            return _Counted()
        engine = engines.make(settings)
        try:
            if not is_tried:
                _check(db, engine, (org, day), parts, entered, faults)
            _open(engine, parts, choice, Eve(db, lake, org, day), settings)
            shown = identities.read(engine, org)
            counts = metrics.count(engine, day, card, known.people(shown))
            found = _Counted(counts, coverage.count(engine), shown)
            if not is_tried:
                fresh = [part for part in parts if part.name not in entered]
                integrity.adopt(db, lake, (org, day), fresh)
            return found
        except FileNotFoundError as fault:
            if is_last:
                raise Unavailable(f"The parts of {day} do not stay: {fault}") from fault
        except DamagedParts:
            if is_last:
                raise
        except OperatorError:
            if is_last or all(lake.exists(part.path) for part in parts):
                raise
        finally:
            engine.close()
    raise AssertionError("the last attempt returns or raises")


def _check(
    db: Database,
    engine: Engine,
    partition: Partition,
    parts: list[Part],
    entered: Mapping[str, Entry],
    faults: dict[str, str],
) -> None:
    """Compare the hashes of parts with their entries. Raises DamagedParts, also for `faults` that
    the listing of the parts has shown."""
    org, day = partition
    present = [part for part in parts if part.name in entered and part.name not in faults]
    if present:
        digests = engine.digests([part.path for part in present])
        names = [part.name for part in present]
        faults = faults | integrity.differing(entered, dict(zip(names, digests, strict=True)))
    if faults:
        integrity.note(db, org, day, faults)
        raise DamagedParts(day, faults, len(entered))


def _entered(db: Database, org: OrgId, day: date, choice: Choice) -> dict[str, Entry]:
    """The entries of the parts that are to be read."""
    return {
        name: entry
        for name, entry in entries.of_day(db, org, day).items()
        if name not in choice.aside.parts
    }


def _open(engine: Engine, parts: list[Part], choice: Choice, eve: Eve, settings: Settings) -> None:
    """Open the chosen events, without those around midnight that count on the day before."""
    if eve.is_empty:
        choice.open(engine, parts, "events")
        return
    choice.open(engine, parts, "arrived")
    eve.leave_out(engine, partial(engines.make_local, settings))


def _uncounted(db: Database, settings: Settings, org: OrgId) -> set[str]:
    if settings.service_accounts_are_active_users:
        return set()
    return service.service_account_ids(db, org)

"""Rolling up closed days: events in, documents published, all in one transaction."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import cache, partial
from typing import NamedTuple

from sqlalchemy import Connection

from stationmaster import clock
from stationmaster.access import reads, service
from stationmaster.aggregate import facts, report_rows, session_rows, slices
from stationmaster.aggregate.count_days import Counting, DayCounts
from stationmaster.aggregate.engines import choice as engines, metrics
from stationmaster.aggregate.faults import quarantine, uncountable
from stationmaster.aggregate.faults.uncountable import EventSelection
from stationmaster.aggregate.inputs import identities
from stationmaster.aggregate.slices import Slices
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from stationmaster.lake import entries, horizon
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.rollups import empty_days, sessions as stored_sessions, store
from stationmaster.lake.rollups.model import Activity, Report, Windows
from stationmaster.lake.rollups.sessions import SessionDay
from stationmaster.lake.storage import Lake
from stationmaster.pricing import review
from stationmaster.pricing.credits.card import Card
from stationmaster.pricing.current import InForce, in_force
from stationmaster.settings import Settings

_log = logging.getLogger(__name__)


class DayResult(NamedTuple):
    """What the rollup of a day changed, and the milliseconds that it took."""

    org: OrgId
    day: date
    changed: tuple[Report, ...]
    """The reports whose bytes are new."""
    unpriced: tuple[str, ...]
    """Models that the rate card does not name; they cost like the reference model."""
    cost_ms: int

    def row(self) -> dict[str, object]:
        """It as scripts read it."""
        return {
            "org_id": self.org,
            "day": self.day,
            "changed": self.changed,
            "unpriced_models": self.unpriced,
            "cost_ms": self.cost_ms,
        }


def roll_up_run(
    db: Database, settings: Settings, org: OrgId, run: Sequence[date]
) -> list[DayResult]:
    """Count closed days of the lake together, given in order, and replace their documents.

    The result is that of `roll_up` of one day after the other. Raises CountSeparately where that is
    what has to be done, and whatever a count of one of them raises; then nothing changes.
    """
    _refuse_open(run[-1])
    choices = {day: EventSelection(quarantine.of_day(db, org, day)) for day in run}
    return _replace(db, settings, org, choices)


def roll_up(db: Database, settings: Settings, org: OrgId, day: date) -> DayResult:
    """Count a closed day of the lake and replace its documents, unless newer ones were stored
    meanwhile.

    Events that make this fail are set aside, and the rest is counted; so are parts that do not
    decode and have no entry. Raises DamagedParts where a part with an entry is missing or changed,
    OperatorError for a day that is not over, a StationmasterError or OSError while an engine or
    storage fails; then nothing changes.
    """
    _refuse_open(day)
    while True:
        aside = quarantine.of_day(db, org, day)
        try:
            [result] = _replace(db, settings, org, {day: EventSelection(aside)})
            return result
        except DamagedParts:
            raise
        except Exception as fault:
            lake = Lake.open(settings)
            # The kind of a fault does not show which events cause it: a search tries them.
            offending = uncountable.find(
                fault,
                lake,
                entries.visible(db, lake, org, day),
                aside,
                partial(_try, db, settings, org, day),
                partial(engines.make, settings),
            )
            if not offending.items:
                raise
            _log.error(
                "%d events or parts of %s on %s are set aside (%s); `stationmaster doctor` counts"
                " them, `stationmaster rollup --retry-quarantined` takes them back",
                *(len(offending.items), org, day, offending.reason),
            )
            quarantine.set_aside(db, org, day, offending.items, offending.reason)


class _Undone(Exception):
    """Leaves a transaction that was only tried."""


def _try(db: Database, settings: Settings, org: OrgId, day: date, choice: EventSelection) -> None:
    """Do all that rolling up does, and take it back."""
    with suppress(_Undone):
        _replace(db, settings, org, {day: choice}, keep=False)


def _refuse_open(day: date) -> None:
    if day >= clock.today():
        raise OperatorError(f"{day} is not over yet (UTC).", code="day_not_over")


def _replace(
    db: Database,
    settings: Settings,
    org: OrgId,
    choices: Mapping[date, EventSelection],
    *,
    keep: bool = True,
) -> list[DayResult]:
    began = time.perf_counter()
    run = list(choices)
    with db.reading() as connection:
        landed = store.landed(connection, org, run)
        who = identities.stored_identities(connection, org)
    prices = in_force(db, settings, org)
    counting = Counting(db, settings, org, who, prices.card, is_tried=not keep)
    counted, who = counting.count(choices)
    members = service.emails(db, org)
    uncounted = _uncounted(db, settings, org)
    # Before the transaction, so that others wait for as little as possible.
    drafts = {
        day: _Draft.of(
            org,
            day,
            counted_day,
            who.addresses(counted_day.shown) | members,
            uncounted,
        )
        for day, counted_day in counted.items()
    }
    busy = sum(not counted_day.is_empty for counted_day in counted.values())
    cost_ms = _ms_since(began) // max(1, busy)
    with db.transaction() as connection:
        newest = _newest(connection, org, landed)
        changed = [drafts[day] for day in run if day in newest]
        results = _publish(connection, org, changed, landed, prices, cost_ms)
        for day in results:
            entries.note_whole(connection, org, day, excluded=choices[day].aside.parts)
        identities.add_evidence(connection, org, who, {day: counted[day].shown for day in results})
        if not keep:
            raise _Undone
    unchanged = {day: DayResult(org, day, (), drafts[day].unpriced, cost_ms) for day in run}
    return list((unchanged | results).values())


def _newest(connection: Connection, org: OrgId, landed: Mapping[date, int]) -> set[date]:
    """The days that are to be published: not those of which newer events were published meanwhile,
    nor those whose events are erased, which keep their documents."""
    # All of them at first, because rows of days are locked in their order everywhere.
    newest = store.begin(connection, org, landed)
    closed = {day for day in newest if horizon.is_closed(connection, org, day)}
    for day in closed:
        store.leave(connection, org, day, landed[day])
    return newest - closed


def _publish(
    connection: Connection,
    org: OrgId,
    drafts: Sequence[_Draft],
    landed: Mapping[date, int],
    prices: InForce,
    cost_ms: int,
) -> dict[date, DayResult]:
    """Replace all that is stored of some days, given in order."""
    without = [draft.day for draft in drafts if draft.counted.is_empty]
    empty = set(empty_days.among(connection, org, without))
    results = {}
    for draft in drafts:
        if draft.day not in empty:
            began = time.perf_counter()
            changed = draft.publish(connection, org, landed[draft.day], cost_ms)
            cost = cost_ms + _ms_since(began)
            results[draft.day] = DayResult(org, draft.day, tuple(changed), draft.unpriced, cost)
    models = {draft.day: draft.models for draft in drafts if draft.day not in empty}
    review.note(connection, org, prices, models)
    # After the others, whose users are active in the windows of these days.
    if empty:
        reports_by_day = publish(connection, org, {day: landed[day] for day in sorted(empty)})
        results |= {
            day: DayResult(org, day, tuple(reports_by_day[day]), (), 0) for day in reports_by_day
        }
    return results


class _Draft(NamedTuple):
    """What is published of a day, as far as it depends on that day alone."""

    day: date
    counted: DayCounts
    found: Slices
    report_day: report_rows.Day
    active: dict[str, Activity]
    sessions: list[SessionDay]

    @classmethod
    def of(
        cls,
        org: OrgId,
        day: date,
        counted: DayCounts,
        addresses: Mapping[str, str],
        uncounted: set[str],
    ) -> _Draft:
        if counted.is_empty:
            of_day = slices_of_nothing()
        else:
            of_day = slices.of(counted.counts, addresses, uncounted)
        report_day = report_rows.Day(day, of_day, Windows(0, 0))
        active = {
            user: Activity(
                user in report_day.counted, tally.billable_tokens, *report_day.places[user]
            )
            for user, tally in report_day.people.items()
        }
        rows = session_rows.of(counted.counts, org, addresses)
        return cls(day, counted, of_day, report_day, active, rows)

    @property
    def unpriced(self) -> tuple[str, ...]:
        return self.counted.counts.unpriced

    @property
    def models(self) -> list[review.Model]:
        tokens = self.found["tokens"].group_by(["model", "model_tier"], use_threads=False)
        return list(slices.records(tokens.aggregate([])))

    def publish(
        self, connection: Connection, org: OrgId, landed: int, spent_ms: int
    ) -> Sequence[Report]:
        """Replace all that is stored of the day; the reports whose bytes are new.

        Whatever else is to be stored by day is made of `counted` and stored here.
        """
        began = time.perf_counter()
        counts, day, report_day = self.counted.counts, self.day, self.report_day
        sessions = set(slices.session_ids(counts))
        resumed = store.replace_sessions(connection, org, day, sessions)
        report_day.slices = self.found.with_table("sessions", slices.sessions_of(counts, resumed))
        report_day.windows = store.replace_active_users(connection, org, day, self.active)
        self.counted.coverage.replace(connection, org, day)
        stored_sessions.replace(connection, org, day, self.sessions)
        rendered = report_rows.render(report_day)
        packed = report_day.slices.pack()
        finer = facts.of(counts, resumed)
        cost_ms = spent_ms + _ms_since(began)
        return store.publish(
            connection, org, day, rendered, packed, finer, landed=landed, cost_ms=cost_ms
        )


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


class SoFar(NamedTuple):
    """The running day as far as the lake had it."""

    landed: int
    """Deliveries to the day that were counted."""
    slices: Slices
    sessions: list[SessionDay]


def count_so_far(db: Database, settings: Settings, org: OrgId, day: date) -> SoFar:
    """Count a day that is not over. Every session of it counts as begun. Nothing is stored."""
    with db.reading() as connection:
        [landed] = store.landed(connection, org, [day]).values()
        who = identities.stored_identities(connection, org)
    card = in_force(db, settings, org).card
    choice = EventSelection(quarantine.of_day(db, org, day))
    counted, who = Counting(db, settings, org, who, card).count({day: choice})
    addresses = who.addresses(counted[day].shown) | service.emails(db, org)
    draft = _Draft.of(org, day, counted[day], addresses, _uncounted(db, settings, org))
    sessions = slices.sessions_of(counted[day].counts, ())
    return SoFar(landed, draft.found.with_table("sessions", sessions), draft.sessions)


def recount(db: Database, settings: Settings, org: OrgId, day: date, card: Card) -> Slices:
    """What a day's model calls would weigh and cost by another rate card, call by call: slices
    without their sessions. Nothing is stored.

    Of a day whose events are erased nothing is found, or only a part.
    """
    with db.reading() as connection:
        who = identities.stored_identities(connection, org)
    choice = EventSelection(quarantine.of_day(db, org, day))
    counted, _ = Counting(db, settings, org, who, card).count({day: choice})
    return slices.of(counted[day].counts, {}, ())


def _uncounted(db: Database, settings: Settings, org: OrgId) -> set[str]:
    if settings.service_accounts_are_active_users:
        return set()
    return reads.service_account_ids(db, org)


def publish(
    connection: Connection, org: OrgId, landed: Mapping[date, int]
) -> dict[date, list[Report]]:
    """Publish days of which nothing is stored, given in order: see `empty_days.among`."""
    run = list(landed)
    empty_slices, packed, finer = _nothing()
    windows = store.windows(connection, org, run[0], run[-1])
    # One for all days: what is folded from no slices is the same on each.
    report_day = report_rows.Day(run[0], empty_slices, Windows(0, 0))
    bodies = {}
    for day in run:
        report_day.day, report_day.windows = day, windows[day]
        bodies[day] = report_rows.render(report_day).reports
    return empty_days.publish(connection, org, landed, bodies, packed, finer)


def slices_of_nothing() -> Slices:
    """The slices of a day without events."""
    return _nothing()[0]


@cache
def _nothing() -> tuple[Slices, bytes, bytes]:
    """The slices of a day without events, and its slices and facts as they are stored."""
    empty_slices = slices.of(metrics.NOTHING, {}, ())
    empty_slices = empty_slices.with_table("sessions", slices.sessions_of(metrics.NOTHING, ()))
    return empty_slices, empty_slices.pack(), facts.of(metrics.NOTHING, ())

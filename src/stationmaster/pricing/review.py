"""Which days were counted by prices that are no longer in force.

A day keeps which models it had and a digest of what they cost when it was counted. When a card or
a list changes, days whose digest differs now become due, and are counted again at the next
opportunity. Days whose events are erased keep what they have.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import date
from hashlib import sha256
from weakref import WeakKeyDictionary

import msgspec
from sqlalchemy import Connection

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.lake.rollups.store import hold, mark_days
from stationmaster.model_names import parse, spellings
from stationmaster.pricing import current, store
from stationmaster.pricing.credits.card import Card, Steps, Tier, on
from stationmaster.settings import Settings

Model = tuple[str, Tier]
"""An id and a tier. Regions are left out: a change of any of them counts as one of the model."""


_seen: WeakKeyDictionary[Database, dict[OrgId, str]] = WeakKeyDictionary()
"""By organization: the digest of the prices that this process has reviewed. Processes
with different cards would otherwise make days due in turns for ever."""


def note(
    connection: Connection,
    org: OrgId,
    prices: current.InForce,
    models: Mapping[date, Iterable[Model]],
) -> None:
    """Keep by which prices days are counted, given with their models and in order, in the
    transaction that publishes them. Where a list was imported since they were read the days stay
    due."""
    digests = _Digests(prices.card)
    for day, of_day in models.items():
        names = sorted(set(of_day))
        row = store.DayPrices(day, digests.of(names, day), msgspec.json.encode(names).decode())
        store.put_day(connection, org, row)
    if models and store.list_digests(connection, org) != prices.lists:
        mark_days(connection, org, [day.isoformat() for day in models])


def review(db: Database, settings: Settings, org: OrgId) -> int:
    """Make days due whose prices have changed since they were counted; how many those are.

    Costs two short reads where nothing has changed.
    """
    prices = current.in_force(db, settings, org)
    seen = _seen.setdefault(db, {})
    reviewed = store.reviewed(db, org)
    if prices.digest in (reviewed, seen.get(org)):
        seen[org] = prices.digest
        return 0
    with db.transaction() as connection:
        if reviewed is None and not store.days_after(db, org, date.min):
            # Nothing was counted yet, so there is nothing to wait for.
            store.put_reviewed(connection, org, prices.digest)
            changed = 0
        else:
            changed = mark(connection, db, org, prices)
    seen[org] = prices.digest
    return changed


def reviewed(db: Database, settings: Settings, org: OrgId) -> Card:
    """The card in force, after days whose prices have changed were made due."""
    review(db, settings, org)
    return current.card(db, settings, org)


def mark(connection: Connection, db: Database, org: OrgId, prices: current.InForce) -> int:
    """Make days due, in a transaction, that were counted by other prices; how many those are."""
    # No day is published meanwhile.
    hold(connection, org)
    closed = horizon.closed_through(db, org) or date.min
    digests = _Digests(prices.card)
    changed = [
        counted.day.isoformat()
        for counted in store.days_after(db, org, closed)
        if counted.digest != digests.of(_MODELS.decode(counted.models), counted.day)
    ]
    mark_days(connection, org, changed)
    store.put_reviewed(connection, org, prices.digest)
    return len(changed)


class _Digests:
    """Digests of the prices of models by a card, each made once."""

    def __init__(self, card: Card) -> None:
        self._card = card
        self._listed = _listed(card)
        self._starts = card.starts()
        self._made: dict[tuple[tuple[Model, ...], int], str] = {}

    def of(self, models: list[Model], day: date) -> str:
        """That of some models on a day, which is the same until a price changes."""
        key = tuple(models), bisect_right(self._starts, day)
        if key not in self._made:
            self._made[key] = _digest(self._card, self._listed, models, day)
        return self._made[key]


_MODELS = msgspec.json.Decoder(list[Model])
_Listed = Mapping[str, list[Steps]]
"""The prices of all regions in all lists, by `model_names.key`."""


def _listed(card: Card) -> _Listed:
    by_model: dict[str, list[Steps]] = {}
    for list_ in card.lists:
        for key, steps in list_.prices.items():
            by_model.setdefault(key.model, []).append(steps)
    return by_model


def _digest(card: Card, listed: _Listed, models: list[Model], day: date) -> str:
    """Of all that the cost of calls of these models on a day depends on."""
    rates = []
    for name, tier in models:
        rate = card.rate(name, tier, day)
        model = parse(card.alias(name)).model
        steps = next((listed[spelling] for spelling in spellings(model) if spelling in listed), [])
        prices = [
            rate.usd,
            *(step[1] for schedule in steps if (step := on(schedule, day)) is not None),
        ]
        undated = [None if price is None else price._replace(as_of=None) for price in prices]
        rates.append((rate._replace(usd=None), undated))
    return sha256(msgspec.json.encode(rates)).hexdigest()

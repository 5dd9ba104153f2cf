"""Importing published price lists for an organization, and how old its lists are."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, NotFound
from stationmaster.ids import OrgId
from stationmaster.model_names import spellings
from stationmaster.pricing import cards, store
from stationmaster.pricing.credits import genai, rates
from stationmaster.pricing.credits.card import OLD_DAYS, Card, Key, PriceList, Steps, encode, on
from stationmaster.pricing.credits.price import Price
from stationmaster.pricing.current import combined, imported, in_force
from stationmaster.pricing.review import mark
from stationmaster.settings import Settings


class ListAge(NamedTuple):
    """How old a price list is, and how many models it has."""

    origin: str
    as_of: date
    imported_at: int | None
    """UTC milliseconds; None for what is part of this version."""
    models: int
    oldest: date
    """The days on which its oldest and its newest price began to hold; prices without one began
    with the list."""
    newest: date

    @property
    def is_old(self) -> bool:
        """True where more than OLD_DAYS have passed since `as_of`."""
        return (clock.today() - self.as_of).days > OLD_DAYS


class Difference(NamedTuple):
    """The price of a model today, by the lists in force and by those with a new one."""

    key: Key
    before: Price | None
    after: Price | None


class ListChange(NamedTuple):
    """What a list changes. `gone` are models of the earlier import that the new list lacks."""

    prices: PriceList
    new: list[Difference]
    changed: list[Difference]
    gone: list[Difference]
    days_due: int


def ages(db: Database, settings: Settings, org: OrgId) -> list[ListAge]:
    """The lists in the order in which they are asked; the operator's card is none."""
    at = {list_.origin: list_.imported_at for list_ in store.lists(db, org)}
    return [_age(list_, at.get(list_.origin)) for list_ in in_force(db, settings, org).card.lists]


def _age(prices: PriceList, imported_at: int | None) -> ListAge:
    starts = [
        prices.as_of if day == date.min else day
        for steps in prices.prices.values()
        for day, _ in steps
        if day <= prices.as_of
    ]
    models = len({key.model for key in prices.prices})
    oldest, newest = min(starts, default=prices.as_of), max(starts, default=prices.as_of)
    return ListAge(prices.origin, prices.as_of, imported_at, models, oldest, newest)


def import_list(
    db: Database,
    settings: Settings,
    caller: Caller,
    prices: PriceList,
    *,
    since: date | None = None,
    is_dry_run: bool = False,
) -> ListChange:
    """Put a list in the place of the earlier one of its origin, or return what that would change.

    Prices without a date hold from the day on which the built-in list's present price began, so
    that they correct it; with `since` from that day on, and before it the earlier import's.
    """
    if since is not None and prices.origin == genai.ORIGIN:
        raise BadRequest("Prices of genai-prices have their own dates.", code="bad_price_list")
    org = caller.org_id
    earlier = _earlier(db, org, prices.origin)
    dated = _dated(prices, since, earlier.prices if earlier is not None else {})
    own = cards.read(settings.rate_card)
    # With the time, so that an import that was taken back and made again is another one.
    content, now = encode(dated), clock.now_ms()
    digest = sha256(content + str(now).encode()).hexdigest()
    before = in_force(db, settings, org).card
    after = combined(own, [(digest, dated), *_others(db, org, dated.origin)])
    change = _change(before, after.card, dated, earlier)
    if is_dry_run:
        return change
    counts = {
        "as_of": dated.as_of.isoformat(),
        "models": len({key.model for key in dated.prices}),
        "new": len(change.new),
        "changed": len(change.changed),
        "gone": len(change.gone),
    }
    with db.transaction() as connection:
        due = mark(connection, db, org, after)
        stored = store.StoredList(dated.origin, now, digest)
        store.put_list(connection, org, stored, zlib.compress(content))
        audit.note(connection, caller, "price_list_imported", "price_list", dated.origin, **counts)
    return change._replace(days_due=due)


def remove_list(db: Database, settings: Settings, caller: Caller, origin: str) -> int:
    """Take an import back; how many days have other prices then. Raises NotFound."""
    org = caller.org_id
    after = combined(cards.read(settings.rate_card), _others(db, org, origin))
    with db.transaction() as connection:
        due = mark(connection, db, org, after)
        if not store.remove_list(connection, org, origin):
            raise NotFound("There is no imported price list of this origin.")
        audit.note(connection, caller, "price_list_removed", "price_list", origin)
    return due


def _others(db: Database, org: OrgId, origin: str) -> list[tuple[str, PriceList]]:
    """The imported lists of other origins with their digests."""
    lists = [(list_, imported(db, org, list_)) for list_ in store.lists(db, org)]
    return [
        (stored.digest, prices)
        for stored, prices in lists
        if prices is not None and stored.origin != origin
    ]


def _earlier(db: Database, org: OrgId, origin: str) -> PriceList | None:
    stored = [list_ for list_ in store.lists(db, org) if list_.origin == origin]
    return imported(db, org, stored[0]) if stored else None


def _dated(prices: PriceList, since: date | None, earlier: Mapping[Key, Steps]) -> PriceList:
    """A list whose prices without a date have one."""
    built_in = rates.card().lists[0].prices
    dated: dict[Key, Steps] = {}
    for key, steps in prices.prices.items():
        if steps[0][0] != prices.as_of or len(steps) > 1:
            dated[key] = steps
        elif since is None:
            dated[key] = ((_start(built_in, key, prices.as_of), steps[0][1]),)
        else:
            kept = tuple(step for step in earlier.get(key, ()) if step[0] < since)
            dated[key] = (*kept, (since, steps[0][1]))
    return prices._replace(prices={k: v for k, v in dated.items() if not _is_built_in(k, v)})


def _is_built_in(key: Key, steps: Steps) -> bool:
    """Whether the built-in list has the same price for a region, with modes that this one lacks."""
    if not key.region:
        return False
    entry = rates.card().find(key.model, "standard", clock.today(), key.region)
    present = on(steps, clock.today())
    return entry is not None and present is not None and entry.price.standard == present[1].standard


def _start(built_in: Mapping[Key, Steps], key: Key, today: date) -> date:
    """When the present price of a model on the built-in list began."""
    for name in spellings(key.model):
        steps = built_in.get(Key(name, key.region)) or built_in.get(Key(name))
        if steps:
            return max((day for day, _ in steps if day <= today), default=date.min)
    return date.min


def _change(before: Card, after: Card, prices: PriceList, earlier: PriceList | None) -> ListChange:
    old = set() if earlier is None else set(earlier.prices)
    differences = [
        Difference(key, _price(before, key), _price(after, key))
        for key in sorted(old | set(prices.prices))
    ]
    gone = [difference for difference in differences if difference.key not in prices.prices]
    there = [difference for difference in differences if difference.key in prices.prices]
    new = [difference for difference in there if difference.before is None]
    changed = [
        difference
        for difference in there
        if difference.before is not None and difference.before != difference.after
    ]
    return ListChange(prices, new, changed, gone, 0)


def _price(card: Card, key: Key) -> Price | None:
    quote = card.find(key.model, "standard", clock.today(), key.region or None)
    return None if quote is None else quote.price._replace(as_of=None)

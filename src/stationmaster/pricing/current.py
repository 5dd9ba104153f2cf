"""The prices that are in force for an organization."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.pricing import cards, store
from stationmaster.pricing.credits.card import Card, PriceList, decode
from stationmaster.settings import Settings

_LISTS_KEPT = 16
"""Decoded lists of some megabytes each."""


class InForce(NamedTuple):
    """The card with the imported lists in it, and digests of what it was made of."""

    card: Card
    digest: str
    """Differs where a price may differ."""
    lists: frozenset[str]
    """The digests of the imported lists."""


def in_force(db: Database, settings: Settings, org: OrgId) -> InForce:
    """The operator's card before imported lists, the newest import first, before the built-in list.

    Reads the state of the card's file and of the database each time, so that every process
    notices a change. Raises OperatorError for a card that never read in this process.
    """
    own = cards.read(settings.rate_card)
    stored = [(list_.digest, imported(db, org, list_)) for list_ in store.lists(db, org)]
    return combined(own, [(digest, prices) for digest, prices in stored if prices is not None])


def combined(own: cards.Own, lists: Sequence[tuple[str, PriceList]]) -> InForce:
    """A card before imported lists with their digests, in their order."""
    digests = [digest for digest, _ in lists]
    digest = sha256("\0".join((own.digest, *digests)).encode()).hexdigest()
    in_order = (*(prices for _, prices in lists), *own.card.lists)
    return InForce(own.card._replace(lists=in_order), digest, frozenset(digests))


def card(db: Database, settings: Settings, org: OrgId) -> Card:
    """`in_force` without its digest."""
    return in_force(db, settings, org).card


def imported(db: Database, org: OrgId, stored: store.StoredList) -> PriceList | None:
    """An imported list; None where another import has just replaced it."""
    prices = _decoded.get(stored.digest)
    if prices is None:
        body = store.body(db, org, stored.origin, stored.digest)
        if body is None:
            return None
        while len(_decoded) >= _LISTS_KEPT:
            _decoded.pop(next(iter(_decoded)), None)
        prices = _decoded[stored.digest] = decode(zlib.decompress(body))
    return prices


_decoded: dict[str, PriceList] = {}
"""By digest, which distinguishes lists regardless of who imported them."""

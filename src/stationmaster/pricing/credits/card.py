"""What models cost an organization: the families of its rate cards, and lists of prices.

Families give a token its weight in Standard Credits, and may give dollars. Lists give dollars.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from stationmaster.model_names import key, parse, spellings
from stationmaster.pricing.credits.price import Call, Price, call_cost, mode_of
from stationmaster.pricing.credits.usd import Usd, read, write

OLD_DAYS = 45
"""After so many days without a newer list prices are pointed out as old."""
REGIONAL = "regional"
"""The region whose price holds in each region that a list does not name."""
_HOME = ("", "global", "default", "not_available")
"""Regions that have the maker's own price."""

Steps = tuple[tuple[date, Price], ...]
"""By the UTC day from which they hold, ascending."""

Tier = Literal["standard", "thinking"]
_FAST = "-fast"


class Rate(NamedTuple):
    """What a token of a model weighs in thousandths of a Standard Credit, and its price."""

    multiplier_milli: int
    is_known: bool = True
    """Does a card name the model?"""
    cache_read_milli: int = 100
    """The weight of a token read from the cache, ordinary input being 1000."""
    cache_write_milli: int = 1000
    usd: Price | None = None

    def amount(
        self,
        speed: str | None,
        service_tier: str | None,
        counters: tuple[int, int, int, int],
        cache_write_1h: int,
    ) -> int | None:
        """What a call with these tokens costs in 10⁻¹² dollars, in the mode that it was made in;
        None where it is unknown."""
        mode = mode_of(speed, service_tier)
        call = Call(*counters, cache_write_1h, mode or "standard")
        return call_cost(None if mode is None else self.usd, call)


UNKNOWN = Rate(1000, is_known=False)
"""A model that no card names costs like the mid-range reference model, and has no price."""


class Family(NamedTuple):
    """The models that one entry of a card is about."""

    prefixes: tuple[str, ...]
    pattern: re.Pattern[str]
    words: tuple[str, ...]
    tier: Tier | None
    steps: tuple[tuple[date, Rate], ...]
    """By the UTC day from which they hold; the first holds before it, too."""
    source: str
    """The card: a path, or what it is called."""
    line: int | None

    @property
    def name(self) -> str:
        """Its prefixes and words, for a person."""
        return " | ".join(" ".join((f"{prefix}…", *self.words)) for prefix in self.prefixes)

    def has(self, name: str, tier: Tier) -> bool:
        """True where a model's name fits the pattern and has all words, and the tier fits."""
        return (
            self.tier in (None, tier)
            and self.pattern.match(name) is not None
            and all(word in name for word in self.words)
        )

    def step(self, day: date) -> tuple[date, Rate]:
        """The step in force on a day."""
        current = self.steps[0]
        for later in self.steps[1:]:
            if later[0] <= day:
                current = later
        return current


class Quote(NamedTuple):
    """The price of a model on a day, and its source."""

    price: Price
    source: str
    """The file of a card, or the origin of a list."""
    name: str
    """What the card or list calls the model."""
    region: str
    """The region whose price it is; "" for the maker's own."""
    since: date
    line: int | None = None
    """Where the family begins in the card."""


class Card(NamedTuple):
    """Families and lists in the order in which they are used: an operator's own card, imported
    lists, what is part of this version."""

    families: tuple[Family, ...]
    aliases: Mapping[str, str] = MappingProxyType({})
    """Names of deployments and inference profiles, in lower case, and the models they are."""
    lists: tuple[PriceList, ...] = ()

    @property
    def as_of(self) -> date:
        """The date of the newest list."""
        return max(list_.as_of for list_ in self.lists)

    def family(self, model: str, tier: Tier) -> Family | None:
        """The family of a model id without its provider's prefix."""
        name = parse(self.alias(model)).model.lower()
        return next((family for family in self.families if family.has(name, tier)), None)

    def rate(self, model: str, tier: Tier, day: date, region: str | None = None) -> Rate:
        """The rate of a model on a UTC day, where the provider was asked for a region there."""
        family = self.family(model, tier)
        rate = UNKNOWN if family is None else family.step(day)[1]
        quote = self.find(model, tier, day, region)
        return rate._replace(usd=None if quote is None else quote.price)

    def find(self, model: str, tier: Tier, day: date, region: str | None = None) -> Quote | None:
        """The price of a model on a UTC day; None where no card and no list has one.

        1. `[aliases]` of the own card give the model another id, which may name a region.
        2. The first family that has dollars for the model. A prefix that is itself a listed model
           does not catch other listed models.
        3. The most exact spelling that any list has, in the first list that has it. There the
           price of the region is before that of any region, and that before the maker's own.
        4. A name that ends in `-fast` is its model in the mode `fast`.
        """
        name = parse(self.alias(model))
        place = name.region or region
        return (
            self._of_family(name.model, tier, day)
            or self._of_lists(name.model, day, place)
            or self._of_fast(name.model, day, place)
        )

    def before(self, other: Card) -> Card:
        """This card, and the other one for what this one does not name."""
        return Card(
            self.families + other.families,
            {**other.aliases, **self.aliases},
            self.lists + other.lists,
        )

    def starts(self) -> list[date]:
        """The days from which any rate or price holds, in order. From one to the next nothing
        changes."""
        steps = [family.steps for family in self.families]
        listed = [prices for list_ in self.lists for prices in list_.prices.values()]
        return sorted({start for schedule in (*steps, *listed) for start, _ in schedule})

    def alias(self, model: str) -> str:
        """The id of a name; itself where it is no alias."""
        return self.aliases.get(model.lower(), model)

    def _of_family(self, model: str, tier: Tier, day: date) -> Quote | None:
        name = model.lower()
        for family in self.families:
            if not family.has(name, tier):
                continue
            since, rate = family.step(day)
            if rate.usd is not None and not self._is_of_another(family, model):
                return Quote(rate.usd, family.source, family.name, "", since, family.line)
        return None

    def _is_of_another(self, family: Family, model: str) -> bool:
        """Whether the family is named by a listed model, and this is another listed model."""
        names = list(spellings(model))
        prefixes = [key(prefix) for prefix in family.prefixes]
        if family.words or any(prefix in names for prefix in prefixes):
            return False
        caught = [prefix for prefix in prefixes if names[0].startswith(prefix)]
        return all(map(self._is_listed, caught)) and any(map(self._is_listed, names))

    def _is_listed(self, name: str) -> bool:
        return any(Key(name) in list_.prices for list_ in self.lists)

    def _of_lists(self, model: str, day: date, region: str | None) -> Quote | None:
        for name in spellings(model):
            for place in regions(region):
                quote = self._of_key(Key(name, place), day)
                if quote is not None:
                    return quote
        return None

    def _of_key(self, name: Key, day: date) -> Quote | None:
        """The first list that has a price for the day; where all prices are of later days, the
        oldest of the last list that has the model."""
        oldest: Quote | None = None
        for list_ in self.lists:
            steps: Steps = list_.prices.get(name, ())
            step = on(steps, day)
            if step is not None:
                return Quote(step[1], list_.origin, name.model, name.region, step[0])
            if steps:
                oldest = Quote(steps[0][1], list_.origin, name.model, name.region, steps[0][0])
        return oldest

    def _of_fast(self, model: str, day: date, region: str | None) -> Quote | None:
        if not model.lower().endswith(_FAST):
            return None
        plain = self._of_lists(model[: -len(_FAST)], day, region)
        if plain is None or plain.price.fast is None:
            return None
        return plain._replace(price=Price(plain.price.fast, as_of=plain.price.as_of))


class Key(NamedTuple):
    """A model as a list names it: its `model_names.key`, and a region, "" for the maker's own."""

    model: str
    region: str = ""


class PriceList(NamedTuple):
    """A list of one origin: its prices by model and region."""

    origin: str
    """Whose list it is: `built-in`, `genai-prices`, `litellm`."""
    as_of: date
    """The day on which it was compared with what providers publish, or imported."""
    prices: Mapping[Key, Steps]


def on(steps: Steps, day: date) -> tuple[date, Price] | None:
    """The step that holds on a UTC day; None before the first one."""
    number = bisect_right(steps, day, key=lambda step: step[0])
    return steps[number - 1] if number else None


def regions(region: str | None) -> tuple[str, ...]:
    """The regions of `Key` under which a list may have the price of a call in a region, most exact
    first."""
    place = (region or "").lower()
    return ("",) if place in _HOME else (place, REGIONAL, "")


class _Step(msgspec.Struct, frozen=True, omit_defaults=True, rename={"since": "from"}):
    usd: Usd
    since: date = date.min


class _Row(msgspec.Struct, frozen=True, omit_defaults=True):
    model: str
    steps: tuple[_Step, ...]
    region: str = ""


class _Document(msgspec.Struct, frozen=True):
    origin: str
    as_of: date
    prices: tuple[_Row, ...]


_encode = msgspec.json.Encoder(decimal_format="number").encode


def encode(prices: PriceList) -> bytes:
    """A list as JSON in dollars per million tokens, one model and region a line, in the order of
    their names."""
    head = _encode({"origin": prices.origin, "as_of": prices.as_of})
    rows = (
        _encode(
            _Row(key.model, tuple(_Step(write(price), day) for day, price in steps), key.region)
        )
        for key, steps in sorted(prices.prices.items())
    )
    return head[:-1] + b',"prices":[\n' + b",\n".join(rows) + b"\n]}\n"


def decode(text: bytes) -> PriceList:
    """A list from what `encode` made."""
    document = msgspec.json.decode(text, type=_Document)
    rows = {
        Key(row.model, row.region): tuple(
            (step.since, read(step.usd, row.model)._replace(as_of=document.as_of))
            for step in row.steps
        )
        for row in document.prices
    }
    return PriceList(document.origin, document.as_of, rows)

"""A rate card: its TOML, what may stand there, and which line of it a model belongs to.

Cards come from files and from requests, so a card is taken for hostile until it has passed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Literal, NamedTuple

import msgspec

from stationmaster.credits.price import Price
from stationmaster.credits.usd import Usd, fault, read, scaled

Tier = Literal["standard", "thinking"]

CARD_LENGTH_MAX = 128 * 1024
"""Characters of a card; the one that comes with this version has 18,000."""
LINE_LENGTH_MAX = 500
"""A key of thousands of parts on one line would take the parser memory by their square."""
FAMILIES_MAX = 2_000
MULTIPLIER_MAX = 100
WEIGHT_MAX = 10
_HEADER = re.compile(r"\s*\[\[\s*families\s*\]\]")
# A prefix that ends in a digit ends a number there: `gpt-5` begins `gpt-5-codex` and
# `gpt-5-2025-08-07`, but neither `gpt-5.1` nor `gpt-51`, which are other models.
_OTHER_VERSION = r"(?!\d|[.-]\d{1,2}(?!\d))"


class Rate(NamedTuple):
    """What a token of a model weighs in thousandths of a Standard Credit, and its price."""

    multiplier_milli: int
    is_known: bool = True
    """Does a card name the model?"""
    cache_read_milli: int = 100
    """The weight of a token read from the cache, ordinary input being 1000."""
    cache_write_milli: int = 1000
    usd: Price | None = None


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
        return (
            self.tier in (None, tier)
            and self.pattern.match(name) is not None
            and all(word in name for word in self.words)
        )

    def step(self, day: date) -> tuple[date, Rate]:
        """The step in force on a day."""
        found = self.steps[0]
        for later in self.steps[1:]:
            if later[0] <= day:
                found = later
        return found


class Card(NamedTuple):
    """Families in the order in which they are tried."""

    families: tuple[Family, ...]

    def family(self, model: str, tier: Tier) -> Family | None:
        """The family of a model id without its provider's prefix."""
        name = model.lower()
        return next((family for family in self.families if family.has(name, tier)), None)

    def rate(self, model: str, tier: Tier, day: date) -> Rate:
        """The rate of a model on a UTC day."""
        family = self.family(model, tier)
        return UNKNOWN if family is None else family.step(day)[1]

    @property
    def newest_price(self) -> date | None:
        """The day on which the newest of the dated prices was checked."""
        prices = [rate.usd for family in self.families for _, rate in family.steps]
        return max((price.as_of for price in prices if price and price.as_of), default=None)

    def before(self, other: Card) -> Card:
        """This card, and the other one for what this one does not name."""
        return Card(self.families + other.families)


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"since": "from"}):
    since: date
    multiplier: Decimal
    cache_read: Decimal = Decimal("0.1")
    cache_write: Decimal = Decimal(1)
    usd: Usd | None = None


class _Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prefixes: tuple[str, ...]
    steps: tuple[_Step, ...]
    words: tuple[str, ...] = ()
    tier: Tier | None = None


class _Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    families: tuple[_Family, ...]


def parse(text: str, source: str) -> Card:
    """A card from its TOML. Raises BadRequest, which says where it is wrong and why."""
    if len(text) > CARD_LENGTH_MAX:
        raise fault(f"it is longer than {CARD_LENGTH_MAX} characters")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_LENGTH_MAX:
            raise fault(f"line {number} is longer than {LINE_LENGTH_MAX} characters")
    try:
        given = msgspec.convert(tomllib.loads(text, parse_float=Decimal), _Card)
    except ValueError as error:
        raise fault(str(error)) from error
    except ArithmeticError as error:
        raise fault("a number is too large") from error
    except RecursionError as error:
        raise fault("it is nested too deeply") from error
    if len(given.families) > FAMILIES_MAX:
        raise fault(f"it has more than {FAMILIES_MAX} families")
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    # Families written in one array have no header of their own.
    known = headers if len(headers) == len(given.families) else [None] * len(given.families)
    return Card(
        tuple(
            _family(family, f"families[{n}]", source, line)
            for n, (family, line) in enumerate(zip(given.families, known, strict=True))
        )
    )


def _family(given: _Family, path: str, source: str, line: int | None) -> Family:
    at = path if line is None else f"{path} (line {line})"
    if not given.prefixes:
        raise fault(f"{at}.prefixes is empty")
    if not given.steps:
        raise fault(f"{at}.steps is empty")
    dates = [step.since for step in given.steps]
    if dates != sorted(set(dates)):
        raise fault(f"{at}.steps are not in order of their days")
    steps = tuple(
        (step.since, _rate(step, f"{at}.steps[{n}]")) for n, step in enumerate(given.steps)
    )
    words = tuple(word.lower() for word in given.words)
    pattern = _pattern(given.prefixes)
    return Family(given.prefixes, pattern, words, given.tier, steps, source, line)


def _pattern(prefixes: Sequence[str]) -> re.Pattern[str]:
    return re.compile(
        "|".join(
            re.escape(prefix.lower()) + (_OTHER_VERSION if prefix[-1:].isdigit() else "")
            for prefix in prefixes
        )
    )


def _rate(step: _Step, path: str) -> Rate:
    return Rate(
        scaled(step.multiplier, 3, MULTIPLIER_MAX, f"{path}.multiplier"),
        cache_read_milli=scaled(step.cache_read, 3, WEIGHT_MAX, f"{path}.cache_read"),
        cache_write_milli=scaled(step.cache_write, 3, WEIGHT_MAX, f"{path}.cache_write"),
        usd=None if step.usd is None else read(step.usd, f"{path}.usd"),
    )

"""A rate card from its TOML: what it may contain.

Cards are read from files and from requests, so a card is taken for hostile until it has passed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

import msgspec

from stationmaster.pricing.credits.card import Card, Family, Rate, Tier
from stationmaster.pricing.credits.usd import Usd, fault, read, scaled

CARD_LENGTH_MAX = 128 * 1024
"""Characters of a card; the one of this version has 18,000."""
LINE_LENGTH_MAX = 500
"""A key of thousands of parts on one line would take the parser memory by their square."""
FAMILIES_MAX = 2_000
MULTIPLIER_MAX = 100
WEIGHT_MAX = 10
_HEADER = re.compile(r"\s*\[\[\s*families\s*\]\]")
# A prefix that ends in a digit ends a number there: `gpt-5` begins `gpt-5-codex` and
# `gpt-5-2025-08-07`, but neither `gpt-5.1` nor `gpt-51`, which are other models.
_OTHER_VERSION = r"(?!\d|[.-]\d{1,2}(?!\d))"


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
    families: tuple[_Family, ...] = ()
    aliases: dict[str, str] = {}


def parse(text: str, source: str) -> Card:
    """A card from its TOML. Raises BadRequest with the place and the fault."""
    if len(text) > CARD_LENGTH_MAX:
        raise fault(f"it is longer than {CARD_LENGTH_MAX} characters")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_LENGTH_MAX:
            raise fault(f"line {number} is longer than {LINE_LENGTH_MAX} characters")
    try:
        card = msgspec.convert(tomllib.loads(text, parse_float=Decimal), _Card)
    except ValueError as error:
        raise fault(str(error)) from error
    except ArithmeticError as error:
        raise fault("a number is too large") from error
    except RecursionError as error:
        raise fault("it is nested too deeply") from error
    if len(card.families) > FAMILIES_MAX:
        raise fault(f"it has more than {FAMILIES_MAX} families")
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    # Families written in one array have no header of their own.
    known_lines = headers if len(headers) == len(card.families) else [None] * len(card.families)
    families = (
        _family(family, f"families[{n}]", source, line)
        for n, (family, line) in enumerate(zip(card.families, known_lines, strict=True))
    )
    return Card(tuple(families), _aliases(card.aliases))


def _aliases(aliases: Mapping[str, str]) -> dict[str, str]:
    if len(aliases) > FAMILIES_MAX:
        raise fault(f"it has more than {FAMILIES_MAX} aliases")
    return {name.lower(): model for name, model in aliases.items()}


def _family(entry: _Family, path: str, source: str, line: int | None) -> Family:
    at = path if line is None else f"{path} (line {line})"
    if not entry.prefixes:
        raise fault(f"{at}.prefixes is empty")
    if not entry.steps:
        raise fault(f"{at}.steps is empty")
    dates = [step.since for step in entry.steps]
    if dates != sorted(set(dates)):
        raise fault(f"{at}.steps are not in order of their days")
    steps = tuple(
        (step.since, _rate(step, f"{at}.steps[{n}]")) for n, step in enumerate(entry.steps)
    )
    words = tuple(word.lower() for word in entry.words)
    pattern = _pattern(entry.prefixes)
    return Family(entry.prefixes, pattern, words, entry.tier, steps, source, line)


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

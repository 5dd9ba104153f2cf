"""The rate card: a multiplier for every model and day.

`rates.toml` beside this file is the card. The first family whose pattern matches a model names
it; the last of its dated multipliers that is in force on the day counts. A model nobody listed
costs like the reference model, and says so.
"""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from stationmaster.errors import OperatorError

REFERENCE_MILLI = 1000
"""The multiplier of the mid-range reference model, and of every model not on the card."""
CACHE_READ_DIVISOR = 10
"""A token read from the cache weighs one tenth."""
CACHE_WRITE_WEIGHT = 1
"""A token written to the cache weighs as much as ordinary input."""


class Rate(NamedTuple):
    """A multiplier in thousandths, and whether the card names the model."""

    multiplier_milli: int
    is_known: bool


class _Step(msgspec.Struct, frozen=True, rename={"since": "from"}):
    since: date
    multiplier: float


class _Family(msgspec.Struct, frozen=True):
    prefixes: tuple[str, ...]
    steps: tuple[_Step, ...]
    words: tuple[str, ...] = ()


class Card(msgspec.Struct, frozen=True):
    """Families in the order in which they are tried."""

    families: tuple[_Family, ...]

    def rate(self, model: str, day: date) -> Rate:
        """The rate of a model id, without its provider's prefix, on a UTC day."""
        name = model.lower()
        for family in self.families:
            if name.startswith(family.prefixes) and all(word in name for word in family.words):
                return _in_force(family, day)
        return Rate(REFERENCE_MILLI, is_known=False)


def rate(model: str, day: date) -> Rate:
    """The rate of a model on a day, by the card that comes with this version."""
    return _card().rate(model, day)


def credits(
    multiplier_milli: int, input_tokens: int, output_tokens: int, cache_read: int, cache_write: int
) -> int:
    """Standard Credits of one model call, rounded half up to an integer for each call.

    credits = multiplier * (input + output + cache writes + cache reads / 10)
    """
    full = input_tokens + output_tokens + CACHE_WRITE_WEIGHT * cache_write
    tenths = CACHE_READ_DIVISOR * full + cache_read
    divisor = CACHE_READ_DIVISOR * 1000
    return (multiplier_milli * tenths + divisor // 2) // divisor


def _in_force(family: _Family, day: date) -> Rate:
    step = family.steps[0]
    for later in family.steps[1:]:
        if later.since <= day:
            step = later
    return Rate(round(step.multiplier * 1000), is_known=True)


@cache
def _card() -> Card:
    text = resources.files(__package__).joinpath("rates.toml").read_text(encoding="utf-8")
    return parse(text)


def parse(text: str) -> Card:
    """A card from its TOML. OperatorError when it is not one, or its steps are not in order."""
    try:
        card = msgspec.convert(tomllib.loads(text), Card)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as fault:
        raise OperatorError(f"The rate card does not read: {fault}.", code="bad_rates") from fault
    for family in card.families:
        dates = [step.since for step in family.steps]
        if not dates or dates != sorted(set(dates)):
            names = ", ".join(family.prefixes)
            raise OperatorError(
                f"The rate card's steps of {names} are not in order of their dates.",
                code="bad_rates",
            )
    return card

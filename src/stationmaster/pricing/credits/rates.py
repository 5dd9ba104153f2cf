"""The card in force, and what one model call costs by it in Standard Credits.

`rates.toml` and `prices.json` next to this file are part of this version: weights in credits, and
prices in dollars. An installation's own card is used first, family by family.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

from stationmaster.errors import BadRequest, OperatorError
from stationmaster.pricing.credits.card import Card, Rate, decode
from stationmaster.pricing.credits.reading import CARD_LENGTH_MAX, parse

BUILT_IN = "built-in"
"""The name of this version's card as a source."""


@cache
def _built_in() -> tuple[bytes, bytes]:
    files = resources.files(__package__)
    return files.joinpath("rates.toml").read_bytes(), files.joinpath("prices.json").read_bytes()


@cache
def card() -> Card:
    """What is part of this version, read once in the life of a process."""
    families, prices = _built_in()
    return parse(families.decode(), BUILT_IN)._replace(lists=(decode(prices),))


def content(path: Path) -> bytes:
    """The start of the file of an operator's card. Raises OperatorError."""
    try:
        with path.open("rb") as file:
            return file.read(4 * CARD_LENGTH_MAX + 1)
    except OSError as fault:
        why = f"The rate card {path} cannot be read: {fault.strerror}."
        raise OperatorError(why, code="bad_rate_card") from fault


def own(path: Path, text: bytes) -> Card:
    """An operator's card, before what is part of this version. Raises OperatorError."""
    try:
        return parse(text.decode(), str(path)).before(card())
    except BadRequest as fault:
        raise OperatorError(f"{path}: {fault.detail}", code="bad_rate_card") from fault
    except UnicodeDecodeError as fault:
        raise OperatorError(f"The rate card {path} is not UTF-8.", code="bad_rate_card") from fault


def digest(text: bytes) -> str:
    """Of an operator's card and of what is part of this version."""
    return sha256(b"\0".join((text, *_built_in()))).hexdigest()


def credits(
    rate: Rate, input_tokens: int, output_tokens: int, cache_read: int, cache_write: int
) -> int:
    """Standard Credits of one model call, rounded half up to an integer for each call.

    credits = multiplier * (input + output + weighted cache reads + weighted cache writes)
    """
    weighed = (
        1000 * (input_tokens + output_tokens)
        + rate.cache_read_milli * cache_read
        + rate.cache_write_milli * cache_write
    )
    return (rate.multiplier_milli * weighed + 500_000) // 1_000_000

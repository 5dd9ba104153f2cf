"""The card in force, and what one model call costs by it in Standard Credits.

`rates.toml` and `prices.json` beside this file come with this version: weights in credits, and
prices in dollars. An installation's own card is asked first, family by family.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from stationmaster.credits.card import Card, Rate
from stationmaster.credits.lists import decode
from stationmaster.credits.reading import CARD_LENGTH_MAX, parse
from stationmaster.errors import BadRequest, OperatorError

BUILT_IN = "built-in"
"""What the card that comes with this version is called as a source."""


@cache
def card(own: Path | None = None) -> Card:
    """The card of an installation, read once in the life of a process.

    OperatorError where its own file does not read.
    """
    if own is None:
        files = resources.files(__package__)
        prices = decode(files.joinpath("prices.json").read_bytes())
        families = parse(files.joinpath("rates.toml").read_text(encoding="utf-8"), BUILT_IN)
        return families._replace(lists=(prices,))
    try:
        with own.open(encoding="utf-8") as file:
            return parse(file.read(CARD_LENGTH_MAX + 1), str(own)).before(card())
    except BadRequest as fault:
        raise OperatorError(f"{own}: {fault.detail}", code="bad_rate_card") from fault
    except OSError as fault:
        why = f"The rate card {own} cannot be read: {fault.strerror}."
        raise OperatorError(why, code="bad_rate_card") from fault
    except UnicodeDecodeError as fault:
        raise OperatorError(f"The rate card {own} is not UTF-8.", code="bad_rate_card") from fault


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

"""Tolerant readers of the values agents send: one agent's number is another's string.

A reader of a plain value answers None for what it cannot read. A reader of tokens raises
InvalidRecord instead, because a wrong figure must be told to its sender and never be stored.
"""

from __future__ import annotations

import math
from typing import Any

from stationmaster.agents.dialect import InvalidRecord
from stationmaster.days import iso_ms
from stationmaster.events.model import NAME_LENGTH_MAX, TOKENS_MAX

_DIGITS_MAX = 19
_MINUTES_KEPT = 4096
_MINUTES: dict[str, int] = {}


def whole(value: Any) -> int | None:
    """An integer from an integer, an integral float or a numeric string; None for all else."""
    if type(value) is int:
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    if isinstance(value, str) and len(value) <= _DIGITS_MAX:
        try:
            return int(value)
        except ValueError:
            return None
    return None


def milliseconds(value: Any) -> int | None:
    """A duration as a non-negative integer; fractions are cut off, nonsense is None."""
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    duration = whole(value)
    return duration if duration is not None and 0 <= duration < 2**53 else None


def money(value: Any) -> float | None:
    """A finite, non-negative amount; None for all else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            amount = float(value)
        except OverflowError:
            return None
        return amount if math.isfinite(amount) and amount >= 0 else None
    return None


def flag(value: Any) -> bool | None:
    """A boolean from a boolean or the words true and false; None for all else."""
    if value is True or value == "true":
        return True
    if value is False or value == "false":
        return False
    return None


def name(value: Any) -> str | None:
    """A name, at most 200 characters of it; None for an empty one and for other types."""
    if isinstance(value, str) and value:
        return value if len(value) <= NAME_LENGTH_MAX else value[:NAME_LENGTH_MAX]
    return None


def tokens(value: Any) -> int | None:
    """A count of tokens; None when none was given. Raises InvalidRecord for an impossible one."""
    if type(value) is int and 0 <= value <= TOKENS_MAX:
        return value
    if value is None:
        return None
    count = whole(value)
    if count is None or isinstance(value, bool):
        raise InvalidRecord("a token count is not a whole number")
    if not 0 <= count <= TOKENS_MAX:
        raise InvalidRecord(f"a token count is negative or above {TOKENS_MAX}")
    return count


def repetitions(value: Any) -> int:
    """How many things a counter stands for: between 1 and a million."""
    count = whole(value)
    return min(max(count, 1), 1_000_000) if count is not None else 1


def time_ms(text: Any) -> int | None:
    """UTC milliseconds of an ISO 8601 time; None when it is not one.

    The form every agent writes, `2026-11-21T02:06:13.682Z`, is read without the general parser.
    """
    if not isinstance(text, str):
        return None
    if len(text) == 24 and text[23] == "Z" and text[19] == ".":
        seconds, fraction = text[17:19], text[20:23]
        if seconds.isdecimal() and fraction.isdecimal() and seconds < "60":
            minute = _MINUTES.get(text[:17])
            if minute is None:
                minute = _minute_ms(text[:17])
            if minute is not None:
                return minute + int(seconds) * 1000 + int(fraction)
    return _sane_ms(text)


def _minute_ms(prefix: str) -> int | None:
    minute = _sane_ms(prefix + "00Z")
    if minute is not None:
        if len(_MINUTES) >= _MINUTES_KEPT:
            _MINUTES.clear()
        _MINUTES[prefix] = minute
    return minute


def _sane_ms(text: str) -> int | None:
    if len(text) > 40:
        return None
    try:
        return iso_ms(text)
    except (OverflowError, ValueError):
        return None


def model_name(raw: Any) -> str | None:
    """A model's id without the provider's prefix, dates kept; None when there is none."""
    text = name(raw)
    if text is None:
        return None
    if "/" in text:
        text = text.rsplit("/", 1)[1]
    for cloud in ("us.anthropic.", "eu.anthropic.", "apac.anthropic.", "global.anthropic."):
        text = text.removeprefix(cloud)
    return text.removeprefix("anthropic.") or None

"""Answers of strangers, taken apart without believing their shape."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

TITLE_MIN = 11
"""A title of ten letters or fewer says too little for `backlog_health`."""
_DAY_S = 86_400


def at(value: Any, *path: str) -> Any:
    """The member below a chain of names, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def rows(value: Any) -> list[dict[str, Any]] | None:
    """The objects of a list; None where it is none."""
    if not isinstance(value, list):
        return None
    return [each for each in value if isinstance(each, dict)]


def moment(value: Any) -> int | None:
    """UTC milliseconds of an ISO 8601 time."""
    if not isinstance(value, str):
        return None
    try:
        told = datetime.fromisoformat(value)
    except ValueError:
        return None
    return int((told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp() * 1000)


def moments(found: Sequence[dict[str, Any]] | None, name: str) -> tuple[int, ...] | None:
    """The times of one member, oldest first."""
    if found is None:
        return None
    return tuple(sorted(told for each in found if (told := moment(each.get(name))) is not None))


def texts(found: Sequence[dict[str, Any]] | None, name: str) -> tuple[str, ...] | None:
    """The texts of one member, sorted; None where there is no list of objects."""
    if found is None:
        return None
    return tuple(sorted(text for each in found if isinstance(text := each.get(name), str)))


def seconds_between(each: dict[str, Any], start: str, end: str) -> float | None:
    """Seconds between two ISO 8601 members; None where one lacks or they are not in order."""
    began, ended = moment(each.get(start)), moment(each.get(end))
    if began is None or ended is None or ended < began:
        return None
    return (ended - began) / 1000


def middle(numbers: Sequence[float | None]) -> float | None:
    """The median of the numbers that are not None; None without any."""
    known = [number for number in numbers if number is not None]
    return median(known) if known else None


def share_triaged(issues: Sequence[dict[str, Any]]) -> float | None:
    """How many of the issues have a label and a title that says something."""
    if not issues:
        return None
    good = sum(
        bool(issue.get("labels")) and len(str(issue.get("title", ""))) >= TITLE_MIN
        for issue in issues
    )
    return good / len(issues)


def days_untouched(issues: Sequence[dict[str, Any]], now_ms: int) -> float | None:
    """The median age in days of the last change of issues."""
    touched = [moment(issue.get("updated_at")) for issue in issues]
    return middle([None if at is None else (now_ms - at) / 1000 / _DAY_S for at in touched])

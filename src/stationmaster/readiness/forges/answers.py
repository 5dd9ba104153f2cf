"""Answers of foreign services, parsed without trusting their shape."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from stationmaster import days

TITLE_MIN = 11
"""A title of ten letters or fewer is too short for `backlog_health`."""
_DAY_S = 86_400


def at(value: Any, *path: str) -> Any:
    """The member below a chain of names, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def flag(value: Any) -> bool | None:
    """A truth value; None for anything else."""
    return value if isinstance(value, bool) else None


def rows(value: Any) -> list[dict[str, Any]] | None:
    """The objects of a list; None where it is none."""
    if not isinstance(value, list):
        return None
    return [row for row in value if isinstance(row, dict)]


def moment(value: Any) -> int | None:
    """UTC milliseconds of an ISO 8601 time."""
    return days.iso_ms(value) if isinstance(value, str) else None


def moments(listed: Sequence[dict[str, Any]] | None, name: str) -> tuple[int, ...] | None:
    """The times of one member, oldest first."""
    if listed is None:
        return None
    return tuple(sorted(time for row in listed if (time := moment(row.get(name))) is not None))


def texts(listed: Sequence[dict[str, Any]] | None, name: str) -> tuple[str, ...] | None:
    """The texts of one member, sorted; None where there is no list of objects."""
    if listed is None:
        return None
    return tuple(sorted(text for row in listed if isinstance(text := row.get(name), str)))


def seconds_between(row: dict[str, Any], start: str, end: str) -> float | None:
    """Seconds between two ISO 8601 members; None where one lacks or they are not in order."""
    began, ended = moment(row.get(start)), moment(row.get(end))
    if began is None or ended is None or ended < began:
        return None
    return (ended - began) / 1000


def middle(numbers: Sequence[float | None]) -> float | None:
    """The median of the numbers that are not None; None without any."""
    measured = [number for number in numbers if number is not None]
    return median(measured) if measured else None


def share_triaged(issues: Sequence[dict[str, Any]] | None) -> float | None:
    """How many of the issues have a label and a title that is long enough."""
    if not issues:
        return None
    good = sum(
        bool(issue.get("labels")) and len(str(issue.get("title", ""))) >= TITLE_MIN
        for issue in issues
    )
    return good / len(issues)


def days_untouched(issues: Sequence[dict[str, Any]] | None, now_ms: int) -> float | None:
    """The median age in days of the last change of issues."""
    touched = [moment(issue.get("updated_at")) for issue in issues or ()]
    return middle([None if at is None else (now_ms - at) / 1000 / _DAY_S for at in touched])

"""Query parameters to a Question: every rule of the five reports' parameters, all faults at once.

Unknown parameters are ignored. Of a repeated parameter the last counts, but filters add up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from stationmaster.agents.values import repository
from stationmaster.analytics import ranges
from stationmaster.analytics.model import (
    CURSOR_LENGTH_MAX,
    FILTER_LENGTH_MAX,
    FILTER_VALUES_MAX,
    GROUPING,
    USERS_PER_PAGE,
    USERS_PER_PAGE_MAX,
    Question,
    Report,
)
from stationmaster.analytics.ranges import Fault
from stationmaster.ids import OrgId
from stationmaster.rollups.rows import DIMENSIONS, Dimension

_SPELLED: Mapping[Dimension, Callable[[str], str]] = {
    "agent": str.lower,
    "repository": lambda text: repository(text) or text.lower(),
    "user": lambda text: text.lower() if "@" in text else text,
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


def parse(
    org: OrgId,
    report: Report,
    given: Mapping[str, str],
    wanted: Mapping[Dimension, Sequence[str]] = {},
    *,
    today: date,
    days_max: int,
) -> Question:
    """The question that the parameters ask; `wanted` are the values of each filter.

    Raises BadRequest whose detail joins a sentence for each fault, whose code is that of the
    first, and whose metadata lists field and reason of every one.
    """
    faults: list[Fault] = []
    asked = ranges.parse(
        given.get("startDate"), given.get("endDate"), faults, today=today, days_max=days_max
    )
    group_by = _group_by(report, given, faults)
    only = tuple((name, _values(name, texts, faults)) for name, texts in wanted.items())
    limit, cursor = USERS_PER_PAGE, ""
    if report == "users":
        limit = _limit(given.get("limit"), faults)
        cursor = _cursor(given.get("cursor", ""), faults)
    if faults or asked is None:
        raise ranges.refusal(faults)
    return Question(org, report, asked, group_by, limit, cursor, only)


def _group_by(report: Report, given: Mapping[str, str], faults: list[Fault]) -> str | None:
    value = given.get("group_by")
    if value is None or report == "users":
        return None
    allowed = GROUPING.get(report)
    if value in DIMENSIONS or value == allowed:
        return value
    if allowed is not None:
        listed = f"{', '.join((allowed, *DIMENSIONS[:-1]))} or {DIMENSIONS[-1]}"
        faults.append(Fault("group_by", "invalid_group_by", f"group_by must be {listed}."))
    return None


def _values(name: Dimension, texts: Sequence[str], faults: list[Fault]) -> tuple[str, ...]:
    """The values of a filter, as slices spell them. One that nothing has is no fault."""
    if len(texts) > FILTER_VALUES_MAX:
        reason = f"{name} may be given at most {FILTER_VALUES_MAX} times."
        faults.append(Fault(name, "too_many_values", reason))
        return ()
    for text in texts:
        if not 0 < len(text) <= FILTER_LENGTH_MAX or _CONTROL.search(text):
            reason = (
                f"{name} must be a name of 1 to {FILTER_LENGTH_MAX} characters on one line, "
                "without control characters."
            )
            faults.append(Fault(name, f"invalid_{name}", reason))
            return ()
    spelled = _SPELLED.get(name, str)
    return tuple(sorted({spelled(text) for text in texts}))


def _limit(text: str | None, faults: list[Fault]) -> int:
    if text is None:
        return USERS_PER_PAGE
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= USERS_PER_PAGE_MAX:
        return int(text)
    reason = f"limit must be a whole number from 1 to {USERS_PER_PAGE_MAX}."
    faults.append(Fault("limit", "invalid_limit", reason))
    return USERS_PER_PAGE


def _cursor(text: str, faults: list[Fault]) -> str:
    """A position among user ids. No id holds NUL, so what follows one cannot move the position."""
    if len(text) > CURSOR_LENGTH_MAX:
        reason = f"cursor must be at most {CURSOR_LENGTH_MAX} characters long."
        faults.append(Fault("cursor", "invalid_cursor", reason))
    return text.partition("\0")[0]

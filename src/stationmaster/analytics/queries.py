"""Query parameters to a Question: every rule of the five reports' parameters, all faults at once.

Unknown parameters are ignored. Of a repeated parameter the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from stationmaster.analytics import ranges
from stationmaster.analytics.model import (
    CURSOR_LENGTH_MAX,
    GROUPING,
    USERS_PER_PAGE,
    USERS_PER_PAGE_MAX,
    Question,
    Report,
)
from stationmaster.analytics.ranges import Fault
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId

_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


def parse(
    org: OrgId, report: Report, given: Mapping[str, str], *, today: date, days_max: int
) -> Question:
    """The question that the parameters ask.

    Raises BadRequest whose detail joins a sentence for each fault, whose code is that of the
    first, and whose metadata lists field and reason of every one.
    """
    faults: list[Fault] = []
    asked = ranges.parse(
        given.get("startDate"), given.get("endDate"), faults, today=today, days_max=days_max
    )
    group_by = _group_by(report, given, faults)
    limit, cursor = USERS_PER_PAGE, ""
    if report == "users":
        limit = _limit(given.get("limit"), faults)
        cursor = _cursor(given.get("cursor", ""), faults)
    if faults or asked is None:
        raise BadRequest(
            " ".join(fault.reason for fault in faults),
            code=faults[0].code,
            metadata={"errors": [{"field": f.field, "reason": f.reason} for f in faults]},
        )
    return Question(org, report, asked, group_by, limit, cursor)


def _group_by(report: Report, given: Mapping[str, str], faults: list[Fault]) -> str | None:
    value = given.get("group_by")
    allowed = GROUPING.get(report)
    if value is None or allowed is None:
        return None
    if value != allowed:
        faults.append(Fault("group_by", "invalid_group_by", f"group_by must be {allowed}."))
    return allowed


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

"""Date rules of the reports: UTC days `YYYY-MM-DD`, closed ones only, both ends included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from stationmaster import clock, days
from stationmaster.analytics.model import DayRange
from stationmaster.errors import BadRequest


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """One parameter that cannot be answered; `reason` is a sentence for a person."""

    field: str
    code: str
    reason: str


def parse(
    start: str | None, end: str | None, faults: list[ParameterFault], *, today: date, days_max: int
) -> DayRange | None:
    """The days from start to end; None after adding what is wrong to `faults`.

    Days before the first stored one are no fault: rows simply start later.
    """
    first = _day("startDate", start, faults, today=today)
    last = _day("endDate", end, faults, today=today)
    if first is None or last is None:
        return None
    if first > last:
        reason = f"startDate {first} is after endDate {last}."
        faults.append(ParameterFault("startDate", "invalid_range", reason))
        return None
    if (last - first).days >= days_max:
        reason = f"A range may have at most {days_max} days; {first} to {last} is longer."
        faults.append(ParameterFault("endDate", "range_too_long", reason))
        return None
    return DayRange(first, last)


def closed(start: str | None, end: str | None, days_max: int) -> DayRange:
    """The closed days from start to end. Raises BadRequest with every fault."""
    faults: list[ParameterFault] = []
    asked = parse(start, end, faults, today=clock.today(), days_max=days_max)
    if asked is None:
        raise refusal(faults)
    return asked


def refusal(faults: list[ParameterFault]) -> BadRequest:
    """The error of a request with at least one fault: a sentence for each, the first one's code."""
    return BadRequest(
        " ".join(fault.reason for fault in faults),
        code=faults[0].code,
        metadata={"errors": [{"field": f.field, "reason": f.reason} for f in faults]},
    )


def _day(field: str, text: str | None, faults: list[ParameterFault], *, today: date) -> date | None:
    if text is None:
        faults.append(ParameterFault(field, "missing_date", f"{field} is required, as YYYY-MM-DD."))
        return None
    try:
        day = days.parse(text)
    except ValueError:
        reason = f"{field} must be a calendar date of the form YYYY-MM-DD."
        faults.append(ParameterFault(field, "invalid_date", reason))
        return None
    if day >= today:
        reason = (
            f"{field} {day} is not available: analytics lag by one day, "
            f"data is available through yesterday, {today - timedelta(days=1)} (UTC)."
        )
        faults.append(ParameterFault(field, "date_not_available", reason))
        return None
    return day

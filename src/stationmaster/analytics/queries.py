"""Query parameters to a Question: every rule of the five reports' parameters, all faults together.

Unknown parameters are ignored. Of a repeated parameter the last counts, but filters add up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar, cast

import msgspec

from stationmaster import clock, report_names
from stationmaster.access.model import PrivacyMode
from stationmaster.agents.values import repository
from stationmaster.analytics import model, person_ids, privacy, ranges
from stationmaster.analytics.days import local_days
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

Name = TypeVar("Name", bound=str)

_SPELLED: Mapping[str, Callable[[str], str]] = {
    "agent": str.lower,
    "mcp_server": str.lower,
    "repository": lambda text: repository(text) or text.lower(),
    "user": lambda text: text.lower() if "@" in text else text,
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


def asked(
    db: Database,
    settings: Settings,
    org: OrgId,
    report: report_names.Report | report_names.Insight,
    parameters: Mapping[str, str],
    filters: Mapping[str, Sequence[str]],
    mode: PrivacyMode | None = None,
    *,
    is_own: bool = False,
) -> model.Question:
    """The question that the parameters ask, with all ids of the people whom it names, and with how
    people are shown: by name where it is about the caller alone, else in a `mode` that the caller
    has, or that of the organization. Raises BadRequest as `parse`, Forbidden as `judged`."""
    question = parse(
        org,
        report,
        parameters,
        filters,
        today=clock.today(),
        days_max=settings.range_days_max,
        zone=local_days.zone_of(db, org, mode)
        if report in report_names.INSIGHTS
        else local_days.UTC_NAME,
    )
    return privacy.judged(db, person_ids.widened(db, question), "named" if is_own else mode)


def parse(
    org: OrgId,
    report: report_names.Report | report_names.Insight,
    parameters: Mapping[str, str],
    filters: Mapping[str, Sequence[str]] = {},
    *,
    today: date,
    days_max: int,
    zone: str = local_days.UTC_NAME,
) -> model.Question:
    """The question that the parameters ask; `filters` are the values of each filter.

    Raises BadRequest whose detail joins a sentence for each fault, whose code is that of the
    first, and whose metadata lists field and reason of every one.
    """
    faults: list[ranges.ParameterFault] = []
    days = ranges.parse(
        parameters.get("startDate"),
        parameters.get("endDate"),
        faults,
        today=today,
        days_max=days_max,
    )
    group_by = _group_by(report, parameters, faults)
    only = _filters(report_names.DIMENSIONS, filters, faults)
    limit, cursor = model.USERS_PER_PAGE, ""
    if report == "users":
        limit = _limit(parameters.get("limit"), faults)
        cursor = _cursor(parameters.get("cursor", ""), faults)
    own = (
        _of_facts(report, parameters, filters, faults) if report in report_names.INSIGHTS else None
    )
    if own is not None and days is not None:
        own["zone"] = _zone(report, parameters, zone, faults)
        days = local_days.closed(own["zone"], days, today)
        if days is None:
            reason = f"None of these days is over in {zone} and in UTC; add time_zone=UTC."
            faults.append(ranges.ParameterFault("endDate", "date_not_available", reason))
    if faults or days is None:
        raise ranges.refusal(faults)
    question = model.Question(org, report, days, group_by, limit, cursor, only)
    return question if own is None else msgspec.structs.replace(question, **own)


def _of_facts(
    report: report_names.Insight,
    parameters: Mapping[str, str],
    filters: Mapping[str, Sequence[str]],
    faults: list[ranges.ParameterFault],
) -> dict[str, Any]:
    """The members of a question that only reports on facts have."""
    period, compare = parameters.get("period", "day"), parameters.get("compare")
    if period not in model.PERIODS:
        faults.append(
            ranges.ParameterFault("period", "invalid_period", "period must be day, week or month.")
        )
    if compare not in (None, "previous"):
        faults.append(
            ranges.ParameterFault("compare", "invalid_compare", "compare must be previous.")
        )
    only = _filters(report_names.INSIGHT_FILTERS[report], filters, faults)
    return {"only_facts": only, "period": period, "is_compared": compare is not None}


def _zone(
    report: report_names.Report | report_names.Insight,
    parameters: Mapping[str, str],
    zone: str,
    faults: list[ranges.ParameterFault],
) -> str:
    """The zone of the days of an answer. Runs of tools and hooks are stored by UTC day alone."""
    zone_name = parameters.get("time_zone")
    if zone_name not in (None, local_days.UTC_NAME):
        reason = f"time_zone must be UTC; without it days are those of {zone}."
        faults.append(ranges.ParameterFault("time_zone", "invalid_time_zone", reason))
    return local_days.UTC_NAME if zone_name or report in ("tool-runs", "hook-runs") else zone


def _filters(
    names: Sequence[Name], filters: Mapping[str, Sequence[str]], faults: list[ranges.ParameterFault]
) -> tuple[tuple[Name, tuple[str, ...]], ...]:
    return tuple((name, _values(name, filters[name], faults)) for name in names if name in filters)


def _group_by(
    report: report_names.Report | report_names.Insight,
    parameters: Mapping[str, str],
    faults: list[ranges.ParameterFault],
) -> str | None:
    value = parameters.get("group_by")
    if value is None or report == "users":
        return None
    own = report_names.INSIGHT_GROUPINGS.get(cast(report_names.Insight, report))
    if own is not None:
        if value in own:
            return value
        listed = f"{', '.join(own[:-1])} or {own[-1]}"
        faults.append(
            ranges.ParameterFault("group_by", "invalid_group_by", f"group_by must be {listed}.")
        )
        return None
    report = cast(report_names.Report, report)
    allowed = report_names.GROUPING.get(report)
    if value in report_names.DIMENSIONS or value == allowed:
        return value
    if allowed is not None:
        *others, last = (allowed, *report_names.DIMENSIONS)
        listed = f"{', '.join(others)} or {last}"
        faults.append(
            ranges.ParameterFault("group_by", "invalid_group_by", f"group_by must be {listed}.")
        )
    return None


def _values(
    name: str, texts: Sequence[str], faults: list[ranges.ParameterFault]
) -> tuple[str, ...]:
    """The values of a filter, as slices spell them. One that nothing has is no fault."""
    if len(texts) > model.FILTER_VALUES_MAX:
        reason = f"{name} may be given at most {model.FILTER_VALUES_MAX} times."
        faults.append(ranges.ParameterFault(name, "too_many_values", reason))
        return ()
    for text in texts:
        if not 0 < len(text) <= model.FILTER_LENGTH_MAX or _CONTROL.search(text):
            reason = (
                f"{name} must be a name of 1 to {model.FILTER_LENGTH_MAX} characters on one line, "
                "without control characters."
            )
            faults.append(ranges.ParameterFault(name, f"invalid_{name}", reason))
            return ()
    return tuple(sorted({spelled(name, text) for text in texts}))


def spelled(name: str, text: str) -> str:
    """The value of a filter as slices and facts have it."""
    return _SPELLED.get(name, str)(text)


def _limit(text: str | None, faults: list[ranges.ParameterFault]) -> int:
    if text is None:
        return model.USERS_PER_PAGE
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= model.USERS_PER_PAGE_MAX:
        return int(text)
    reason = f"limit must be a whole number from 1 to {model.USERS_PER_PAGE_MAX}."
    faults.append(ranges.ParameterFault("limit", "invalid_limit", reason))
    return model.USERS_PER_PAGE


def _cursor(text: str, faults: list[ranges.ParameterFault]) -> str:
    """A position among user ids. No id holds NUL, so what follows one cannot move the position."""
    if len(text) > model.CURSOR_LENGTH_MAX:
        reason = f"cursor must be at most {model.CURSOR_LENGTH_MAX} characters long."
        faults.append(ranges.ParameterFault("cursor", "invalid_cursor", reason))
    return text.partition("\0")[0]

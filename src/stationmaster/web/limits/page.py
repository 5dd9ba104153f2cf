"""`/limits`: what everyone used of their limit and all budgets; for members their own budgets."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, NamedTuple

from fastapi import Form
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import audit, service as access
from stationmaster.analytics.model import DayRange
from stationmaster.limits import effective, model, service
from stationmaster.web.frame.pages import Address, AnyVisit, ManagerVisit, Visit, router, see_other
from stationmaster.web.limits import budget_requests, budgets, tables as limit_tables
from stationmaster.web.limits.own_budgets import own_page

PATH = budgets.LIMITS
PER_PAGE = 50
LISTED_MAX = 10_000
"""Members and service accounts that are sorted and filtered at most."""
SORTS = ("share", "used", "forecast", "limit", "who")
SHOWN = {
    "": "Everyone",
    "attention": "Near, over, or expected to be",
    "own": "With an individual limit",
}
CHANGES_SHOWN = 20
CHANGES_READ = 500
"""Changes that are looked through for those of one person."""
ORGANIZATION = "organization"
_SEPARATORS = re.compile(r"[\s,._'’]")

routes = router()


class CountedPeriod(NamedTuple):
    """A period of credits, and the last day of it that counts; None on its first."""

    period: model.Period
    through: date | None

    @property
    def days(self) -> int:
        """The number of days that count."""
        return self.period.counted(self.through)


class LimitChange(NamedTuple):
    """A change of a limit: of whom, to what (None: taken back), when and by whom."""

    record: audit.AuditRecord
    whose: str
    credits: int | None


@routes.get(PATH)
def show_limits(
    visit: AnyVisit,
    show: str = "",
    sort: str = SORTS[0],
    search: str = "",
    start: int = 0,
    first: int = 0,
) -> Response:
    """Everyone with their use, the nearest to their limit first; members see what binds them."""
    if not visit.is_manager:
        return own_page(visit)
    counted = read_period(visit)
    usage = service.usage(visit.db, visit.org, *counted, after="", count=LISTED_MAX)
    sort = sort if sort in SORTS else SORTS[0]
    rows = _chosen(usage.principals, show, search.strip().lower())
    rows.sort(key=lambda row: _place(row, sort))
    all_budgets = budgets.listed(visit)
    requests = budget_requests.rows(visit)
    changes = _changes(visit)[:CHANGES_SHOWN]
    start = min(max(start, 0), len(rows))
    first = min(max(first, 0), len(all_budgets))
    return visit.lists(
        "limits.html",
        Address(PATH, {"show": show, "search": search, "sort": sort}, {"sort": SORTS[0]}),
        [
            limit_tables.uses(visit, rows),
            limit_tables.all_budgets(visit, all_budgets),
            limit_tables.requests_of_all(visit, requests),
            limit_tables.changes(visit, changes, service.CHANGED),
        ],
        counted=counted,
        usage=usage,
        by_state={
            state: sum(row.state == state for row in usage.principals) for state in model.STATES
        },
        rows=rows[start : start + PER_PAGE],
        count=len(rows),
        start=start,
        next_start=start + PER_PAGE if start + PER_PAGE < len(rows) else None,
        show=show,
        shown=SHOWN,
        sort=sort,
        search=search,
        changes=changes,
        name_of=name_of,
        requests=requests,
        budgets=all_budgets[first : first + PER_PAGE],
        budgets_count=len(all_budgets),
        first=first,
    )


@routes.get(PATH + "/" + ORGANIZATION)
def show_organization(visit: ManagerVisit) -> Response:
    return _organization(visit)


@routes.post(PATH + "/" + ORGANIZATION)
def change_organization(visit: ManagerVisit, credits: Annotated[str, Form()] = "") -> Response:
    """Set the limit of everyone without one of their own."""
    number, fault = parse(credits)
    if number is None:
        return _organization(visit, text=credits, fault=fault)
    service.set_global_limit(visit.db, visit.caller, number)
    return see_other(PATH)


@routes.get(PATH + "/" + ORGANIZATION + "/remove")
def ask_to_remove_organization(visit: ManagerVisit) -> Response:
    return visit.confirm("default-limit", "", f"{PATH}/{ORGANIZATION}")


@routes.post(PATH + "/" + ORGANIZATION + "/remove")
def remove_organization(visit: ManagerVisit) -> Response:
    service.set_global_limit(visit.db, visit.caller, None)
    return see_other(PATH)


@routes.get(PATH + "/{principal_id}")
def show_one(visit: ManagerVisit, principal_id: str) -> Response:
    return _one(visit, principal_id)


@routes.post(PATH + "/{principal_id}")
def change_one(
    visit: ManagerVisit, principal_id: str, credits: Annotated[str, Form()] = ""
) -> Response:
    """Give a member or a service account a limit of its own."""
    number, fault = parse(credits)
    if number is not None:
        fault = _set(visit, principal_id, number)
    if fault is not None:
        return _one(visit, principal_id, text=credits, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{principal_id}/remove")
def ask_to_remove(visit: ManagerVisit, principal_id: str) -> Response:
    use, _ = _use(visit, principal_id)
    fallback = service.global_limit(visit.db, visit.org)
    more = "Without it, nothing limits their use."
    if fallback is not None:
        more = f"The organization's limit of {fallback:,} credits will apply."
    return visit.confirm("limit", name_of(use), f"{PATH}/{use.principal_id}", more)


@routes.post(PATH + "/{principal_id}/remove")
def remove(visit: ManagerVisit, principal_id: str) -> Response:
    fault = _set(visit, principal_id, None)
    if fault is not None:
        return _one(visit, principal_id, fault=fault)
    return see_other(PATH)


def read_period(visit: Visit) -> CountedPeriod:
    """The period of today, after all of its days that count are current."""
    today = clock.today()
    period = model.period_of(today, visit.settings.credit_reset_day)
    through = period.through(today)
    if through is not None:
        visit.bring_up_to_date(DayRange(period.start, through))
    return CountedPeriod(period, through)


def name_of(use: model.PrincipalUse) -> str:
    """The e-mail address of a principal, else its name, else its id."""
    return use.email or use.name or use.principal_id


def parse(text: str) -> tuple[int | None, str | None]:
    """A number of credits as people write it, or what is wrong with it."""
    digits = _SEPARATORS.sub("", text)
    if not digits.isascii() or not digits.isdigit() or len(digits) > len(f"{model.LIMIT_MAX}"):
        return None, "Enter a whole number of credits, like 80,000,000."
    number = int(digits)
    if not model.LIMIT_MIN <= number <= model.LIMIT_MAX:
        return None, model.bound_text()
    return number, None


def _organization(visit: Visit, *, text: str | None = None, fault: str | None = None) -> Response:
    limit = service.global_limit(visit.db, visit.org)
    return _form(visit, ORGANIZATION, None, limit, text, fault, counted=None)


def _one(
    visit: Visit, principal_id: str, *, text: str | None = None, fault: str | None = None
) -> Response:
    use, counted = _use(visit, principal_id)
    return _form(visit, use.principal_id, use, use.limit, text, fault, counted)


def _form(
    visit: Visit,
    target: str,
    use: model.PrincipalUse | None,
    limit: int | None,
    text: str | None,
    fault: str | None,
    counted: CountedPeriod | None,
) -> Response:
    """The page on which one limit is changed, as it was typed and its faults."""
    target_id = visit.org if use is None else target
    own = None
    if use is not None:
        reset_day = visit.settings.credit_reset_day
        own = effective.of(visit.db, visit.caller, reset_day, use.principal_id)
    changes = _changes(visit, target_id)[:CHANGES_SHOWN]
    return visit.lists(
        "limit.html",
        f"{PATH}/{target}",
        [
            limit_tables.changes(visit, changes, service.CHANGED),
            *([] if own is None else limit_tables.applied(visit, own, visit.caller.principal_id)),
        ],
        status=200 if fault is None else 400,
        title="The organization's limit" if use is None else f"Limit of {name_of(use)}",
        path=f"{PATH}/{target}",
        use=use,
        limit=limit,
        text=f"{limit:,}" if text is None and limit is not None else text or "",
        fault=fault,
        counted=counted,
        least=model.LIMIT_MIN,
        own=own,
        changes=changes,
    )


def _use(visit: Visit, principal_id: str) -> tuple[model.PrincipalUse, CountedPeriod]:
    counted, by = read_period(visit), visit.caller
    return service.principal_use(visit.db, visit.org, *counted, principal_id, by=by), counted


def _set(visit: Visit, principal_id: str, limit: int | None) -> str | None:
    """Set or take back an own limit; what kept it from being set. Raises NotFound."""
    use, _ = _use(visit, principal_id)
    if use.email is None:
        service.set_service_account_limit(visit.db, visit.caller, principal_id, limit)
        return None
    outcome = service.set_user_limits(visit.db, visit.caller, [model.UserLimit(use.email, limit)])
    return outcome.errors[0].error if outcome.errors else None


def _changes(visit: Visit, target: str | None = None) -> list[LimitChange]:
    """The newest changes of limits, of all or one target; none for who may not read the log."""
    if visit.caller.role != "owner":
        return []
    records = audit.page(visit.db, visit.org, limit=CHANGES_READ, event_type=service.CHANGED)
    names = access.names(visit.db, visit.org) | {visit.org: "the organization"}
    return [
        LimitChange(
            record, names.get(record.target.id, record.target.id), (record.payload or {})["limit"]
        )
        for record in records
        if record.target is not None and target in (None, record.target.id)
    ]


def _chosen(uses: list[model.PrincipalUse], show: str, search: str) -> list[model.PrincipalUse]:
    return [
        row
        for row in uses
        if search in name_of(row).lower()
        and (show != "attention" or row.state not in (None, "within"))
        and (show != "own" or row.limit is not None)
    ]


def _place(row: model.PrincipalUse, sort: str) -> tuple[float, str]:
    """Sorts the largest first, and by name where nothing else differs."""
    figures = {
        "share": row.share,
        "used": row.used,
        "forecast": row.forecast,
        "limit": row.effective_limit,
    }
    return -(figures.get(sort) or 0), name_of(row).lower()

"""`/limits`: what everyone used of their limit and all budgets; for members their own budgets."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, NamedTuple

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access import service as access
from stationmaster.access.audit import Record
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.analytics.model import DayRange
from stationmaster.limits import effective, service
from stationmaster.limits.effective import Applied
from stationmaster.limits.model import (
    LIMIT_MAX,
    LIMIT_MIN,
    STATES,
    Period,
    Standing,
    UserLimit,
    bound_text,
    period_of,
)
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page
from stationmaster.web.frame.pages import Address, page, router, see_other
from stationmaster.web.frame.requests import (
    SignedIn,
    bring_up_to_date,
    services_of,
)
from stationmaster.web.limits import budget_requests, budgets
from stationmaster.web.limits import tables as limit_tables
from stationmaster.web.limits.own_budgets import own_page

PATH = budgets.LIMITS
PER_PAGE = 50
LISTED_MAX = 10_000
"""Members and service accounts that are sorted and filtered at most."""
SORTS = ("share", "used", "forecast", "limit", "who")
SHOWN = {"": "Everyone", "attention": "Near, over, or expected to be", "own": "With an own limit"}
CHANGES_SHOWN = 20
CHANGES_READ = 500
"""Changes that are looked through for those of one person."""
ORGANIZATION = "organization"
_SEPARATORS = re.compile(r"[\s,._'’]")

routes = router()


class Counted(NamedTuple):
    """A period of credits, and the last day of it that counts; None on its first."""

    period: Period
    through: date | None

    @property
    def days(self) -> int:
        """The number of days that count."""
        return self.period.counted(self.through)


class Change(NamedTuple):
    """A change of a limit: of whom, to what (None: taken back), when and by whom."""

    record: Record
    whose: str
    credits: int | None


@routes.get(PATH)
def show_limits(
    request: Request,
    caller: SignedIn,
    show: str = "",
    sort: str = SORTS[0],
    search: str = "",
    start: int = 0,
    first: int = 0,
) -> Response:
    """Everyone with their use, the nearest to their limit first; members see what binds them."""
    if caller.role not in menu.MANAGERS:
        return own_page(request, caller)
    counted = read_period(request, caller)
    usage = service.usage(
        services_of(request).db, caller.org_id, *counted, after="", count=LISTED_MAX
    )
    sort = sort if sort in SORTS else SORTS[0]
    rows = _chosen(usage.standings, show, search.strip().lower())
    rows.sort(key=lambda row: _place(row, sort))
    all_budgets = budgets.listed(request, caller)
    requests = budget_requests.rows(request, caller)
    changes = _changes(request, caller)[:CHANGES_SHOWN]
    start = min(max(start, 0), len(rows))
    return list_page(
        "limits.html",
        caller,
        request,
        Address(PATH, {"show": show, "search": search, "sort": sort}, {"sort": SORTS[0]}),
        [
            limit_tables.standings(request, rows),
            limit_tables.all_budgets(request, all_budgets),
            limit_tables.requests_of_all(request, requests),
            limit_tables.changes(request, changes, service.CHANGED),
        ],
        counted=counted,
        usage=usage,
        by_state={state: sum(row.state == state for row in usage.standings) for state in STATES},
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
        **_page_of_budgets(all_budgets, first),
    )


@routes.get(PATH + "/" + ORGANIZATION)
def show_organization(request: Request, caller: SignedIn) -> Response:
    return _organization(request, caller)


@routes.post(PATH + "/" + ORGANIZATION)
def change_organization(
    request: Request, caller: SignedIn, credits: Annotated[str, Form()] = ""
) -> Response:
    """Set the limit of everyone without one of their own."""
    require(caller, *menu.MANAGERS)
    number, fault = parse(credits)
    if number is None:
        return _organization(request, caller, text=credits, fault=fault)
    service.set_global_limit(services_of(request).db, caller, number)
    return see_other(PATH)


@routes.get(PATH + "/" + ORGANIZATION + "/remove")
def ask_to_remove_organization(request: Request, caller: SignedIn) -> Response:
    require(caller, *menu.MANAGERS)
    return page(
        "confirm.html",
        caller,
        request,
        question="Remove the organization's limit?",
        consequence="People without a limit of their own will have none. Own limits stay.",
        verb="Remove",
        back=f"{PATH}/{ORGANIZATION}",
    )


@routes.post(PATH + "/" + ORGANIZATION + "/remove")
def remove_organization(request: Request, caller: SignedIn) -> Response:
    require(caller, *menu.MANAGERS)
    service.set_global_limit(services_of(request).db, caller, None)
    return see_other(PATH)


@routes.get(PATH + "/{principal_id}")
def show_one(request: Request, caller: SignedIn, principal_id: str) -> Response:
    return _one(request, caller, principal_id)


@routes.post(PATH + "/{principal_id}")
def change_one(
    request: Request, caller: SignedIn, principal_id: str, credits: Annotated[str, Form()] = ""
) -> Response:
    """Give a member or a service account a limit of its own."""
    require(caller, *menu.MANAGERS)
    number, fault = parse(credits)
    if number is not None:
        fault = _set(request, caller, principal_id, number)
    if fault is not None:
        return _one(request, caller, principal_id, text=credits, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{principal_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, principal_id: str) -> Response:
    standing, _ = _standing(request, caller, principal_id)
    fallback = service.global_limit(services_of(request).db, caller.org_id)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove the limit of {name_of(standing)}?",
        consequence="Without it, nothing limits their use."
        if fallback is None
        else f"The organization's limit of {fallback:,} credits will apply.",
        verb="Remove",
        back=f"{PATH}/{standing.principal_id}",
    )


@routes.post(PATH + "/{principal_id}/remove")
def remove(request: Request, caller: SignedIn, principal_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    fault = _set(request, caller, principal_id, None)
    if fault is not None:
        return _one(request, caller, principal_id, fault=fault)
    return see_other(PATH)


def read_period(request: Request, caller: Caller) -> Counted:
    """The period of today, after all of its days that count are current."""
    today = clock.today()
    period = period_of(today, services_of(request).settings.credit_reset_day)
    through = period.through(today)
    if through is not None:
        bring_up_to_date(request, caller, DayRange(period.start, through))
    return Counted(period, through)


def name_of(standing: Standing) -> str:
    """The e-mail address of a principal, else its name, else its id."""
    return standing.email or standing.name or standing.principal_id


def parse(text: str) -> tuple[int | None, str | None]:
    """A number of credits as people write it, or what is wrong with it."""
    digits = _SEPARATORS.sub("", text)
    if not digits.isascii() or not digits.isdigit() or len(digits) > len(f"{LIMIT_MAX}"):
        return None, "Enter a whole number of credits, like 80,000,000."
    number = int(digits)
    if not LIMIT_MIN <= number <= LIMIT_MAX:
        return None, bound_text()
    return number, None


def _organization(
    request: Request, caller: Caller, *, text: str | None = None, fault: str | None = None
) -> Response:
    require(caller, *menu.MANAGERS)
    limit = service.global_limit(services_of(request).db, caller.org_id)
    return _form(request, caller, ORGANIZATION, None, limit, text, fault, counted=None)


def _one(
    request: Request,
    caller: Caller,
    principal_id: str,
    *,
    text: str | None = None,
    fault: str | None = None,
) -> Response:
    standing, counted = _standing(request, caller, principal_id)
    return _form(
        request, caller, standing.principal_id, standing, standing.limit, text, fault, counted
    )


def _form(
    request: Request,
    caller: Caller,
    target: str,
    standing: Standing | None,
    limit: int | None,
    text: str | None,
    fault: str | None,
    counted: Counted | None,
) -> Response:
    """The page on which one limit is changed, as it was typed beside what is wrong with it."""
    target_id = caller.org_id if standing is None else target
    own = None if standing is None else _own(request, caller, standing.principal_id)
    changes = _changes(request, caller, target_id)[:CHANGES_SHOWN]
    return list_page(
        "limit.html",
        caller,
        request,
        f"{PATH}/{target}",
        [
            limit_tables.changes(request, changes, service.CHANGED),
            *([] if own is None else limit_tables.applied(request, own, caller.principal_id)),
        ],
        status=200 if fault is None else 400,
        title="The organization's limit" if standing is None else f"Limit of {name_of(standing)}",
        path=f"{PATH}/{target}",
        standing=standing,
        limit=limit,
        text=f"{limit:,}" if text is None and limit is not None else text or "",
        fault=fault,
        counted=counted,
        least=LIMIT_MIN,
        own=own,
        changes=changes,
    )


def _standing(request: Request, caller: Caller, principal_id: str) -> tuple[Standing, Counted]:
    require(caller, *menu.MANAGERS)
    counted = read_period(request, caller)
    db = services_of(request).db
    return service.standing(db, caller.org_id, *counted, principal_id, by=caller), counted


def _own(request: Request, caller: Caller, principal_id: str) -> effective.Effective:
    """The budgets that apply to a member or a service account."""
    services = services_of(request)
    return effective.of(services.db, caller, services.settings.credit_reset_day, principal_id)


def _set(request: Request, caller: Caller, principal_id: str, limit: int | None) -> str | None:
    """Set or take back an own limit; what kept it from being set. Raises NotFound."""
    standing, _ = _standing(request, caller, principal_id)
    db = services_of(request).db
    if standing.email is None:
        service.set_service_account_limit(db, caller, principal_id, limit)
        return None
    outcome = service.set_user_limits(db, caller, [UserLimit(standing.email, limit)])
    return outcome.errors[0].error if outcome.errors else None


def _changes(request: Request, caller: Caller, target: str | None = None) -> list[Change]:
    """The newest changes of limits, of all or one target; none for who may not read the log."""
    if caller.role != "owner":
        return []
    db = services_of(request).db
    records = audit.page(db, caller.org_id, limit=CHANGES_READ, event_type=service.CHANGED)
    names = access.names(db, caller.org_id) | {caller.org_id: "the organization"}
    return [
        Change(
            record, names.get(record.target.id, record.target.id), (record.payload or {})["limit"]
        )
        for record in records
        if record.target is not None and target in (None, record.target.id)
    ]


def _chosen(standings: list[Standing], show: str, search: str) -> list[Standing]:
    return [
        row
        for row in standings
        if search in name_of(row).lower()
        and (show != "attention" or row.state not in (None, "within"))
        and (show != "own" or row.limit is not None)
    ]


def _page_of_budgets(rows: list[Applied], first: int) -> dict[str, Any]:
    """What the template shows of the table of budgets."""
    first = min(max(first, 0), len(rows))
    return {
        "budgets": rows[first : first + PER_PAGE],
        "budgets_count": len(rows),
        "first": first,
    }


def _place(row: Standing, sort: str) -> tuple[float, str]:
    """Sorts the largest first, and by name where nothing else differs."""
    figures = {
        "share": row.share,
        "used": row.used,
        "forecast": row.forecast,
        "limit": row.effective_limit,
    }
    return -(figures.get(sort) or 0), name_of(row).lower()

"""`/settings/service-accounts`: identities of programs, made, paused and removed."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.authenticate import require
from stationmaster.access.model import SERVICE_ROLES, Caller, service_role_of
from stationmaster.errors import StationmasterError
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/settings/service-accounts"

routes = router()


@routes.get(PATH)
def show_accounts(request: Request, caller: SignedIn) -> Response:
    return _accounts(request, caller)


@routes.post(PATH)
def create_account(
    request: Request, caller: SignedIn, name: Annotated[str, Form()], role: Annotated[str, Form()]
) -> Response:
    require(caller, *menu.MANAGERS)
    db = services_of(request).db
    try:
        service.create_service_account(db, caller.org_id, name, service_role_of(role), by=caller)
    except StationmasterError as fault:
        return _accounts(request, caller, fault=fault, name=name, role=role)
    return see_other(PATH)


@routes.post(PATH + "/{account_id}/{action}")
def change_account(
    request: Request,
    caller: SignedIn,
    account_id: str,
    action: Literal["pause", "resume", "remove"],
) -> Response:
    """Pause an account, let it go on, or remove it for good."""
    require(caller, *menu.MANAGERS)
    db = services_of(request).db
    if action == "remove":
        service.remove_service_account(db, caller.org_id, account_id, by=caller)
    else:
        service.change_service_account(
            db, caller.org_id, account_id, is_active=action == "resume", by=caller
        )
    return see_other(PATH)


@routes.get(PATH + "/{account_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, account_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    account = service.get_service_account(services_of(request).db, caller.org_id, account_id)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {account.name}?",
        consequence="Its keys end at once and its name cannot be used again. "
        "Its figures stay in reports.",
        verb="Remove",
        back=PATH,
    )


def _accounts(
    request: Request,
    caller: Caller,
    *,
    fault: StationmasterError | None = None,
    name: str = "",
    role: str = "member",
) -> Response:
    require(caller, *menu.MANAGERS)
    accounts = reads.list_service_accounts(services_of(request).db, caller.org_id)
    rows = [
        (
            account.name,
            account.role,
            "active" if account.is_active else "paused",
            moment(account.created_at),
        )
        for account in accounts
    ]
    heads = ("Name", "Role", "State", "Created (UTC)")
    call = call_of(request, "/api/platform/v1/service-accounts")
    return list_page(
        "service_accounts.html",
        caller,
        request,
        PATH,
        [listing("service-accounts", "Service accounts", heads, rows, call)],
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        name=name,
        role=role,
        roles=[(each, each) for each in SERVICE_ROLES],
        accounts=accounts,
    )

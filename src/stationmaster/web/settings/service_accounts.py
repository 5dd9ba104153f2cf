"""`/settings/service-accounts`: identities of programs, made, paused and removed."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Form
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.model import SERVICE_ROLES, service_role_of
from stationmaster.errors import StationmasterError
from stationmaster.web.frame.pages import ManagerVisit, Visit, listing, moment, router, see_other

PATH = "/settings/service-accounts"

routes = router()


@routes.get(PATH)
def show_accounts(visit: ManagerVisit) -> Response:
    return _accounts(visit)


@routes.post(PATH)
def create_account(
    visit: ManagerVisit, name: Annotated[str, Form()], role: Annotated[str, Form()]
) -> Response:
    try:
        service.create_service_account(
            visit.db, visit.org, name, service_role_of(role), by=visit.caller
        )
    except StationmasterError as fault:
        return _accounts(visit, fault=fault, name=name, role=role)
    return see_other(PATH)


@routes.post(PATH + "/{account_id}/{action}")
def change_account(
    visit: ManagerVisit, account_id: str, action: Literal["pause", "resume", "remove"]
) -> Response:
    """Pause an account, let it go on, or remove it for good."""
    if action == "remove":
        service.remove_service_account(visit.db, visit.org, account_id, by=visit.caller)
    else:
        service.change_service_account(
            visit.db, visit.org, account_id, is_active=action == "resume", by=visit.caller
        )
    return see_other(PATH)


@routes.get(PATH + "/{account_id}/remove")
def ask_to_remove(visit: ManagerVisit, account_id: str) -> Response:
    account = service.get_service_account(visit.db, visit.org, account_id)
    return visit.confirm("account", account.name, PATH)


def _accounts(
    visit: Visit, *, fault: StationmasterError | None = None, name: str = "", role: str = "member"
) -> Response:
    accounts = reads.list_service_accounts(visit.db, visit.org)
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
    call = visit.call("/api/platform/v1/service-accounts")
    return visit.lists(
        "service_accounts.html",
        PATH,
        [listing("service-accounts", "Service accounts", heads, rows, call)],
        error=fault,
        name=name,
        role=role,
        roles=[(role_name, role_name) for role_name in SERVICE_ROLES],
        accounts=accounts,
    )

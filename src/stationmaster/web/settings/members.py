"""`/settings/members`: who is in the organization, invitations, roles, removal."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.authenticate import require
from stationmaster.access.model import ROLES, Caller, Member, role_of
from stationmaster.access.signing_in import links
from stationmaster.errors import StationmasterError
from stationmaster.ids import UserId
from stationmaster.people import erasure
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, address_of, services_of

PATH = "/settings/members"
_REPORTS = [
    ("anonymise", "keep figures, no name"),
    ("restate", "take figures out"),
]
routes = router()


@routes.get(PATH)
def show_members(request: Request, caller: SignedIn) -> Response:
    return _members(request, caller)


@routes.post(PATH)
def invite(
    request: Request, caller: SignedIn, email: Annotated[str, Form()], role: Annotated[str, Form()]
) -> Response:
    """The page with the invitation's link, which is shown this once."""
    require(caller, "owner", "manager")
    try:
        member, link = service.invite_member(
            services_of(request).db, caller.org_id, email, role_of(role), by=caller
        )
    except StationmasterError as fault:
        return _members(request, caller, fault=fault, form={"email": email, "role": role})
    return _members(request, caller, member=member, link=link)


@routes.post(PATH + "/{user_id}/role")
def change_role(
    request: Request, caller: SignedIn, user_id: str, role: Annotated[str, Form()]
) -> Response:
    require(caller, "owner", "manager")
    try:
        service.set_role(
            services_of(request).db, caller.org_id, UserId(user_id), role_of(role), by=caller
        )
    except StationmasterError as fault:
        return _members(request, caller, fault=fault)
    return see_other(PATH)


@routes.post(PATH + "/{user_id}/link")
def make_link(request: Request, caller: SignedIn, user_id: str) -> Response:
    """The page with a new invitation or password link, which is shown this once."""
    require(caller, "owner", "manager")
    member, link = service.make_link(
        services_of(request).db, caller.org_id, UserId(user_id), by=caller
    )
    return _members(request, caller, member=member, link=link)


@routes.get(PATH + "/{user_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, user_id: str) -> Response:
    require(caller, "owner", "manager")
    member = service.get_member(services_of(request).db, caller.org_id, UserId(user_id))
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {member.email}?",
        consequence="Their sessions and API keys end at once. Their figures stay in reports.",
        verb="Remove",
        back=PATH,
    )


@routes.post(PATH + "/{user_id}/remove")
def remove(request: Request, caller: SignedIn, user_id: str) -> Response:
    require(caller, "owner", "manager")
    try:
        service.remove_member(services_of(request).db, caller.org_id, UserId(user_id), by=caller)
    except StationmasterError as fault:
        return _members(request, caller, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{user_id}/erase")
def ask_to_erase(request: Request, caller: SignedIn, user_id: str) -> Response:
    require(caller, "owner")
    member = service.get_member(services_of(request).db, caller.org_id, UserId(user_id))
    return page(
        "erase.html",
        caller,
        request,
        email=member.email,
        choices=_REPORTS,
        back=PATH,
    )


@routes.post(PATH + "/{user_id}/erase")
def erase(
    request: Request, caller: SignedIn, user_id: str, reports: Annotated[erasure.Reports, Form()]
) -> Response:
    """Erase a person; a background job does what takes long."""
    require(caller, "owner")
    try:
        erasure.request(services_of(request).db, caller.org_id, user_id, reports, by=caller)
    except StationmasterError as fault:
        return _members(request, caller, fault=fault)
    return see_other(PATH)


def _members(
    request: Request,
    caller: Caller,
    *,
    fault: StationmasterError | None = None,
    form: dict[str, str] | None = None,
    member: Member | None = None,
    link: links.Link | None = None,
) -> Response:
    require(caller, "owner", "manager")
    services = services_of(request)
    is_mailed, url = False, None
    if member is not None and link is not None:
        url = f"{address_of(request)}/join/{link.reveal()}"
        is_mailed = services.outbox.offer(caller.org_id, member.email, link, url, by=caller)
    everyone = reads.list_members(services.db, caller.org_id)
    shown = [_row(caller, known) for known in everyone]
    table = listing(
        "members",
        "People of the organization",
        ("E-mail", "Role", "Status", "Team", "Since (UTC)"),
        [(m.email, m.role, m.status, m.team or "", moment(m.created_at)) for m in everyone],
        call_of(request, "/api/platform/v1/members", [("limit", "100")]),
    )
    return list_page(
        "members.html",
        caller,
        request,
        PATH,
        [table],
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        form=form or {"email": "", "role": "member"},
        members=shown,
        roles=[(role, role) for role in _grantable(caller)],
        may_erase=caller.role == "owner",
        email=None if member is None else member.email,
        expires_at=None if link is None else link.expires_at,
        link=url,
        is_mailed=is_mailed,
    )


def _row(caller: Caller, member: Member) -> dict[str, Any]:
    may_change = caller.role == "owner" or member.role != "owner"
    return {**msgspec.structs.asdict(member), "may_change": may_change}


def _grantable(caller: Caller) -> list[str]:
    """The roles that a caller may give: only owners make owners."""
    return [role for role in ROLES if caller.role == "owner" or role != "owner"]

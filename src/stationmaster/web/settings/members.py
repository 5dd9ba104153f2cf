"""`/settings/members`: who is in the organization, invitations, roles, removal."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import Form
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.model import ROLES, Member, role_of
from stationmaster.access.signing_in import links
from stationmaster.errors import StationmasterError
from stationmaster.ids import UserId
from stationmaster.people import erasure
from stationmaster.web.frame.pages import (
    ManagerVisit,
    OwnerVisit,
    Visit,
    listing,
    router,
    see_other,
)
from stationmaster.web.frame.requests import address_of

PATH = "/settings/members"
_REPORTS = [
    ("anonymise", "keep figures, no name"),
    ("restate", "take figures out"),
]
routes = router()


@routes.get(PATH)
def show_members(visit: ManagerVisit) -> Response:
    return _members(visit)


@routes.post(PATH)
def invite(
    visit: ManagerVisit, email: Annotated[str, Form()], role: Annotated[str, Form()]
) -> Response:
    """The page with the invitation's link, which is shown once."""
    try:
        member, link = service.invite_member(
            visit.db, visit.org, email, role_of(role), by=visit.caller
        )
    except StationmasterError as fault:
        return _members(visit, fault=fault, form={"email": email, "role": role})
    return _members(visit, member=member, link=link)


@routes.post(PATH + "/{user_id}/role")
def change_role(visit: ManagerVisit, user_id: str, role: Annotated[str, Form()]) -> Response:
    try:
        service.set_role(visit.db, visit.org, UserId(user_id), role_of(role), by=visit.caller)
    except StationmasterError as fault:
        return _members(visit, fault=fault)
    return see_other(PATH)


@routes.post(PATH + "/{user_id}/link")
def make_link(visit: ManagerVisit, user_id: str) -> Response:
    """The page with a new invitation or password link, which is shown once."""
    member, link = service.make_link(visit.db, visit.org, UserId(user_id), by=visit.caller)
    return _members(visit, member=member, link=link)


@routes.get(PATH + "/{user_id}/remove")
def ask_to_remove(visit: ManagerVisit, user_id: str) -> Response:
    member = service.get_member(visit.db, visit.org, UserId(user_id))
    return visit.confirm("member", member.email, PATH)


@routes.post(PATH + "/{user_id}/remove")
def remove(visit: ManagerVisit, user_id: str) -> Response:
    try:
        service.remove_member(visit.db, visit.org, UserId(user_id), by=visit.caller)
    except StationmasterError as fault:
        return _members(visit, fault=fault)
    return see_other(PATH)


@routes.get(PATH + "/{user_id}/erase")
def ask_to_erase(visit: OwnerVisit, user_id: str) -> Response:
    member = service.get_member(visit.db, visit.org, UserId(user_id))
    return visit.page(
        "erase.html",
        email=member.email,
        choices=_REPORTS,
        back=PATH,
    )


@routes.post(PATH + "/{user_id}/erase")
def erase(visit: OwnerVisit, user_id: str, reports: Annotated[erasure.Reports, Form()]) -> Response:
    """Erase a person; a background job does what takes long."""
    try:
        erasure.request(visit.db, visit.org, user_id, reports, by=visit.caller)
    except StationmasterError as fault:
        return _members(visit, fault=fault)
    return see_other(PATH)


def _members(
    visit: Visit,
    *,
    fault: StationmasterError | None = None,
    form: dict[str, str] | None = None,
    member: Member | None = None,
    link: links.Link | None = None,
) -> Response:
    is_mailed, url = False, None
    if member is not None and link is not None:
        url = f"{address_of(visit.request)}/join/{link.reveal()}"
        is_mailed = visit.services.outbox.offer(visit.org, member.email, link, url, by=visit.caller)
    everyone = reads.list_members(visit.db, visit.org)
    is_owner = visit.caller.role == "owner"
    shown = [
        {**msgspec.structs.asdict(person), "may_change": is_owner or person.role != "owner"}
        for person in everyone
    ]
    table = listing(
        "members",
        "People of the organization",
        "email: E-mail, role: Role, status: Status, team: Team, created_at: Since (UTC)",
        everyone,
        visit.call("/api/platform/v1/members", [("limit", "100")]),
    )
    return visit.lists(
        "members.html",
        PATH,
        [table],
        error=fault,
        form=form or {"email": "", "role": "member"},
        members=shown,
        roles=[(role, role) for role in ROLES if is_owner or role != "owner"],
        may_erase=is_owner,
        email=None if member is None else member.email,
        expires_at=None if link is None else link.expires_at,
        link=url,
        is_mailed=is_mailed,
    )

"""People of an organization: invitations, roles, removal."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request

from stationmaster.access import reads, service
from stationmaster.access.model import NAME_LENGTH_MAX, Caller, Member, role_of
from stationmaster.access.signing_in import links
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, address_of, router
from stationmaster.ids import UserId
from stationmaster.people.service import set_team

routes = router("/api/platform/v1/members", "Members")

RoleWord = Literal["owner", "manager", "member", "guest", "admin", "user", "viewer"]
"""Roles, and what other systems call them: admin is a manager, user a member, viewer a guest."""


class MemberAnswer(wire.Answer, record=Member):
    """A person; `createdAt` is in Unix milliseconds. An invited person has not joined yet."""


class MemberPage(wire.Answer):
    members: list[MemberAnswer]
    pagination: wire.Pagination


class Invitation(wire.Question):
    email: wire.Email
    role: RoleWord


class Invited(MemberAnswer):
    """The address to send to the person: works once, until `invitationExpiresAt`, shown once.
    `isMailed`: the server also sends it by mail.
    """

    invitation_url: str
    invitation_expires_at: int
    is_mailed: bool


class MemberChange(wire.Question):
    """Members that are left out stay unchanged; with a null team, the team in telemetry applies."""

    role: RoleWord | None = None
    team: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX)] | None = None


class Link(wire.Answer):
    """An address that works once: 7 days for an invitation and one day for a password, or until
    the key that created it expires. `isMailed`: the server also sends it."""

    user_id: str
    purpose: links.PasswordPurpose
    url: str
    expires_at: int
    is_mailed: bool


@routes.get("")
@blocking.reads
def list_members(
    db: Db,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> MemberPage:
    """List members and invited people, by user id."""
    listed = reads.page_members(db, caller.org_id, limit=limit + 1, after=cursor)
    return wire.page(MemberPage, listed, limit, lambda member: member.user_id)


@routes.post("", status_code=201, responses=problems(409))
def invite_member(
    services: Opened, request: Request, body: Invitation, caller: callers.Manager
) -> Invited:
    """Invite a person; only owners invite owners."""
    member, link = service.invite_member(
        services.db, caller.org_id, body.email, role_of(body.role), by=caller
    )
    url = _url(request, link)
    return Invited.of(
        member,
        invitation_url=url,
        invitation_expires_at=link.expires_at,
        is_mailed=services.outbox.offer(caller.org_id, member.email, link, url, by=caller),
    )


@routes.get("/{user_id}")
@blocking.reads
def get_member(db: Db, user_id: wire.Identifier, caller: callers.Manager) -> MemberAnswer:
    """Get a member."""
    return MemberAnswer.of(service.get_member(db, caller.org_id, UserId(user_id)))


@routes.patch("/{user_id}", responses=problems(409))
def change_member(
    db: Db, user_id: wire.Identifier, body: MemberChange, caller: callers.Manager
) -> MemberAnswer:
    """Change a member's role, effective with the next request, or team. Only owners make and
    change owners; the last owner cannot be changed. A new role invalidates earlier invitations
    and password links for the member. A new team also applies to earlier days."""
    return MemberAnswer.of(_change(db, caller, UserId(user_id), body))


@routes.delete("/{user_id}", status_code=204, responses=problems(409))
def remove_member(db: Db, user_id: wire.Identifier, caller: callers.Manager) -> None:
    """Remove a member, whose keys and links become invalid immediately; reports keep the figures.
    Only owners remove owners; the last owner cannot be removed. 404 for a member who was
    already removed."""
    service.remove_member(db, caller.org_id, UserId(user_id), by=caller)


@routes.post("/{user_id}/link", status_code=201)
def make_link(
    services: Opened, request: Request, user_id: wire.Identifier, caller: callers.Manager
) -> Link:
    """Create a new invitation, or, for a member who has joined, a link to choose a new
    password. The earlier one becomes invalid. Only owners create links for owners."""
    member, link = service.make_link(services.db, caller.org_id, UserId(user_id), by=caller)
    url = _url(request, link)
    return Link.of(
        link,
        user_id=member.user_id,
        url=url,
        is_mailed=services.outbox.offer(caller.org_id, member.email, link, url, by=caller),
    )


def _change(db: Db, caller: Caller, user: UserId, body: MemberChange) -> Member:
    if body.role is not None:
        service.set_role(db, caller.org_id, user, role_of(body.role), by=caller)
    if "team" in body.model_fields_set:
        set_team(db, caller.org_id, user, body.team, by=caller)
    return service.get_member(db, caller.org_id, user)


def _url(request: Request, link: links.Link) -> str:
    return f"{address_of(request)}/join/{link.reveal()}"

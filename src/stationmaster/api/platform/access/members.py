"""People of an organization: invitations, roles, removal."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import msgspec
from pydantic import Field
from starlette.requests import Request

from stationmaster.access import reads, service
from stationmaster.access.addresses import public_address
from stationmaster.access.model import Caller, Member, MemberStatus, Role, role_of
from stationmaster.access.names import NAME_LENGTH_MAX
from stationmaster.access.signing_in import links
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.db.engine import Database
from stationmaster.ids import UserId
from stationmaster.people.service import set_team

routes = router("/api/platform/v1/members", "Members")

RoleWord = Literal["owner", "manager", "member", "guest", "admin", "user", "viewer"]
"""Roles, and what other systems call them: admin is a manager, user a member, viewer a guest."""


class MemberAnswer(wire.Answer):
    """A person; `createdAt` is in Unix milliseconds. Who is invited has not joined yet."""

    user_id: str
    email: str
    role: Role
    status: MemberStatus
    team: str | None
    created_at: int


class MemberPage(wire.Answer):
    members: list[MemberAnswer]
    pagination: wire.Pagination


class Invitation(wire.Question):
    email: wire.Email
    role: RoleWord


class Invited(MemberAnswer):
    """The address to send to the person: works once, until `invitationExpiresAt`, shown once.
    `isMailed`: the server also sends it, where mail is set up.
    """

    invitation_url: str
    invitation_expires_at: int
    is_mailed: bool


class MemberChange(wire.Question):
    """What is left out stays; a team that is null leaves the member's to telemetry."""

    role: RoleWord | None = None
    team: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX)] | None = None


class Link(wire.Answer):
    """An address that works once: 7 days for an invitation and one day for a password, or until the
    key that made it expires. `isMailed`: the server also sends it.
    """

    user_id: str
    purpose: links.PasswordPurpose
    url: str
    expires_at: int
    is_mailed: bool


@routes.get("")
async def list_members(
    request: Request,
    caller: callers.Manager,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: wire.AfterUser = None,
) -> MemberPage:
    """List members and those who are invited, by user id."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: reads.page_members(db, caller.org_id, limit=limit + 1, after=cursor),
    )
    page, pagination = wire.paged(found, limit, lambda each: each.user_id)
    return MemberPage(members=[_shown(each) for each in page], pagination=pagination)


@routes.post("", status_code=201, responses=problems("Problem", 409))
async def invite_member(request: Request, body: Invitation, caller: callers.Manager) -> Invited:
    """Invite a person; only owners invite owners."""
    services = services_of(request)

    def invite() -> Invited:
        member, link = service.invite_member(
            services.db, caller.org_id, body.email, role_of(body.role), by=caller
        )
        url = _url(request, link)
        return Invited(
            **msgspec.structs.asdict(member),
            invitation_url=url,
            invitation_expires_at=link.expires_at,
            is_mailed=services.outbox.offer(caller.org_id, member.email, link, url, by=caller),
        )

    return await blocking.work(invite)


@routes.get("/{user_id}")
async def get_member(
    request: Request, user_id: wire.Identifier, caller: callers.Manager
) -> MemberAnswer:
    """Get a member."""
    db = services_of(request).db
    return _shown(await blocking.read(db, service.get_member, db, caller.org_id, UserId(user_id)))


@routes.patch("/{user_id}", responses=problems("Problem", 409))
async def change_member(
    request: Request, user_id: wire.Identifier, body: MemberChange, caller: callers.Manager
) -> MemberAnswer:
    """Give a member another role, effective with the next request, or another team.

    Only owners make and change owners; the last owner stays one. With another role the invitations
    and password links made for the member before end. A team's earlier days follow.
    """
    db = services_of(request).db
    return _shown(await blocking.work(_change, db, caller, UserId(user_id), body))


@routes.delete("/{user_id}", status_code=204, responses=problems("Problem", 409))
async def remove_member(
    request: Request, user_id: wire.Identifier, caller: callers.Manager
) -> None:
    """Remove a member, whose keys and links end at once; the reports keep what it did.

    Only owners remove owners; the last owner stays. Who was removed already is 404.
    """
    db = services_of(request).db
    await blocking.work(
        lambda: service.remove_member(db, caller.org_id, UserId(user_id), by=caller)
    )


@routes.post("/{user_id}/link", status_code=201)
async def make_link(request: Request, user_id: wire.Identifier, caller: callers.Manager) -> Link:
    """Make another invitation, or for who has joined a link to choose a new password.

    The earlier one ends. Only owners make links for owners.
    """
    services = services_of(request)

    def make() -> Link:
        member, link = service.make_link(services.db, caller.org_id, UserId(user_id), by=caller)
        url = _url(request, link)
        return Link(
            user_id=member.user_id,
            purpose=cast(links.PasswordPurpose, link.purpose),
            url=url,
            expires_at=link.expires_at,
            is_mailed=services.outbox.offer(caller.org_id, member.email, link, url, by=caller),
        )

    return await blocking.work(make)


def _change(db: Database, caller: Caller, user: UserId, body: MemberChange) -> Member:
    if body.role is not None:
        service.set_role(db, caller.org_id, user, role_of(body.role), by=caller)
    if "team" in body.model_fields_set:
        set_team(db, caller.org_id, user, body.team, by=caller)
    return service.get_member(db, caller.org_id, user)


def _shown(member: Member) -> MemberAnswer:
    return MemberAnswer(**msgspec.structs.asdict(member))


def _url(request: Request, link: links.Link) -> str:
    return f"{public_address(request.scope, services_of(request).settings)}/join/{link.reveal()}"

"""`members`: the people of an organization, in the local data folder."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import typer

from stationmaster import days
from stationmaster.access import model, reads, service
from stationmaster.alerts.mail.outbox import offer_link
from stationmaster.cli import groups, public_address
from stationmaster.cli.options import Json, OrganizationFolder, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest
from stationmaster.people import service as people

if TYPE_CHECKING:
    from stationmaster.access.model import Caller, Member
    from stationmaster.access.signing_in.links import Link
    from stationmaster.db.engine import Database
    from stationmaster.ids import OrgId

members = groups.group()

_COLUMNS = "email: e-mail, role, status, team, created_at: added (moment), user_id: id (wide)"
_AFTER_REMOVAL = (
    "This removes access to this server and stops the member's keys; past reports stay, and agents "
    "can still spend at their vendors."
)
_ROLES = "owner, manager, member (the default) or guest."


@members.command("add")
def add_member(
    place: OrganizationFolder,
    email: str,
    role: Annotated[str | None, typer.Option(help=_ROLES)] = None,
) -> output.Shown:
    """Add a member, or change a member's role."""
    with place.opened() as (db, by):
        member = service.add_member(db, by.org_id, email, model.role_of(role or "member"), by=by)
        if role is not None:
            member = service.set_role(db, by.org_id, member.user_id, model.role_of(role), by=by)
    yield from _shown_member(member)


@members.command("invite")
def invite_member(
    place: OrganizationFolder,
    email: str,
    role: Annotated[str, typer.Option(help=_ROLES)] = "member",
) -> output.Shown:
    """Invite a person, and print an address for joining within 7 days."""
    granted = model.role_of(role)
    yield from _link(
        place,
        lambda db, by: service.invite_member(db, by.org_id, email, granted, by=by),
    )


@members.command("link")
def make_link(place: OrganizationFolder, email: str) -> output.Shown:
    """Print a new invitation, or, for a member who has joined, an address to choose a password."""
    yield from _link(
        place,
        lambda db, by: service.make_link(
            db, by.org_id, find_member(db, by.org_id, email).user_id, by=by
        ),
    )


@members.command("list")
def list_members(place: OrganizationFolder, wide: Wide = False) -> output.Shown:
    """List the people of an organization."""
    with place.opened() as (db, by):
        listed = reads.list_members(db, by.org_id)
    yield from output.as_list("members", _COLUMNS, listed, wide=wide)


@members.command("role")
def set_role(place: OrganizationFolder, email: str, role: str, json: Json = False) -> None:
    """Change a member's role, effective immediately; earlier links for the member become
    invalid."""
    granted = model.role_of(role)
    with place.opened() as (db, by):
        user = find_member(db, by.org_id, email).user_id
        before = service.get_member(db, by.org_id, user)
        member = service.set_role(db, by.org_id, user, granted, by=by)
    if json:
        output.as_json(msgspec.to_builtins(member))
    else:
        output.remark(f"{member.email} is {member.role}.")
    if member != before and member.status == "invited":
        output.remark(f"The invitation has ended; make another: stationmaster members link {email}")


@members.command("team")
def set_team(
    place: OrganizationFolder,
    email: str,
    team: Annotated[
        str | None, typer.Argument(help="Without it, the team in telemetry applies.")
    ] = None,
) -> output.Shown:
    """Set or clear a person's team, also for earlier days."""
    with place.opened() as (db, by):
        user = find_member(db, by.org_id, email).user_id
        member = people.set_team(db, by.org_id, user, team, by=by)
    yield from _shown_member(member, f"in team {member.team}" if member.team else "in no team")


@members.command("import")
def import_members(
    place: OrganizationFolder,
    file: Annotated[Path, typer.Argument(help="CSV with the columns email, role, team.")],
) -> output.Shown:
    """Add members from a file, and set the roles and teams of existing ones.

    A missing column or an empty role changes nothing; an empty team clears it.
    """
    lines = member_lines(file)
    with place.opened() as (db, by):
        imported = []
        for line in lines:
            member = service.add_member(db, by.org_id, line.email, line.role or "member", by=by)
            if line.role is not None:
                member = service.set_role(db, by.org_id, member.user_id, line.role, by=by)
            if line.has_team:
                member = people.set_team(db, by.org_id, member.user_id, line.team, by=by)
            imported.append(member)
    yield from output.as_list("members", _COLUMNS, imported)


@members.command("remove")
def remove_member(place: OrganizationFolder, email: str, yes: Yes = False) -> output.Shown:
    """Remove a person; their keys stop immediately, their history stays."""
    with place.opened() as (db, by):
        member = find_member(db, by.org_id, email)
        confirm(f"Remove {member.email}? {_AFTER_REMOVAL}", yes)
        service.remove_member(db, by.org_id, member.user_id, by=by)
    yield {"user_id": member.user_id}
    output.remark(f"{member.email} is removed. {_AFTER_REMOVAL}")


def find_member(db: Database, org_id: OrgId, email: str) -> Member:
    """The member with an address, regardless of case; raises BadRequest for an unknown one."""
    for member in reads.list_members(db, org_id):
        if member.email == email.strip().lower():
            return member
    raise BadRequest(
        f"{email} is no member; `stationmaster members add` makes one", code="no_member"
    )


def _shown_member(member: Member, what: str | None = None) -> output.Shown:
    return output.as_answer(
        msgspec.to_builtins(member), f"{member.email} is {what or member.role}."
    )


def _link(
    place: OrganizationFolder, make: Callable[[Database, Caller], tuple[Member, Link]]
) -> output.Shown:
    """A link that works once: the address alone on standard output."""
    settings = place.settings()
    with place.opened() as (db, by):
        member, link = make(db, by)
        url = f"{public_address.find(settings)}/join/{link.reveal()}"
        is_mailed = offer_link(db, settings, by, member.email, link, url)
    shown = {"url": url, "expires_at": link.expires_at, "is_mailed": is_mailed}
    yield {**shown, **msgspec.to_builtins(member)}
    until = f"{days.minute(link.expires_at)} UTC"
    output.remark(f"For {member.email}; works once, until {until}, is not shown again:")
    typer.echo(url)
    if is_mailed:
        output.remark(f"A running server sends it to {member.email} by mail, too.")


_LINE_COLUMNS = {"email", "role", "team"}


class MemberLine(NamedTuple):
    """`role` None changes none; `team` means something where the file `has_team`s."""

    email: str
    role: model.Role | None
    has_team: bool
    team: str | None


def member_lines(file: Path) -> list[MemberLine]:
    """The lines of a file; BadRequest names the first that is wrong, OSError a file that is."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        try:
            reader = csv.DictReader(opened, strict=True)
            columns = set(reader.fieldnames or ())
            if "email" not in columns or not columns <= _LINE_COLUMNS:
                raise BadRequest(f"{file}: the columns are email, role, team", code="bad_file")
            return [_line(file, n, columns, row) for n, row in enumerate(reader, 2)]
        except (csv.Error, UnicodeDecodeError) as fault:
            raise BadRequest(f"{file} is no CSV in UTF-8: {fault}", code="bad_file") from fault


def _line(file: Path, number: int, columns: set[str], row: dict[str, str | None]) -> MemberLine:
    try:
        role, team = (row.get("role") or "").strip(), (row.get("team") or "").strip()
        return MemberLine(
            email=model.email_of(row["email"] or ""),
            role=model.role_of(role) if role else None,
            has_team="team" in columns,
            team=model.name_of(team) if team else None,
        )
    except BadRequest as fault:
        raise BadRequest(f"{file}, line {number}: {fault.detail}", code=fault.code) from fault

"""`members`: the people of an organization, in the local data folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from stationmaster.cli import asking, folder, groups, public_address
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Org, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.access.model import Caller, Member
    from stationmaster.access.signing_in.links import Link
    from stationmaster.db.engine import Database
    from stationmaster.ids import OrgId

members = groups.group()

_COLUMNS = {
    "email": Column("e-mail"),
    "role": Column("role"),
    "status": Column("status"),
    "team": Column("team"),
    "created_at": table.moment("added"),
    "user_id": table.wide("id"),
}
_AFTER_REMOVAL = (
    "This removes access to this server and stops the member's keys; past reports stay, and agents "
    "can still spend at their vendors."
)
_ROLES = "owner, manager, member (the default) or guest."


def register(app: typer.Typer) -> None:
    """Add the group `members`."""
    app.add_typer(members, name="members")


@members.command("add")
def add_member(
    email: str,
    role: Annotated[str | None, typer.Option(help=_ROLES)] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Add a person, or give one who is there another role."""
    from stationmaster.access import model, operator, service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        by = operator.owner(db, org_id)
        member = service.add_member(db, org_id, email, model.role_of(role or "member"), by=by)
        if role is not None:
            member = service.set_role(db, org_id, member.user_id, model.role_of(role), by=by)
    _tell(member, json)


@members.command("invite")
def invite_member(
    email: str,
    role: Annotated[str, typer.Option(help=_ROLES)] = "member",
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Invite a person, who joins at the address that is printed, within 7 days."""
    from stationmaster.access import model, service

    granted = model.role_of(role)
    _show_link(
        data_dir,
        org,
        json,
        lambda db, by: service.invite_member(db, by.org_id, email, granted, by=by),
    )


@members.command("link")
def make_link(email: str, data_dir: DataDir = None, org: Org = None, json: Json = False) -> None:
    """Print another invitation, or for who has joined an address to choose a new password."""
    from stationmaster.access import service

    _show_link(
        data_dir,
        org,
        json,
        lambda db, by: service.make_link(
            db, by.org_id, find_member(db, by.org_id, email).user_id, by=by
        ),
    )


@members.command("list")
def list_members(
    wide: Wide = False, data_dir: DataDir = None, org: Org = None, json: Json = False
) -> None:
    """List the people of an organization."""
    from stationmaster.access import reads

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        found = reads.list_members(db, org_id)
    output.as_list("members", _COLUMNS, found, json, wide=wide)


@members.command("role")
def set_role(
    email: str, role: str, data_dir: DataDir = None, org: Org = None, json: Json = False
) -> None:
    """Give a person another role, effective at once; links made for them before end."""
    from stationmaster.access import model, operator, service

    granted = model.role_of(role)
    with folder.tenant(configure(data_dir), org) as (db, org_id):
        user = find_member(db, org_id, email).user_id
        by = operator.owner(db, org_id)
        before = service.get_member(db, org_id, user)
        member = service.set_role(db, org_id, user, granted, by=by)
    _tell(member, json)
    if member != before and member.status == "invited":
        output.say(f"The invitation has ended; make another: stationmaster members link {email}")


@members.command("team")
def set_team(
    email: str,
    team: Annotated[str | None, typer.Argument(help="None leaves it to telemetry.")] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Put a person into a team, or into none; earlier days follow."""
    from stationmaster.access import operator
    from stationmaster.people import service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        user = find_member(db, org_id, email).user_id
        by = operator.owner(db, org_id)
        member = service.set_team(db, org_id, user, team, by=by)
    _tell(member, json, f"in team {member.team}" if member.team else "in no team")


@members.command("import")
def import_members(
    file: Annotated[Path, typer.Argument(help="CSV with the columns email, role, team.")],
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Add the people of a file, and give those who are there their roles and teams.

    A column that the file lacks, or an empty role, changes nothing; an empty team is none.
    """
    from stationmaster.access import operator, service
    from stationmaster.cli.access.member_lines import member_lines
    from stationmaster.people.service import set_team

    wanted = member_lines(file)
    with folder.tenant(configure(data_dir), org) as (db, org_id):
        by = operator.owner(db, org_id)
        found = []
        for line in wanted:
            member = service.add_member(db, org_id, line.email, line.role or "member", by=by)
            if line.role is not None:
                member = service.set_role(db, org_id, member.user_id, line.role, by=by)
            if line.has_team:
                member = set_team(db, org_id, member.user_id, line.team, by=by)
            found.append(member)
    output.as_list("members", _COLUMNS, found, json)


@members.command("remove")
def remove_member(
    email: str, yes: Yes = False, data_dir: DataDir = None, org: Org = None, json: Json = False
) -> None:
    """Remove a person; their keys stop at once, their history stays."""
    from stationmaster.access import operator, service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        member = find_member(db, org_id, email)
        by = operator.owner(db, org_id)
        asking.confirm(f"Remove {member.email}? {_AFTER_REMOVAL}", yes)
        service.remove_member(db, org_id, member.user_id, by=by)
    if json:
        output.as_json({"user_id": member.user_id})
    else:
        output.say(f"{member.email} is removed. {_AFTER_REMOVAL}")


def find_member(db: Database, org_id: OrgId, email: str) -> Member:
    """Who has an address, whatever its capitals; raises BadRequest for a stranger's."""
    from stationmaster.access import reads

    for member in reads.list_members(db, org_id):
        if member.email == email.strip().lower():
            return member
    raise BadRequest(
        f"{email} is no member; `stationmaster members add` makes one", code="no_member"
    )


def _tell(member: Member, json: bool, what: str | None = None) -> None:
    if json:
        output.as_json(msgspec.to_builtins(member))
    else:
        output.say(f"{member.email} is {what or member.role}.")


def _show_link(
    data_dir: Path | None,
    org: str | None,
    json: bool,
    make: Callable[[Database, Caller], tuple[Member, Link]],
) -> None:
    """Print a link that works once: the address alone on standard output."""
    from stationmaster.access import operator
    from stationmaster.access.vault import Vault
    from stationmaster.alerts.mail import smtp
    from stationmaster.alerts.mail.outbox import Outbox

    settings = configure(data_dir)
    with folder.tenant(settings, org) as (db, org_id):
        by = operator.owner(db, org_id)
        member, link = make(db, by)
        url = f"{public_address.find(settings)}/join/{link.reveal()}"
        is_mailed = smtp.is_on(settings) and Outbox(db, settings, Vault.open(settings)).offer(
            org_id, member.email, link, url, by=by
        )
    if json:
        shown = {"url": url, "expires_at": link.expires_at, "is_mailed": is_mailed}
        output.as_json({**shown, **msgspec.to_builtins(member)})
    else:
        output.say(
            f"For {member.email}; works once, until {_utc(link.expires_at)}, is not shown again:"
        )
        typer.echo(url)
        if is_mailed:
            output.say(f"A running server sends it to {member.email} by mail, too.")


def _utc(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")

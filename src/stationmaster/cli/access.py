"""`keys` and `members`: who may do what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from stationmaster import days
from stationmaster.cli import folder, output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Org
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.access.model import Member, Principal
    from stationmaster.db.engine import Database
    from stationmaster.ids import OrgId

keys = typer.Typer(help="API keys.", no_args_is_help=True)
members = typer.Typer(help="People of an organization.", no_args_is_help=True)

_KEY_COLUMNS = ("key_id", "name", "scope", "principal_id", "hint",
                "expires_at", "revoked_at", "last_used_at")  # fmt: skip
_MEMBER_COLUMNS = ("user_id", "email", "role", "created_at")


def register(app: typer.Typer) -> None:
    app.add_typer(keys, name="keys")
    app.add_typer(members, name="members")


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        str, typer.Option(help="full, or ingest: write telemetry, read nothing.")
    ] = "full",
    expires: Annotated[str | None, typer.Option(help="Last day (UTC) of the key.")] = None,
    member: Annotated[str | None, typer.Option(help="E-mail of its owner.")] = None,
    service_account: Annotated[
        str | None, typer.Option(help="A program's account instead.")
    ] = None,
    role: Annotated[
        str | None, typer.Option(help="Role of a new service account (member).")
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Make a key for a member (the first owner by default) or a service account; shown once."""
    from stationmaster.access import service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        principal = _principal(db, org_id, member, service_account, role)
        key, secret = service.create_key(
            db, org_id, principal, name=name, scope=_scope(scope), expires_at=_end_of(expires)
        )
    if json:
        output.as_json({"api_key": secret.reveal(), **msgspec.to_builtins(key)})
    else:
        output.say(f"Key {key.key_id}, shown once:")
        typer.echo(secret.reveal())


@keys.command("list")
def list_keys(data_dir: DataDir = None, org: Org = None, json: Json = False) -> None:
    """List keys without their secrets."""
    from stationmaster.access import service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        found = service.list_keys(db, org_id)
    _show("keys", _KEY_COLUMNS, found, json)


@keys.command("revoke")
def revoke_key(key_id: str, data_dir: DataDir = None, org: Org = None, json: Json = False) -> None:
    """Revoke a key; every process refuses it from now on."""
    from stationmaster.access import service
    from stationmaster.ids import KeyId

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        key = service.revoke_key(db, org_id, KeyId(key_id))
    if json:
        output.as_json(msgspec.to_builtins(key))
    else:
        output.say(f"Key {key.key_id} is revoked.")


@members.command("add")
def add_member(
    email: str,
    role: Annotated[
        str | None, typer.Option(help="owner, manager, member (the default) or guest.")
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Add a person, or give one who is there another role."""
    from stationmaster.access import model, service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        member = service.add_member(db, org_id, email, model.role_of(role or "member"))
        if role is not None and member.role != role:
            member = service.set_role(db, org_id, member.user_id, model.role_of(role))
    if json:
        output.as_json(msgspec.to_builtins(member))
    else:
        output.say(f"{member.email} is {member.role}.")


@members.command("list")
def list_members(data_dir: DataDir = None, org: Org = None, json: Json = False) -> None:
    """List the people of an organization."""
    from stationmaster.access import service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        found = service.list_members(db, org_id)
    _show("members", _MEMBER_COLUMNS, found, json)


@members.command("remove")
def remove_member(
    email: str, data_dir: DataDir = None, org: Org = None, json: Json = False
) -> None:
    """Remove a person; their keys stop at once, their history stays."""
    from stationmaster.access import service

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        member = _member(db, org_id, email)
        service.remove_member(db, org_id, member.user_id)
    if json:
        output.as_json({"user_id": member.user_id})
    else:
        output.say(f"{email} is removed.")


def _principal(
    db: Database, org_id: OrgId, email: str | None, service_account: str | None, role: str | None
) -> Principal:
    from stationmaster.access import model, service

    if email and service_account:
        raise BadRequest("a key belongs to a member or a service account, not both", code="owner")
    if service_account:
        for account in service.list_service_accounts(db, org_id):
            if account.name == service_account:
                if role is not None and model.service_role_of(role) != account.role:
                    raise BadRequest(
                        f"{service_account} has the role {account.role}; name a new account",
                        code="role",
                    )
                return account
        granted = model.service_role_of(role or "member")
        return service.create_service_account(db, org_id, service_account, granted)
    return _member(db, org_id, email)


def _member(db: Database, org_id: OrgId, email: str | None) -> Member:
    from stationmaster.access import service

    found = service.list_members(db, org_id)
    for member in sorted(found, key=lambda each: each.created_at):
        if (email or "").lower() == member.email or (email is None and member.role == "owner"):
            return member
    raise BadRequest(
        f"{email} is no member; `stationmaster members add` makes one", code="no_member"
    )


def _scope(text: str) -> Any:
    from stationmaster.access.model import SCOPES

    if text not in SCOPES:
        raise BadRequest(f"a scope is one of {', '.join(SCOPES)}", code="invalid_scope")
    return text


def _end_of(day: str | None) -> int | None:
    if day is None:
        return None
    try:
        return days.start_ms(days.parse(day)) + days.MS_PER_DAY
    except ValueError as fault:
        raise BadRequest(str(fault), code="bad_day") from fault


def _show(name: str, columns: Sequence[str], found: Sequence[msgspec.Struct], json: bool) -> None:
    if json:
        output.as_json({name: msgspec.to_builtins(found)})
        return
    output.as_table(
        columns, [[_cell(column, getattr(row, column)) for column in columns] for row in found]
    )


def _cell(column: str, value: object) -> object:
    if column.endswith("_at") and isinstance(value, int):
        return output.moment(value)
    return value

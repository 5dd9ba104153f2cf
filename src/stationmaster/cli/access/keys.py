"""`keys`: API keys of members and service accounts, and the keys that sign access tokens, in the
local data folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from stationmaster import clock, days
from stationmaster.access import model, reads, service
from stationmaster.cli import configuring, groups
from stationmaster.cli.access.members import find_member
from stationmaster.cli.operation.installation import rotate_signing_keys
from stationmaster.cli.options import DataDir, OrganizationFolder, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stationmaster.db.engine import Database
keys = groups.group()

_COLUMNS = (
    "name, holder, scope, state, last_used_at: last used (moment), key_id: id, "
    "hint: begins with (wide), role: at most (wide), created_at: created (moment wide), "
    "expires_at: expires (moment wide), revoked_at: revoked (moment wide)"
)


@keys.command("create")
def create_key(
    place: OrganizationFolder,
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[str, typer.Option(help="full, or ingest: can only send telemetry.")] = "full",
    expires: Annotated[str | None, typer.Option(help="Last day (UTC) of the key.")] = None,
    member: Annotated[str | None, typer.Option(help="E-mail of its owner.")] = None,
    service_account: Annotated[str | None, typer.Option(help="A service account instead.")] = None,
    role: Annotated[
        str | None, typer.Option(help="Role of a new service account (member).")
    ] = None,
) -> output.Shown:
    """Create a key for a member (the first owner by default) or a service account; shown once."""
    with place.opened() as (db, by):
        principal = _principal(db, by, member, service_account, role)
        key, secret = service.create_key(
            db,
            by.org_id,
            principal,
            name=name,
            scope=_scope(scope),
            expires_at=_end_of(expires),
            by=by,
        )
    yield {"api_key": secret.reveal(), **msgspec.to_builtins(key)}
    output.remark(f"Key {key.key_id}, shown once:")
    typer.echo(secret.reveal())


@keys.command("list")
def list_keys(place: OrganizationFolder, wide: Wide = False) -> output.Shown:
    """List keys without their secrets."""
    with place.opened() as (db, by):
        api_keys = reads.list_keys(db, by.org_id)
        names = service.names(db, by.org_id)
    yield {"keys": api_keys}
    rows = [
        {
            **msgspec.to_builtins(key),
            "holder": names.get(key.principal_id, key.principal_id),
            "state": _state(key),
        }
        for key in api_keys
    ]
    output.as_rows(_COLUMNS, rows, wide=wide)


def _state(key: model.ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    is_over = key.expires_at is not None and key.expires_at <= clock.now_ms()
    return "expired" if is_over else "valid"


@keys.command("revoke")
def revoke_key(
    place: OrganizationFolder,
    key_id: str,
    with_made: Annotated[
        bool, typer.Option("--with-made", help="Also revoke the keys that it created.")
    ] = False,
    yes: Yes = False,
) -> output.Shown:
    """Revoke a key, effective immediately, and list related keys that stay active."""
    with place.opened() as (db, by):
        confirm(
            f"Revoke the key {key_id}? Programs that use it are refused from now on; other keys of "
            "its holder stay active, and agents can still spend at their vendors.",
            yes,
        )
        key = service.revoke_key(db, by.org_id, key_id, by=by, with_made=with_made)
        left = reads.keys_left(db, by.org_id, key, by)
    yield {**msgspec.to_builtins(key), "still_active": msgspec.to_builtins(left)}
    output.remark(f"Key {key.key_id} is revoked.")
    if left.made:
        output.remark(
            f"Still active: {_named(left.made)}, made with it. --with-made revokes these."
        )
    if left.of_holder:
        output.remark(f"Still active: {_named(left.of_holder)}, of the same holder.")


@keys.command("rotate-signing")
def rotate_signing(data_dir: DataDir = None) -> output.Shown:
    """Sign access tokens with a new key; tokens of the old one stay valid until they expire."""
    kid = rotate_signing_keys(configuring.configure(data_dir))
    yield {"kid": kid}
    output.remark(f"Key {kid} signs from now on, in every process within a minute.")


def _principal(
    db: Database, by: model.Caller, email: str | None, service_account: str | None, role: str | None
) -> model.Principal:
    if email and service_account:
        raise BadRequest("a key belongs to a member or a service account, not both", code="owner")
    if email:
        return find_member(db, by.org_id, email)
    if not service_account:
        return service.get_principal(db, by.org_id, by.principal_id)
    for account in reads.list_service_accounts(db, by.org_id):
        if account.name == service_account:
            if role is not None and model.service_role_of(role) != account.role:
                raise BadRequest(
                    f"{service_account} has the role {account.role}; name a new account",
                    code="role",
                )
            return account
    granted = model.service_role_of(role or "member")
    return service.create_service_account(db, by.org_id, service_account, granted, by=by)


def _named(some: Sequence[model.ApiKey]) -> str:
    return ", ".join(f"{key.key_id} ({key.name})" for key in some)


def _scope(text: str) -> Any:
    if text not in model.SCOPES:
        raise BadRequest(f"a scope is one of {', '.join(model.SCOPES)}", code="invalid_scope")
    return text


def _end_of(day: str | None) -> int | None:
    if day is None:
        return None
    try:
        return days.start_ms(days.parse(day)) + days.MS_PER_DAY
    except ValueError as fault:
        raise BadRequest(str(fault), code="bad_day") from fault

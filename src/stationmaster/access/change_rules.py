"""Who may change members, keys, teams and settings of an organization: each function raises where
what is changed is not there, or the caller who changes it (`by`; None is the software itself) may
not.

Who may see a computer is decided in `computers/visibility.py`.
"""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster.access import store
from stationmaster.access.model import (
    ApiKey,
    Caller,
    Member,
    Principal,
    Role,
    Scope,
    ServiceAccount,
    lesser,
    require,
)
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.ids import OrgId, UserId

MANAGING: tuple[Role, ...] = ("owner", "manager")


def lock(connection: Connection, org: OrgId) -> None:
    """Keep every other change of who is in the organization waiting until the end."""
    if not store.lock_organization(connection, org):
        raise NotFound("There is no such organization.")


def member(connection: Connection, org: OrgId, user: UserId) -> Member:
    """A member who was not removed. Raises NotFound."""
    row = store.member(connection, org, user)
    if row is None or row.status == "removed":
        raise NotFound("There is no such member.")
    return row


def service_account(connection: Connection, org: OrgId, account_id: str) -> ServiceAccount:
    """One that was not removed."""
    account = store.service_account(connection, org, account_id)
    if account is None:
        raise NotFound("There is no such service account.")
    return account


def key(connection: Connection, org: OrgId, key_id: str, by: Caller | None) -> ApiKey:
    """A key that its reader may know of: an own one, any one for owners and managers."""
    row = store.key(connection, org, key_id)
    if row is None or not may_see_key(by, row):
        raise NotFound("There is no such key.")
    return row


def may_see_key(by: Caller | None, key: ApiKey) -> bool:
    """True for the software itself, for owners and managers, and for the key's own principal."""
    return by is None or by.role in MANAGING or key.principal_id == by.principal_id


def check_key_revoker(connection: Connection, org: OrgId, by: Caller | None, key: ApiKey) -> None:
    """Only owners revoke the keys of another person who is an owner."""
    holder = store.member(connection, org, UserId(key.principal_id))
    if holder is not None and (by is None or by.principal_id != key.principal_id):
        require_owner_for_owners(by, holder.role)


def require_owner_for_owners(by: Caller | None, *roles: Role) -> None:
    """Only owners may change owners, and make members owners. Raises Forbidden (`owners_only`)."""
    if by is not None and by.role != "owner" and "owner" in roles:
        raise Forbidden("Only an owner may do this to an owner.", code="owners_only")


def keep_an_owner(connection: Connection, org: OrgId, leaving: Member) -> None:
    """Refuse what would leave an organization without an owner who has joined."""
    if leaving.role == "owner" and store.other_owners(connection, org, leaving.user_id) == 0:
        raise Conflict("An organization keeps at least one owner.", code="last_owner")


def check_key_maker(
    by: Caller | None, principal: Principal, scope: Scope, only_by_managers: bool
) -> None:
    """A person's keys are made by that person, who is no guest; those of service accounts by owners
    and managers, and so are keys of other people that can only send telemetry. The operator of the
    machine, who owns its database anyway, makes any.
    """
    if by is None or by.is_operator:
        return
    is_own = principal.principal_id == by.principal_id
    if isinstance(principal, ServiceAccount) or not is_own or only_by_managers:
        require(by, *MANAGING)
    require(by, *MANAGING, "member")
    if isinstance(principal, Member) and not is_own and scope != "ingest":
        raise Forbidden(
            "For another person you can make keys of the scope ingest only; "
            "others that person makes.",
            code="not_yours",
        )


def key_role(
    connection: Connection, org: OrgId, by: Caller | None, principal: Principal, role: Role | None
) -> Role | None:
    """The most that a new key may do: a limited key creates none that may do more, not even once
    its holder may.
    """
    if by is None or by.principal_id != principal.principal_id:
        return role
    maker = store.key(connection, org, by.key_id)
    most = None if maker is None else maker.role
    return role if most is None else lesser(most, role or most)


def key_expiry(
    connection: Connection, org: OrgId, by: Caller | None, expires_at: int | None
) -> int | None:
    """When a new key expires: a key that expires creates none that expires later.

    Forbidden (`outlives_maker`) for a later time; without one the maker's own expiry counts.
    """
    latest = expiry_of_maker(connection, org, by)
    if latest is None:
        return expires_at
    if expires_at is not None and expires_at > latest:
        raise Forbidden(
            "A key cannot expire later than the key that makes it; choose an earlier time, "
            "or sign in to make it.",
            code="outlives_maker",
            metadata={"expires_at": latest},
        )
    return latest if expires_at is None else expires_at


def expiry_of_maker(connection: Connection, org: OrgId, by: Caller | None) -> int | None:
    """When the key with which a caller acts expires; None for one that does not, and for sessions,
    which their holders can renew.
    """
    maker = None if by is None else store.key(connection, org, by.key_id)
    return None if maker is None else maker.expires_at


def check_may_act(connection: Connection, org: OrgId, principal: Principal) -> None:
    """Refuse who could not use a key anyway."""
    if isinstance(principal, Member):
        if member(connection, org, principal.user_id).status != "active":
            raise Conflict(f"{principal.email} has not joined yet.", code="not_joined")
    elif not service_account(connection, org, principal.service_account_id).is_active:
        raise Conflict("The service account is inactive; activate it first.", code="inactive")

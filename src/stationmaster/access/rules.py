"""What must hold before a change of who is in an organization: what it is about is there, and
whoever makes it (`by`; None is the software itself) may.
"""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster.access import store
from stationmaster.access.authenticate import require
from stationmaster.access.model import (
    ApiKey,
    Caller,
    Member,
    Principal,
    Role,
    ServiceAccount,
    lesser,
)
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.ids import KeyId, OrgId, UserId

MANAGING: tuple[Role, ...] = ("owner", "manager")


def lock(connection: Connection, org: OrgId) -> None:
    """Keep every other change of who is in the organization waiting until the end."""
    if not store.lock_organization(connection, org):
        raise NotFound("There is no such organization.")


def member(connection: Connection, org: OrgId, user: UserId) -> Member:
    """Who was not removed."""
    found = store.member(connection, org, user)
    if found is None or found.status == "removed":
        raise NotFound("There is no such member.")
    return found


def service_account(connection: Connection, org: OrgId, account_id: str) -> ServiceAccount:
    """One that was not removed."""
    found = store.service_account(connection, org, account_id)
    if found is None:
        raise NotFound("There is no such service account.")
    return found


def key(connection: Connection, org: OrgId, key_id: KeyId, by: Caller | None) -> ApiKey:
    """A key that its reader may know of: an own one, any one for owners and managers."""
    found = store.key(connection, org, key_id)
    if found is None or not (
        by is None or by.role in MANAGING or found.principal_id == by.principal_id
    ):
        raise NotFound("There is no such key.")
    return found


def spare_owners(by: Caller | None, *roles: Role) -> None:
    """Who is, or becomes, an owner is the owners' business."""
    if by is not None and by.role != "owner" and "owner" in roles:
        raise Forbidden("Only an owner may do this to an owner.", code="owners_only")


def keep_an_owner(connection: Connection, org: OrgId, leaving: Member) -> None:
    """Refuse what would leave an organization without an owner who has joined."""
    if leaving.role == "owner" and store.other_owners(connection, org, leaving.user_id) == 0:
        raise Conflict("An organization keeps at least one owner.", code="last_owner")


def check_key_maker(by: Caller | None, principal: Principal, only_by_managers: bool) -> None:
    """A person's keys are made by that person, who is no guest; those of service accounts by owners
    and managers. The operator of the machine, who owns its database anyway, makes any.
    """
    if by is None or by.source == "cli":
        return
    if isinstance(principal, ServiceAccount) or only_by_managers:
        require(by, *MANAGING)
    require(by, *MANAGING, "member")
    if isinstance(principal, Member) and principal.user_id != by.principal_id:
        raise Forbidden("A person's keys are made by that person.", code="not_yours")


def key_role(
    connection: Connection, org: OrgId, by: Caller | None, principal: Principal, wanted: Role | None
) -> Role | None:
    """The most that a new key may do: a limited key begets none that may do more, not even once
    its holder may.
    """
    if by is None or by.principal_id != principal.principal_id:
        return wanted
    maker = store.key(connection, org, by.key_id)
    most = None if maker is None else maker.role
    return wanted if most is None else lesser(most, wanted or most)


def check_may_act(connection: Connection, org: OrgId, principal: Principal) -> None:
    """Refuse who could not use a key anyway."""
    if isinstance(principal, Member):
        if member(connection, org, principal.user_id).status != "active":
            raise Conflict(f"{principal.email} has not joined yet.", code="not_joined")
    elif not service_account(connection, org, principal.service_account_id).is_active:
        raise Conflict("The service account is inactive; activate it first.", code="inactive")

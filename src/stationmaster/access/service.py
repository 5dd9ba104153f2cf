"""What is done to organizations, their people, service accounts and keys.

Each verb is one transaction. All raise NotFound for what is not in the organization, be it in
another one or nowhere, and BadRequest for words that do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit, keys, links, store
from stationmaster.access.model import (
    SCOPES,
    ApiKey,
    Caller,
    Member,
    Organization,
    Principal,
    PrincipalKind,
    Role,
    Scope,
    Secret,
    ServiceAccount,
    ServiceRole,
    role_of,
    service_role_of,
)
from stationmaster.access.names import email_of, name_of
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, Forbidden, NotFound
from stationmaster.ids import KeyId, OrgId, UserId

# Organizations


def create_organization(db: Database, name: str) -> OrgId:
    """A new organization, still without people. Names need not be unique."""
    org = OrgId(ids.new("org"))
    with db.transaction() as connection:
        store.insert_organization(connection, org, name_of(name), clock.now_ms())
    return org


def get_organization(db: Database, org: OrgId) -> Organization:
    with db.reading() as connection:
        found = store.organization(connection, org)
    if found is None:
        raise NotFound("There is no such organization.")
    return found


def list_organizations(db: Database) -> list[Organization]:
    """All of this installation, oldest first: for its operator, never for a caller."""
    with db.reading() as connection:
        return store.all_organizations(connection)


def find_organization(db: Database, name: str) -> Organization | None:
    """The oldest organization of a name: for the installation's operator, never for a caller."""
    wanted = name_of(name)
    return next((found for found in list_organizations(db) if found.name == wanted), None)


# Members


def add_member(
    db: Database, org: OrgId, email: str, role: Role, *, by: Caller | None = None
) -> Member:
    """The member with this address, who has joined: added, restored with this role, or found.

    A member keeps the role; `set_role` changes it. Telemetry that named the address before is this
    member's, since the user id follows from the address.
    """
    address, role = email_of(email), role_of(role)
    user = ids.user_of_email(org, address)
    with db.transaction() as connection:
        _lock(connection, org)
        known = store.member(connection, org, user)
        if known is not None and known.status == "active":
            return known
        if known is not None and known.status == "invited":
            role = known.role
        _spare_owners(by, role)
        added = _put_member(connection, org, known, Member(user, address, role, clock.now_ms()))
        _note(connection, org, "member_added", by, "member", user, role=role)
    return added


def invite_member(
    db: Database, org: OrgId, email: str, role: Role, *, by: Caller | None
) -> tuple[Member, Secret]:
    """A person who may join with the link, which is to be shown this once.

    Conflict (`already_member`) for who is in the organization or invited to it; Forbidden unless
    an owner invites an owner.
    """
    address, role = email_of(email), role_of(role)
    user = ids.user_of_email(org, address)
    with db.transaction() as connection:
        _lock(connection, org)
        _spare_owners(by, role)
        known = store.member(connection, org, user)
        if known is not None and known.status != "removed":
            raise Conflict(f"{address} is {known.status} already.", code="already_member")
        new = Member(user, address, role, clock.now_ms(), "invited")
        invited = _put_member(connection, org, known, new)
        link = links.create(connection, org, user, "invitation")
        _note(connection, org, "member_invited", by, "member", user, role=role)
    return invited, link


def make_link(
    db: Database, org: OrgId, user: UserId, *, by: Caller | None
) -> tuple[Member, Secret]:
    """Another invitation for who has not joined, or else a link to choose a new password.

    The earlier one ends. Forbidden unless an owner makes one for an owner.
    """
    with db.transaction() as connection:
        _lock(connection, org)
        known = _member(connection, org, user)
        _spare_owners(by, known.role)
        purpose: links.Purpose = "invitation" if known.status == "invited" else "password"
        link = links.create(connection, org, user, purpose)
        _note(connection, org, "member_link_created", by, "member", user, purpose=purpose)
    return known, link


def join(connection: Connection, org: OrgId, user: UserId) -> Member:
    """Make an invited person a member, in the transaction that redeems the invitation.

    Who has joined already stays as is.
    """
    _lock(connection, org)
    known = _member(connection, org, user)
    if known.status == "active":
        return known
    store.set_member(connection, org, user, joined_at=clock.now_ms())
    by = Caller(org, "human", user, known.email, known.role, KeyId("invitation"), "full", "web")
    _note(connection, org, "member_joined", by, "member", user)
    return msgspec.structs.replace(known, status="active")


def list_members(db: Database, org: OrgId) -> list[Member]:
    """By address, without those who were removed."""
    with db.reading() as connection:
        return store.all_members(connection, org)


def find_people(db: Database, org: OrgId, addresses: Iterable[str]) -> dict[str, Member]:
    """Who is behind addresses (as `email_of` gives them), by address: members, those who are
    invited and those who were removed, as `status` says. Nobody is behind one that is left out.
    """
    users = [ids.user_of_email(org, address) for address in addresses]
    with db.reading() as connection:
        return {known.email: known for known in store.members_of(connection, org, users)}


def get_member(db: Database, org: OrgId, user: UserId) -> Member:
    with db.reading() as connection:
        return _member(connection, org, user)


def set_role(
    db: Database, org: OrgId, user: UserId, role: Role, *, by: Caller | None = None
) -> Member:
    """Give a member another role; effective with the next request.

    Conflict for the last owner; Forbidden unless an owner makes or changes an owner.
    """
    role = role_of(role)
    with db.transaction() as connection:
        _lock(connection, org)
        known = _member(connection, org, user)
        _spare_owners(by, known.role, role)
        if role == known.role:
            return known
        _keep_an_owner(connection, org, known)
        store.set_member(connection, org, user, role=role)
        _note(connection, org, "member_role_changed", by, "member", user,
              role=role, previous_role=known.role)  # fmt: skip
    return msgspec.structs.replace(known, role=role)


def remove_member(db: Database, org: OrgId, user: UserId, *, by: Caller | None = None) -> None:
    """Remove a member for good, with its keys and links; the reports keep what it did.

    Conflict for the last owner; Forbidden unless an owner removes an owner.
    """
    with db.transaction() as connection:
        _lock(connection, org)
        known = _member(connection, org, user)
        _spare_owners(by, known.role)
        _keep_an_owner(connection, org, known)
        now = clock.now_ms()
        store.set_member(connection, org, user, removed_at=now)
        store.revoke_keys_of(connection, org, user, now)
        links.end_all(connection, org, user)
        _note(connection, org, "member_removed", by, "member", user)


def emails(db: Database, org: OrgId) -> dict[UserId, str]:
    """The address of every user who is or was a member: reports still name the latter."""
    return dict(db.rows("SELECT user_id, email FROM members WHERE org_id = ?", org))


# Service accounts


def create_service_account(
    db: Database, org: OrgId, name: str, role: ServiceRole
) -> ServiceAccount:
    """A new active account. Its name never changes; Conflict when the name is taken."""
    new = ServiceAccount(ids.new("svc"), name_of(name), service_role_of(role), True, clock.now_ms())
    with db.transaction() as connection:
        _lock(connection, org)
        if store.service_account_named(connection, org, new.name) is not None:
            raise Conflict(
                f"There is a service account named {new.name} already.", code="name_taken"
            )
        store.insert_service_account(connection, org, new)
    return new


def list_service_accounts(db: Database, org: OrgId) -> list[ServiceAccount]:
    """By name, active or not."""
    with db.reading() as connection:
        return store.all_service_accounts(connection, org)


def get_service_account(db: Database, org: OrgId, account_id: str) -> ServiceAccount:
    with db.reading() as connection:
        return _service_account(connection, org, account_id)


def set_active(db: Database, org: OrgId, account_id: str, is_active: bool) -> ServiceAccount:
    """Pause an account or let it go on; its keys stop or work with the next request."""
    with db.transaction() as connection:
        _lock(connection, org)
        known = _service_account(connection, org, account_id)
        store.set_service_account_active(connection, org, account_id, is_active)
    return ServiceAccount(account_id, known.name, known.role, is_active, known.created_at)


# Keys


def create_key(
    db: Database,
    org: OrgId,
    principal: Principal,
    *,
    name: str,
    scope: Scope = "full",
    expires_at: int | None = None,
) -> tuple[ApiKey, Secret]:
    """A new key of a member or an active service account, and its secret: to be shown this once.

    Scope "ingest" may send telemetry and nothing else. `expires_at` is a future time; None never.
    """
    now = clock.now_ms()
    if scope not in SCOPES:
        raise BadRequest(f"A scope is one of {', '.join(SCOPES)}.", code="invalid_scope")
    if expires_at is not None and expires_at <= now:
        raise BadRequest("A key must expire in the future.", code="invalid_expiry")
    secret = keys.new()
    text = secret.reveal()
    kind: PrincipalKind = "human" if isinstance(principal, Member) else "service"
    holder = principal.user_id if isinstance(principal, Member) else principal.service_account_id
    new = ApiKey(
        key_id=KeyId(ids.new("key")),
        principal_kind=kind,
        principal_id=holder,
        name=name_of(name),
        scope=scope,
        hint=keys.hint_of(text),
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
    )
    with db.transaction() as connection:
        _lock(connection, org)
        _present(connection, org, principal)
        store.insert_key(connection, org, new, keys.hash_of(text))
    return new, secret


def list_keys(db: Database, org: OrgId, principal_id: str | None = None) -> list[ApiKey]:
    """Oldest first, revoked and expired ones too; of one principal, or of all."""
    with db.reading() as connection:
        return store.all_keys(connection, org, principal_id)


def get_key(db: Database, org: OrgId, key_id: KeyId) -> ApiKey:
    with db.reading() as connection:
        return _key(connection, org, key_id)


def revoke_key(db: Database, org: OrgId, key_id: KeyId) -> ApiKey:
    """End a key for good, from the next request on. Revoking again changes nothing."""
    with db.transaction() as connection:
        store.revoke_key(connection, org, key_id, clock.now_ms())
        return _key(connection, org, key_id)


def _lock(connection: Connection, org: OrgId) -> None:
    if store.lock_organization(connection, org) is None:
        raise NotFound("There is no such organization.")


def _member(connection: Connection, org: OrgId, user: UserId) -> Member:
    found = store.member(connection, org, user)
    if found is None or found.status == "removed":
        raise NotFound("There is no such member.")
    return found


def _put_member(connection: Connection, org: OrgId, known: Member | None, new: Member) -> Member:
    """Insert a member, or give one who is known the status and the role of `new`."""
    joined_at = new.created_at if new.status == "active" else None
    if known is None:
        store.insert_member(connection, org, new, joined_at)
        return new
    store.set_member(
        connection, org, new.user_id, role=new.role, joined_at=joined_at, removed_at=None
    )
    return msgspec.structs.replace(new, created_at=known.created_at)


def _service_account(connection: Connection, org: OrgId, account_id: str) -> ServiceAccount:
    found = store.service_account(connection, org, account_id)
    if found is None:
        raise NotFound("There is no such service account.")
    return found


def _key(connection: Connection, org: OrgId, key_id: KeyId) -> ApiKey:
    found = store.key(connection, org, key_id)
    if found is None:
        raise NotFound("There is no such key.")
    return found


def _present(connection: Connection, org: OrgId, principal: Principal) -> None:
    if isinstance(principal, Member):
        if _member(connection, org, principal.user_id).status != "active":
            raise Conflict(f"{principal.email} has not joined yet.", code="not_joined")
    elif not _service_account(connection, org, principal.service_account_id).is_active:
        raise Conflict("The service account is inactive; activate it first.", code="inactive")


def _keep_an_owner(connection: Connection, org: OrgId, leaving: Member) -> None:
    if leaving.role == "owner" and store.other_owners(connection, org, leaving.user_id) == 0:
        raise Conflict("An organization keeps at least one owner.", code="last_owner")


def _spare_owners(by: Caller | None, *roles: Role) -> None:
    """Who is, or becomes, an owner is an owner's business; the software itself may do anything."""
    if by is not None and by.role != "owner" and "owner" in roles:
        raise Forbidden("Only an owner may do this to an owner.", code="owners_only")


def _note(
    connection: Connection,
    org: OrgId,
    event_type: str,
    by: Caller | None,
    kind: str,
    target: str,
    **payload: Any,
) -> None:
    audit.record(
        connection,
        org,
        event_type,
        by=by,
        target=audit.Target(kind, target),
        payload=payload or None,
    )

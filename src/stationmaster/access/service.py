"""What is done to organizations, their people, service accounts and keys.

Each verb is one transaction. All raise NotFound for what is not in the organization, be it in
another one or nowhere, and BadRequest for words that do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit, change_rules, marks, store
from stationmaster.access.model import (
    SCOPES,
    ApiKey,
    Caller,
    Member,
    Principal,
    PrincipalKind,
    Role,
    Scope,
    Secret,
    ServiceAccount,
    ServiceRole,
    email_of,
    hash_of,
    hint_of,
    is_program,
    made_with,
    name_of,
    new_key,
    role_of,
    service_role_of,
)
from stationmaster.access.signing_in import links, store as signin_store
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import KeyId, OrgId, UserId

# Organizations


def create_organization(db: Database, name: str) -> OrgId:
    """A new organization, still without people. Names need not be unique."""
    org = OrgId(ids.new("org"))
    with db.transaction() as connection:
        store.insert_organization(connection, org, name_of(name), clock.now_ms())
        audit.note(connection, org, "organization_created", "organization", org)
    return org


def organization_name(db: Database, org: OrgId) -> str:
    """The name to show to its members. Raises NotFound."""
    rows = db.rows("SELECT name FROM organizations WHERE org_id = ?", org)
    if not rows:
        raise NotFound("There is no such organization.")
    return str(rows[0][0])


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
    with _change(db, org, by) as (connection, note):
        member = store.member(connection, org, user)
        if member is not None and member.status == "active":
            return member
        if member is not None and member.status == "invited":
            role = member.role
        change_rules.require_owner_for_owners(by, role)
        added = _put_member(connection, org, member, Member(user, address, role, clock.now_ms()))
        note("member_added", "member", user, role=role)
    return added


def invite_member(
    db: Database, org: OrgId, email: str, role: Role, *, by: Caller | None
) -> tuple[Member, links.Link]:
    """A person who may join with the link, which is to be shown once.

    Conflict (`already_member`) for who is in the organization or invited to it; Forbidden unless
    an owner invites an owner.
    """
    address, role = email_of(email), role_of(role)
    user = ids.user_of_email(org, address)
    with _change(db, org, by) as (connection, note):
        change_rules.require_owner_for_owners(by, role)
        member = store.member(connection, org, user)
        if member is not None and member.status != "removed":
            state = "a member" if member.status == "active" else "invited"
            raise Conflict(f"{address} is {state} already.", code="already_member")
        new = Member(user, address, role, clock.now_ms(), "invited")
        invited = _put_member(connection, org, member, new)
        link = links.create(connection, org, user, "invitation", by=by)
        note("member_invited", "member", user, role=role)
    return invited, link


def make_link(
    db: Database, org: OrgId, user: UserId, *, by: Caller | None
) -> tuple[Member, links.Link]:
    """Another invitation for who has not joined, or else a link to choose a new password.

    The earlier one ends. Forbidden unless an owner makes one for an owner.
    """
    with _change(db, org, by) as (connection, note):
        member = change_rules.member(connection, org, user)
        change_rules.require_owner_for_owners(by, member.role)
        purpose: links.Purpose = "invitation" if member.status == "invited" else "password"
        link = links.create(connection, org, user, purpose, by=by)
        note("member_link_created", "member", user, purpose=purpose)
    return member, link


def join(connection: Connection, org: OrgId, user: UserId) -> Member:
    """Make an invited person a member, in the transaction that redeems the invitation.

    Who has joined already stays as is.
    """
    change_rules.lock(connection, org)
    member = change_rules.member(connection, org, user)
    if member.status == "active":
        return member
    store.set_member(connection, org, user, joined_at=clock.now_ms())
    by = Caller(org, "human", user, member.email, member.role, KeyId("invitation"), "full", "web")
    audit.note(connection, by, "member_joined", "member", user)
    return msgspec.structs.replace(member, status="active")


def get_member(db: Database, org: OrgId, user: UserId) -> Member:
    """A member who was not removed. Raises NotFound."""
    with db.reading() as connection:
        return change_rules.member(connection, org, user)


def set_role(
    db: Database, org: OrgId, user: UserId, role: Role, *, by: Caller | None = None
) -> Member:
    """Give a member another role; effective with the next request.

    Links for the member end, and those that the member made and may not make any more. Conflict for
    the last owner; Forbidden unless an owner makes or changes an owner.
    """
    role = role_of(role)
    with _change(db, org, by) as (connection, note):
        member = change_rules.member(connection, org, user)
        change_rules.require_owner_for_owners(by, member.role, role)
        if role == member.role:
            return member
        change_rules.keep_an_owner(connection, org, member)
        store.set_member(connection, org, user, role=role)
        links.end_all(connection, org, user)
        links.end_made_by(connection, org, user, role)
        note("member_role_changed", "member", user, role=role, previous_role=member.role)
    return msgspec.structs.replace(member, role=role)


def remove_member(db: Database, org: OrgId, user: UserId, *, by: Caller | None = None) -> None:
    """Remove a member permanently, with all keys, links, sessions and the password; the reports
    keep what it did.

    Conflict for the last owner; Forbidden unless an owner removes an owner.
    """
    with _change(db, org, by) as (connection, note):
        member = change_rules.member(connection, org, user)
        change_rules.require_owner_for_owners(by, member.role)
        change_rules.keep_an_owner(connection, org, member)
        now = clock.now_ms()
        store.set_member(connection, org, user, removed_at=now)
        store.revoke_keys_of(connection, org, user, now)
        links.end_all(connection, org, user)
        links.end_made_by(connection, org, user)
        signin_store.revoke_sessions_of(connection, org, user, now)
        signin_store.delete_password(connection, org, user)
        note("member_removed", "member", user)


def emails(db: Database, org: OrgId) -> dict[str, str]:
    """The address of every user who is or was a member: reports still name the latter."""
    return dict(db.rows("SELECT user_id, email FROM members WHERE org_id = ?", org))


def names(db: Database, org: OrgId) -> dict[str, str]:
    """`emails`, and the names of all service accounts that there are or were, by their ids."""
    accounts = "SELECT service_account_id, name FROM service_accounts WHERE org_id = ?"
    return emails(db, org) | dict(db.rows(accounts, org))


def get_principal(db: Database, org: OrgId, principal_id: str) -> Principal:
    """A member or a service account that was not removed. Raises NotFound."""
    if is_program(principal_id):
        return get_service_account(db, org, principal_id)
    return get_member(db, org, UserId(principal_id))


# Service accounts


def create_service_account(
    db: Database, org: OrgId, name: str, role: ServiceRole, *, by: Caller | None = None
) -> ServiceAccount:
    """A new active account. Its name never changes.

    Conflict (`name_taken`) for a name that an account has or, removed, had: reports and the audit
    log mean that one.
    """
    new = ServiceAccount(ids.new("svc"), name_of(name), service_role_of(role), True, clock.now_ms())
    with _change(db, org, by) as (connection, note):
        if store.has_service_account_named(connection, org, new.name):
            raise Conflict(
                f"There is, or was, a service account named {new.name}.", code="name_taken"
            )
        store.insert_service_account(connection, org, new)
        note("service_account_created", "service_account", new.service_account_id, role=new.role)
    return new


def get_service_account(db: Database, org: OrgId, account_id: str) -> ServiceAccount:
    """A service account that was not removed. Raises NotFound."""
    with db.reading() as connection:
        return change_rules.service_account(connection, org, account_id)


def change_service_account(
    db: Database,
    org: OrgId,
    account_id: str,
    *,
    is_active: bool | None = None,
    role: ServiceRole | None = None,
    by: Caller | None = None,
) -> ServiceAccount:
    """Pause or resume an account, or give it another role; its keys follow immediately, and links
    that it made and could not make any more end.
    """
    granted = None if role is None else service_role_of(role)
    with _change(db, org, by) as (connection, note):
        before = change_rules.service_account(connection, org, account_id)
        changes = {"is_active": is_active, "role": granted}
        changed = {
            name: value
            for name, value in changes.items()
            if value is not None and value != getattr(before, name)
        }
        if changed:
            store.set_service_account(connection, org, account_id, **changed)
            account = msgspec.structs.replace(before, **changed)
            left = account.role if account.is_active else None
            links.end_made_by(connection, org, account_id, left)
            note("service_account_changed", "service_account", account_id, **changed)
    return msgspec.structs.replace(before, **changed)


def remove_service_account(
    db: Database, org: OrgId, account_id: str, *, by: Caller | None = None
) -> None:
    """Remove an account and revoke its keys permanently; the reports keep what it did."""
    with _change(db, org, by) as (connection, note):
        change_rules.service_account(connection, org, account_id)
        now = clock.now_ms()
        store.set_service_account(connection, org, account_id, is_active=False, removed_at=now)
        store.revoke_keys_of(connection, org, account_id, now)
        links.end_made_by(connection, org, account_id)
        note("service_account_removed", "service_account", account_id)


# Keys


def create_key(
    db: Database,
    org: OrgId,
    principal: Principal,
    *,
    name: str,
    role: Role | None = None,
    scope: Scope = "full",
    expires_at: int | None = None,
    by: Caller | None = None,
    only_by_managers: bool = False,
) -> tuple[ApiKey, Secret]:
    """A new key of a member or an active service account, and its secret: to be shown once.

    The key acts with its holder's role of the moment, and never with more than `role`. Scope
    "ingest" may send telemetry and nothing else. `expires_at` is a future time; None is as late as
    the key that makes it, or never. Conflict for who cannot act (`not_joined`, `inactive`);
    Forbidden as `change_rules.check_key_maker` and `change_rules.key_expiry`.
    """
    now = clock.now_ms()
    if scope not in SCOPES:
        raise BadRequest(f"A scope is one of {', '.join(SCOPES)}.", code="invalid_scope")
    if expires_at is not None and expires_at <= now:
        raise BadRequest("A key must expire in the future.", code="invalid_expiry")
    secret = new_key()
    text = secret.reveal()
    kind: PrincipalKind = "human" if isinstance(principal, Member) else "service"
    new = ApiKey(
        key_id=KeyId(ids.new("key")),
        principal_kind=kind,
        principal_id=principal.principal_id,
        name=name_of(name),
        scope=scope,
        hint=hint_of(text),
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
        made_with=None if by is None or by.is_operator else by.key_id,
    )
    with _change(db, org, by) as (connection, note):
        change_rules.check_key_maker(by, principal, scope, only_by_managers)
        change_rules.check_may_act(connection, org, principal)
        most = change_rules.key_role(connection, org, by, principal, role)
        ends = change_rules.key_expiry(connection, org, by, expires_at)
        new = msgspec.structs.replace(new, role=most, expires_at=ends)
        store.insert_key(connection, org, new, hash_of(text))
        terms = {"role": new.role, "scope": scope, "expires_at": ends}
        note("api_key_created", "api_key", new.key_id, **_holder(new), **terms)
    return new, secret


def get_key(db: Database, org: OrgId, key_id: str, *, by: Caller | None = None) -> ApiKey:
    """A key that `by` may see: an own one, any one for owners and managers. Raises NotFound."""
    with db.reading() as connection:
        return change_rules.key(connection, org, key_id, by)


def revoke_key(
    db: Database, org: OrgId, key_id: str, *, by: Caller | None = None, with_made: bool = False
) -> ApiKey:
    """End a key permanently, from the next request on, and the links that it made; `with_made` also
    the keys that it made and their makes. Revoking again changes nothing.

    Forbidden for a key of another person who is an owner, unless to an owner.
    """
    now = clock.now_ms()
    with _change(db, org, by) as (connection, note):
        revoked = change_rules.key(connection, org, key_id, by)
        made = made_with(store.keys(connection, org), key_id) if with_made else []
        for key in (revoked, *(key for key in made if change_rules.may_see_key(by, key))):
            if key.revoked_at is not None:
                continue
            change_rules.check_key_revoker(connection, org, by, key)
            store.revoke_key(connection, org, key.key_id, now)
            links.end_made_with(connection, org, key.key_id)
            note("api_key_revoked", "api_key", key.key_id, **_holder(key))
    return revoked if revoked.revoked_at else msgspec.structs.replace(revoked, revoked_at=now)


def _holder(key: ApiKey) -> dict[str, str]:
    """Whose key it is, for the audit log."""
    return {"principal_kind": key.principal_kind, "principal_id": key.principal_id}


@contextmanager
def _change(
    db: Database, org: OrgId, by: Caller | None
) -> Iterator[tuple[Connection, Callable[..., None]]]:
    """A transaction that no other change of who is in the organization passes, and how to enter it
    in the audit log: `note(event_type, kind, id, **payload)` of what it is about.
    """

    with db.transaction() as connection:
        change_rules.lock(connection, org)
        yield connection, partial(audit.note, connection, by or org)


def _put_member(connection: Connection, org: OrgId, before: Member | None, new: Member) -> Member:
    """Insert a member, or give one who is known the status and the role of `new`, without links."""
    marks.lift(connection, org, new.user_id)
    joined_at = new.created_at if new.status == "active" else None
    if before is None:
        store.insert_member(connection, org, new, joined_at)
        return new
    store.set_member(
        connection, org, new.user_id, role=new.role, joined_at=joined_at, removed_at=None
    )
    links.end_all(connection, org, new.user_id)
    return msgspec.structs.replace(new, created_at=before.created_at, team=before.team)

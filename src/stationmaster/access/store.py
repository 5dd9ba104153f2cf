"""Every query of access except the one of `authenticate`.

The organization is right after the connection, and is part of every statement. The caller's
transaction makes several of them one.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs
from sqlalchemy import Connection, case, func, insert, or_, select, update

from stationmaster.access.model import ApiKey, Member, Role, ServiceAccount
from stationmaster.db.tables.access import api_keys, members, organizations, service_accounts
from stationmaster.ids import KeyId, OrgId, UserId

_STATUS = case(
    (members.c.removed_at.is_not(None), "removed"),
    (members.c.joined_at.is_(None), "invited"),
    else_="active",
)
_MEMBER = (
    *(members.c.user_id, members.c.email, members.c.role, members.c.created_at),
    *(_STATUS, members.c.team),
)
_SERVICE_ACCOUNT = tuple(service_accounts.c[name] for name in ServiceAccount.__struct_fields__)
_KEY = tuple(api_keys.c[name] for name in ApiKey.__struct_fields__)


# Organizations


def insert_organization(connection: Connection, org: OrgId, name: str, now: int) -> None:
    """Store a new organization; `now` is UTC milliseconds."""
    connection.execute(insert(organizations).values(org_id=org, name=name, created_at=now))


def lock_organization(connection: Connection, org: OrgId) -> bool:
    """Whether there is such an organization; every other change of who is in it waits until the
    end of the transaction.

    Rules such as "there is always an owner" span rows, so two changes must not pass each other.
    SQLite's writers wait for one another anyway.
    """
    locked = select(organizations.c.org_id).where(organizations.c.org_id == org).with_for_update()
    return connection.execute(locked).first() is not None


# Members


def member(connection: Connection, org: OrgId, user: UserId) -> Member | None:
    """Who is, or was, a member."""
    return next(iter(members_of(connection, org, [user])), None)


def members_of(connection: Connection, org: OrgId, users: Iterable[UserId]) -> list[Member]:
    """Those of the users who are, or were, members."""
    query = select(*_MEMBER).where(members.c.org_id == org, members.c.user_id.in_(users))
    return [Member(*row) for row in connection.execute(query)]


def teams(connection: Connection, org: OrgId) -> dict[str, str]:
    """The team of every member who has one and was not removed."""
    rows = connection.execute(
        select(members.c.user_id, members.c.team)
        .filter_by(org_id=org, removed_at=None)
        .where(members.c.team.is_not(None))
    )
    return {row.user_id: row.team for row in rows}


def addresses_of_roles(connection: Connection, org: OrgId, roles: Iterable[Role]) -> list[str]:
    """The addresses of present members who have joined and have one of the roles, in order."""
    present = (
        select(members.c.email)
        .filter_by(org_id=org, removed_at=None)
        .where(members.c.role.in_(list(roles)), members.c.joined_at.is_not(None))
    )
    return list(connection.execute(present.order_by(members.c.email)).scalars())


def other_owners(connection: Connection, org: OrgId, user: UserId) -> int:
    """How many owners who joined remain without one user."""
    others = (
        select(func.count())
        .select_from(members)
        .filter_by(org_id=org, role="owner", removed_at=None)
        .where(members.c.user_id != user, members.c.joined_at.is_not(None))
    )
    return connection.execute(others).scalar_one()


def insert_member(connection: Connection, org: OrgId, new: Member, joined_at: int | None) -> None:
    """Store a new member; `joined_at` (UTC milliseconds) is None for an invitation."""
    connection.execute(
        insert(members).values(
            org_id=org,
            user_id=new.user_id,
            email=new.email,
            role=new.role,
            created_at=new.created_at,
            joined_at=joined_at,
        )
    )


def set_member(connection: Connection, org: OrgId, user: UserId, **changed: object) -> None:
    """Change columns of a member: role, team, joined_at, removed_at."""
    connection.execute(update(members).filter_by(org_id=org, user_id=user).values(**changed))


# Service accounts


def service_account(connection: Connection, org: OrgId, account_id: str) -> ServiceAccount | None:
    """One that was not removed."""
    row = connection.execute(
        select(*_SERVICE_ACCOUNT).filter_by(
            org_id=org, service_account_id=account_id, removed_at=None
        )
    ).first()
    return None if row is None else ServiceAccount(*row)


def has_service_account_named(connection: Connection, org: OrgId, name: str) -> bool:
    """Whether an account has a name, or had it before it was removed."""
    named = select(service_accounts.c.name).filter_by(org_id=org, name=name)
    return connection.execute(named).first() is not None


def insert_service_account(connection: Connection, org: OrgId, new: ServiceAccount) -> None:
    """Store a new service account."""
    connection.execute(insert(service_accounts).values(org_id=org, **structs.asdict(new)))


def set_service_account(
    connection: Connection, org: OrgId, account_id: str, **changed: object
) -> None:
    """Change columns of an account: role, is_active, removed_at."""
    connection.execute(
        update(service_accounts)
        .filter_by(org_id=org, service_account_id=account_id)
        .values(**changed)
    )


# Keys


def insert_key(connection: Connection, org: OrgId, new: ApiKey, secret_hash: str) -> None:
    """Store a new key under the hash of its secret."""
    connection.execute(
        insert(api_keys).values(org_id=org, secret_hash=secret_hash, **structs.asdict(new))
    )


def key(connection: Connection, org: OrgId, key_id: str) -> ApiKey | None:
    """A key by its id, revoked ones too; None where the organization has no such key."""
    row = connection.execute(select(*_KEY).filter_by(org_id=org, key_id=key_id)).first()
    return None if row is None else ApiKey(*row)


def keys(connection: Connection, org: OrgId) -> list[ApiKey]:
    """Every key of an organization; revoked and expired ones too."""
    stored = select(*_KEY).where(api_keys.c.org_id == org)
    return [ApiKey(*row) for row in connection.execute(stored)]


def revoke_key(connection: Connection, org: OrgId, key_id: KeyId, now: int) -> None:
    """Revoke a key that is not; the first time of revocation stays."""
    connection.execute(
        update(api_keys)
        .filter_by(org_id=org, key_id=key_id, revoked_at=None)
        .values(revoked_at=now)
    )


def revoke_keys_of(connection: Connection, org: OrgId, principal_id: str, now: int) -> None:
    """Revoke all keys of a principal that are not revoked, as of `now` (UTC milliseconds)."""
    connection.execute(
        update(api_keys)
        .filter_by(org_id=org, principal_id=principal_id, revoked_at=None)
        .values(revoked_at=now)
    )


def set_last_used(connection: Connection, org: OrgId, key_id: KeyId, at: int) -> None:
    """Note a use; a later one noted by another process stays."""
    connection.execute(
        update(api_keys)
        .filter_by(org_id=org, key_id=key_id)
        .where(or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < at))
        .values(last_used_at=at)
    )

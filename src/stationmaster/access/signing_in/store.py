"""Every query of passwords and sessions, except those that find their organization.

The organization is right after the connection, and is part of every statement.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from stationmaster.access.model import Session
from stationmaster.db.tables.signin import passwords, sessions
from stationmaster.ids import OrgId, UserId

_SESSION = tuple(sessions.c[name] for name in Session.__struct_fields__)


class Renewal(NamedTuple):
    """What decides about the secret that is presented to renew a session."""

    secret_hash: str
    previous_hash: str | None
    renewed_at: int


# Passwords


def put_password(connection: Connection, org: OrgId, user: UserId, hashed: str, now: int) -> None:
    """Store the hash of a user's password in place of any before; `now` is UTC milliseconds."""
    delete_password(connection, org, user)
    connection.execute(
        insert(passwords).values(org_id=org, user_id=user, hash=hashed, changed_at=now)
    )


def exchange_password(connection: Connection, org: OrgId, user: UserId, old: str, new: str) -> bool:
    """Another hash of the same password; False when the password has changed meanwhile."""
    done = connection.execute(
        update(passwords).filter_by(org_id=org, user_id=user, hash=old).values(hash=new)
    )
    return done.rowcount > 0


def delete_password(connection: Connection, org: OrgId, user: UserId) -> None:
    """Delete the hash of a user's password, if there is one."""
    connection.execute(delete(passwords).filter_by(org_id=org, user_id=user))


# Sessions


def insert_session(
    connection: Connection, org: OrgId, new: Session, family_hash: str, secret_hash: str
) -> None:
    """Store a new session with the hashes of its family and of its first secret."""
    connection.execute(
        insert(sessions).values(
            org_id=org,
            session_id=new.session_id,
            user_id=new.user_id,
            method=new.method,
            family_hash=family_hash,
            secret_hash=secret_hash,
            created_at=new.created_at,
            renewed_at=new.created_at,
            used_at=new.used_at,
            expires_at=new.expires_at,
        )
    )


def delete_expired_sessions(connection: Connection, org: OrgId, user: UserId, now: int) -> None:
    """Delete the sessions of a user that ended at or before `now` (UTC milliseconds)."""
    connection.execute(
        delete(sessions).filter_by(org_id=org, user_id=user).where(sessions.c.expires_at <= now)
    )


def lock_session(
    connection: Connection, org: OrgId, session_id: str
) -> tuple[Session, Renewal] | None:
    """A session, with every other renewal of it kept waiting until the end."""
    renewal = tuple(sessions.c[name] for name in Renewal._fields)
    row = connection.execute(
        select(*_SESSION, *renewal).filter_by(org_id=org, session_id=session_id).with_for_update()
    ).first()
    return None if row is None else (Session(*row[: len(_SESSION)]), Renewal(*row[len(_SESSION) :]))


def renew_session(
    connection: Connection,
    org: OrgId,
    session_id: str,
    renewal: Renewal,
    expires_at: int,
) -> None:
    """Store the secrets of a renewal, which counts as use, and the new end (UTC milliseconds)."""
    connection.execute(
        update(sessions)
        .filter_by(org_id=org, session_id=session_id)
        .values(used_at=renewal.renewed_at, expires_at=expires_at, **renewal._asdict())
    )


def revoke_session(connection: Connection, org: OrgId, session_id: str, now: int) -> bool:
    """Revoke a session; False where it is revoked already."""
    done = connection.execute(
        update(sessions)
        .filter_by(org_id=org, session_id=session_id, revoked_at=None)
        .values(revoked_at=now)
    )
    return done.rowcount > 0


def revoke_sessions_of(connection: Connection, org: OrgId, user: UserId, now: int) -> None:
    """Revoke all sessions of a user that are not revoked, as of `now` (UTC milliseconds)."""
    connection.execute(
        update(sessions).filter_by(org_id=org, user_id=user, revoked_at=None).values(revoked_at=now)
    )


def set_session_used(connection: Connection, org: OrgId, session_id: str, at: int) -> None:
    """Note a use; a later one noted by another process stays."""
    connection.execute(
        update(sessions)
        .filter_by(org_id=org, session_id=session_id)
        .where(sessions.c.used_at < at)
        .values(used_at=at)
    )

"""Sessions: what a sign-in leaves behind, and the secrets that continue it.

A secret is `sms_`, 22 characters of a family and 43 of its own. The family stays for the session's
life; the rest is new after each renewal. So a family with a wrong rest can only be a secret that
was valid once: another person has a copy of it, and the session is revoked, whichever of the two
was first. Two renewals at the same time look the same and happen to honest clients; within GRACE_MS
the later one is therefore instructed to use what the earlier one got.

A browser's cookie holds such a secret and is not renewed; it ends after thirty days.
"""

from __future__ import annotations

import hmac
import re
import secrets
from typing import NamedTuple

from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit, store
from stationmaster.access.model import (
    BODY_LENGTH,
    KEY_ALPHABET,
    Caller,
    Method,
    Role,
    Secret,
    Session,
    Source,
    hash_of,
)
from stationmaster.access.signing_in import links, store as signin_store
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, Unauthorized
from stationmaster.ids import KeyId, OrgId, UserId

ID_PREFIX = "ses_"
LIFETIME_MS = 30 * 86_400_000
GRACE_MS = 10_000

_PREFIX = "sms_"
_FAMILY_LENGTH = 22
_REST_LENGTH = BODY_LENGTH
_FORM = re.compile(rf"{_PREFIX}[0-9A-Za-z]{{{_FAMILY_LENGTH + _REST_LENGTH}}}")
_FAMILY_END = len(_PREFIX) + _FAMILY_LENGTH

_COLUMNS = """
SELECT s.org_id, s.session_id, s.user_id, s.secret_hash, s.expires_at, s.revoked_at,
       m.email, m.role, m.joined_at, m.removed_at
FROM sessions s JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
"""
# The secret names the organization.
_BY_FAMILY = _COLUMNS + "WHERE s.family_hash = ?"
_BY_ID = _COLUMNS + "WHERE s.org_id = ? AND s.session_id = ?"


class _Found(NamedTuple):
    """A session with its member, as of now."""

    org_id: OrgId
    session_id: str
    user_id: UserId
    secret_hash: str
    expires_at: int
    revoked_at: int | None
    email: str
    role: Role
    joined_at: int | None
    removed_at: int | None

    @property
    def is_over(self) -> bool:
        return (
            self.revoked_at is not None
            or self.joined_at is None
            or self.removed_at is not None
            or self.expires_at <= clock.now_ms()
        )

    def caller(self, source: Source) -> Caller:
        return Caller(
            self.org_id,
            "human",
            self.user_id,
            self.email,
            self.role,
            KeyId(self.session_id),
            "full",
            source,
        )


def start(
    db: Database, org: OrgId, user: UserId, method: Method, source: Source = "platform_api"
) -> tuple[Session, Secret]:
    """A new session of an active member, and its secret. Raises Unauthorized for anybody else."""
    with db.transaction() as connection:
        return begin(connection, org, user, method, source)


def begin(
    connection: Connection, org: OrgId, user: UserId, method: Method, source: Source
) -> tuple[Session, Secret]:
    """`start` within the caller's transaction; old sessions of the member are deleted by it."""
    # Otherwise a removal could pass, and the session would be valid again if the member were added
    # again.
    store.lock_organization(connection, org)
    member, now = store.member(connection, org, user), clock.now_ms()
    if member is None or member.status != "active":
        raise _invalid()
    signin_store.delete_expired_sessions(connection, org, user, now)
    secret = _new_secret(_random(_FAMILY_LENGTH))
    new = Session(org, ids.new("ses"), user, method, now, now, now + LIFETIME_MS, None)
    signin_store.insert_session(connection, org, new, _family_hash(secret), _hash(secret))
    by = Caller(
        org, "human", user, member.email, member.role, KeyId(new.session_id), "full", source
    )
    audit.note(connection, by, "session_started", "session", new.session_id, method=method)
    return new, secret


def rotate(db: Database, secret: Secret) -> tuple[Session, Secret]:
    """The session with another thirty days, and the secret that takes the place of this one.

    Raises Unauthorized for a secret that is unknown or over, or was replaced before (which revokes
    the session), and Conflict (`just_renewed`) within GRACE_MS of its replacement.
    """
    session = _find(db, secret)
    if session is None or session.is_over:
        raise _invalid()
    with db.transaction() as connection:
        renewed = _renewed(connection, session, secret)
    # Raised only now: the revocation must be committed.
    if renewed is None:
        raise _invalid()
    return renewed


def _renewed(
    connection: Connection, session_row: _Found, secret: Secret
) -> tuple[Session, Secret] | None:
    """The renewed session; None after revoking it because of a secret of an earlier time."""
    org, now = session_row.org_id, clock.now_ms()
    locked = signin_store.lock_session(connection, org, session_row.session_id)
    if locked is None or locked[0].revoked_at is not None:
        return None
    session, secrets = locked
    secret_hash = _hash(secret)
    if not hmac.compare_digest(secret_hash, secrets.secret_hash):
        if secret_hash == secrets.previous_hash and now - secrets.renewed_at <= GRACE_MS:
            raise Conflict(
                "Another request has just renewed this session; use the tokens of its answer.",
                code="just_renewed",
            )
        signin_store.revoke_session(connection, org, session.session_id, now)
        links.end_made_with(connection, org, session.session_id)
        subject = session_row.session_id
        audit.note(connection, org, "session_revoked", "session", subject, reason="reuse")
        return None
    new = _new_secret(secret.reveal()[len(_PREFIX) : _FAMILY_END])
    renewal = signin_store.Renewal(_hash(new), secret_hash, now)
    until = now + LIFETIME_MS
    signin_store.renew_session(connection, org, session.session_id, renewal, until)
    return (
        Session(
            org,
            session.session_id,
            session.user_id,
            session.method,
            session.created_at,
            used_at=now,
            expires_at=until,
            revoked_at=None,
        ),
        new,
    )


def end(db: Database, secret: Secret, source: Source = "platform_api") -> None:
    """Sign out. A secret that is unknown, or of a session that is over, changes nothing."""
    session = _find(db, secret)
    if session is None or session.is_over:
        return
    with db.transaction() as connection:
        if signin_store.revoke_session(
            connection, session.org_id, session.session_id, clock.now_ms()
        ):
            by = session.caller(source)
            audit.note(connection, by, "session_ended", "session", session.session_id)


def revoke_all(connection: Connection, org: OrgId, user: UserId) -> None:
    """End every session of a member, in the caller's transaction."""
    signin_store.revoke_sessions_of(connection, org, user, clock.now_ms())


def caller_of(db: Database, secret: Secret) -> Caller:
    """Who holds the secret in a browser's cookie, with the role of this moment: one query.

    Raises Unauthorized.
    """
    session = _find(db, secret)
    if (
        session is None
        or session.is_over
        or not hmac.compare_digest(_hash(secret), session.secret_hash)
    ):
        raise _invalid()
    return session.caller("web")


def caller_of_id(db: Database, org: OrgId, session_id: str, user: UserId) -> Caller:
    """Who an access token of that session speaks for, with the role of this moment: one query.

    Raises Unauthorized.
    """
    rows = db.rows(_BY_ID, org, session_id)
    session = _Found(*rows[0]) if rows else None
    if session is None or session.is_over or session.user_id != user:
        raise _invalid()
    return session.caller("platform_api")


def _find(db: Database, secret: Secret) -> _Found | None:
    if _FORM.fullmatch(secret.reveal()) is None:
        return None
    rows = db.rows(_BY_FAMILY, _family_hash(secret))
    return _Found(*rows[0]) if rows else None


def _new_secret(family: str) -> Secret:
    return Secret(_PREFIX + family + _random(_REST_LENGTH))


def _random(length: int) -> str:
    return "".join(secrets.choice(KEY_ALPHABET) for _ in range(length))


def _family_hash(secret: Secret) -> str:
    return hash_of(secret.reveal()[:_FAMILY_END])


def _hash(secret: Secret) -> str:
    return hash_of(secret.reveal())


def _invalid() -> Unauthorized:
    return Unauthorized("The session is over; sign in again.")

"""One-time links: a person who opens one is the member it was made for, once and for a while.

An invitation and a password link lead to a page where a password is chosen; a sign-in link, which
the operator of the installation alone can make, starts a session without one.

A link ends before its time when the member it is for gets another role or is removed, when the
person who made it may no longer make such links, and when the key that made it is revoked or
expires.

Like a key, a link is found by the SHA-256 of its text, which alone is stored, and itself names in
which organization it is.
"""

from __future__ import annotations

import re
import secrets
from typing import Literal, NamedTuple, get_args

from sqlalchemy import Connection, delete, insert, select, text, update

from stationmaster import clock
from stationmaster.access import change_rules
from stationmaster.access.model import Caller, Role, Secret, hash_of
from stationmaster.days import MS_PER_DAY
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import members, one_time_links
from stationmaster.errors import Unauthorized
from stationmaster.ids import OrgId, UserId

PasswordPurpose = Literal["invitation", "password"]
Purpose = PasswordPurpose | Literal["sign_in"]

PREFIX = "sml_"
LIFE_MS: dict[Purpose, int] = {
    "invitation": 7 * MS_PER_DAY,
    "password": MS_PER_DAY,
    "sign_in": 15 * 60_000,
}
PASSWORD_PURPOSES: tuple[Purpose, ...] = get_args(PasswordPurpose)

_FORM = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")

# Finds its organization by the link; it is not given one.
_BY_HASH = text(
    """
SELECT l.org_id, o.name, l.user_id, m.email, l.purpose, l.expires_at, l.used_at,
       m.joined_at, m.removed_at
FROM one_time_links l
JOIN organizations o ON o.org_id = l.org_id
JOIN members m ON m.org_id = l.org_id AND m.user_id = l.user_id
WHERE l.link_hash = :link_hash
"""
)


class Link(NamedTuple):
    """A link as it is issued, and until when it works."""

    token: Secret
    purpose: Purpose
    expires_at: int

    def reveal(self) -> str:
        """The token as text, which must not end up in a log."""
        return self.token.reveal()


class Redeemed(NamedTuple):
    """The member a link was for."""

    org_id: OrgId
    user_id: UserId
    purpose: Purpose


class Peeked(NamedTuple):
    """What the page behind a link shows before it is used."""

    org_id: OrgId
    org_name: str
    user_id: UserId
    email: str
    purpose: Purpose


def create(
    connection: Connection,
    org: OrgId,
    user_id: UserId,
    purpose: Purpose,
    *,
    by: Caller | None = None,
) -> Link:
    """A new link for a member, `sml_` and 256 random bits; the one before, of that purpose, ends.

    Invitations last 7 days and work for those who have not joined; password links last 1 day,
    sign-in links 15 minutes, and both work for those who have. None lasts longer than the key that
    made it. Raises NotFound for an organization that does not exist.
    """
    # Without the lock two links made at the same time would collide instead of replacing each
    # other.
    change_rules.lock(connection, org)
    made = PREFIX + secrets.token_urlsafe(32)
    now = clock.now_ms()
    expires_at = now + LIFE_MS[purpose]
    key_expires_at = change_rules.expiry_of_maker(connection, org, by)
    if key_expires_at is not None:
        expires_at = min(expires_at, key_expires_at)
    maker = None if by is None or by.is_operator else by
    connection.execute(
        delete(one_time_links).filter_by(org_id=org, user_id=user_id, purpose=purpose)
    )
    connection.execute(
        insert(one_time_links).values(
            org_id=org,
            user_id=user_id,
            purpose=purpose,
            link_hash=hash_of(made),
            created_at=now,
            expires_at=expires_at,
            made_by=None if maker is None else maker.principal_id,
            made_with=None if maker is None else maker.key_id,
        )
    )
    return Link(Secret(made), purpose, expires_at)


def peek(db: Database, token: str) -> Peeked:
    """The member a link to a password is for, without using it. Raises Unauthorized like
    `redeem`."""
    with db.reading() as connection:
        return _usable(connection, token, PASSWORD_PURPOSES)


def redeem(
    connection: Connection, token: str, purposes: tuple[Purpose, ...] = PASSWORD_PURPOSES
) -> Redeemed:
    """Use a link, in the caller's transaction; of several at the same time, one succeeds.

    Raises Unauthorized (`invalid_link`) for a link that is unknown, used, replaced, expired or made
    for another purpose, and for one of a person who was removed, with the same answer.
    """
    # The same lock is taken first in every place where links end, so that neither waits for the
    # other.
    change_rules.lock(connection, _usable(connection, token, purposes).org_id)
    link = _usable(connection, token, purposes)
    used = connection.execute(
        update(one_time_links)
        .filter_by(org_id=link.org_id, link_hash=hash_of(token), used_at=None)
        .values(used_at=clock.now_ms())
    )
    if used.rowcount != 1:
        raise _invalid()
    return Redeemed(link.org_id, link.user_id, link.purpose)


def end_all(connection: Connection, org: OrgId, user_id: UserId) -> None:
    """End the links for a member: they were made for the role and the status of that time."""
    connection.execute(delete(one_time_links).filter_by(org_id=org, user_id=user_id))


def end_made_by(
    connection: Connection, org: OrgId, principal_id: str, role: Role | None = None
) -> None:
    """End the links that a member made and could not make with this role; None is no role left."""
    ended = delete(one_time_links).filter_by(org_id=org, made_by=principal_id)
    if role == "owner":
        return
    if role in change_rules.MANAGING:
        owners = select(members.c.user_id).filter_by(org_id=org, role="owner")
        ended = ended.where(one_time_links.c.user_id.in_(owners))
    connection.execute(ended)


def end_made_with(connection: Connection, org: OrgId, made_with: str) -> None:
    """End the links that a key or a session made, because another person may have used it."""
    connection.execute(delete(one_time_links).filter_by(org_id=org, made_with=made_with))


def _usable(connection: Connection, token: str, purposes: tuple[Purpose, ...]) -> Peeked:
    if _FORM.fullmatch(token) is None:
        raise _invalid()
    row = connection.execute(_BY_HASH, {"link_hash": hash_of(token)}).first()
    if row is None:
        raise _invalid()
    *fields, expires_at, used_at, joined_at, removed_at = row
    link = Peeked(*fields)
    has_ended = used_at is not None or removed_at is not None or expires_at <= clock.now_ms()
    is_for_now = (link.purpose == "invitation") == (joined_at is None)
    if has_ended or not is_for_now or link.purpose not in purposes:
        raise _invalid()
    return link


def _invalid() -> Unauthorized:
    return Unauthorized("The link is no longer valid; request a new one.", code="invalid_link")

"""One-time links: a person who opens one is the member it was made for, once and for a while.

Like a key, a link is found by the SHA-256 of its text, which alone is stored, and says itself in
which organization it is.
"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, insert, text, update

from stationmaster import clock
from stationmaster.access import rules
from stationmaster.access.model import Secret
from stationmaster.days import MS_PER_DAY
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import one_time_links
from stationmaster.errors import Unauthorized
from stationmaster.ids import OrgId, UserId

Purpose = Literal["invitation", "password"]

PREFIX = "sml_"
LIFE_MS: dict[Purpose, int] = {"invitation": 7 * MS_PER_DAY, "password": MS_PER_DAY}

_FORM = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")

# Finds its organization instead of being told: the link says it.
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


class Redeemed(NamedTuple):
    """Whom a link stood for."""

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


def create(connection: Connection, org: OrgId, user_id: UserId, purpose: Purpose) -> Secret:
    """A new link for a member, `sml_` and 256 random bits; the one before, of that purpose, ends.

    Invitations last 7 days and work for those who have not joined, password links 1 day and for
    those who have. Raises NotFound for an organization that does not exist.
    """
    # Without the lock two links made at once would collide instead of replacing each other.
    rules.lock(connection, org)
    made = PREFIX + secrets.token_urlsafe(32)
    now = clock.now_ms()
    connection.execute(
        delete(one_time_links).where(
            one_time_links.c.org_id == org,
            one_time_links.c.user_id == user_id,
            one_time_links.c.purpose == purpose,
        )
    )
    connection.execute(
        insert(one_time_links).values(
            org_id=org,
            user_id=user_id,
            purpose=purpose,
            link_hash=_hash(made),
            created_at=now,
            expires_at=now + LIFE_MS[purpose],
        )
    )
    return Secret(made)


def peek(db: Database, token: str) -> Peeked:
    """Whom a link stands for, without using it. Raises Unauthorized like `redeem`."""
    with db.reading() as connection:
        return _usable(connection, token)


def redeem(connection: Connection, token: str) -> Redeemed:
    """Use a link, in the caller's transaction; of several at once, one succeeds.

    Raises Unauthorized (`invalid_link`) for a link that is unknown, used, replaced or expired, and
    for one of somebody who was removed, without telling them apart.
    """
    found = _usable(connection, token)
    used = connection.execute(
        update(one_time_links)
        .where(
            one_time_links.c.org_id == found.org_id,
            one_time_links.c.link_hash == _hash(token),
            one_time_links.c.used_at.is_(None),
        )
        .values(used_at=clock.now_ms())
    )
    if used.rowcount != 1:
        raise _invalid()
    return Redeemed(found.org_id, found.user_id, found.purpose)


def end_all(connection: Connection, org: OrgId, user_id: UserId) -> None:
    """Whoever comes back after a removal needs a new link."""
    connection.execute(
        delete(one_time_links).where(
            one_time_links.c.org_id == org, one_time_links.c.user_id == user_id
        )
    )


def _usable(connection: Connection, token: str) -> Peeked:
    if _FORM.fullmatch(token) is None:
        raise _invalid()
    row = connection.execute(_BY_HASH, {"link_hash": _hash(token)}).first()
    if row is None:
        raise _invalid()
    *told, expires_at, used_at, joined_at, removed_at = row
    found = Peeked(*told)
    has_ended = used_at is not None or removed_at is not None or expires_at <= clock.now_ms()
    if has_ended or (found.purpose == "invitation") != (joined_at is None):
        raise _invalid()
    return found


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _invalid() -> Unauthorized:
    return Unauthorized("The link is not valid any more; ask for another.", code="invalid_link")

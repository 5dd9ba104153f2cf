"""The ways to sign in: with a password, with one-time links, at an issuer. Each starts a session.

All are callable without HTTP, and those that hash take a tenth of a second of a processor.
"""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from stationmaster import ids
from stationmaster.access import audit, change_rules, service
from stationmaster.access.model import Caller, Secret, Session, Source, email_of, name_of
from stationmaster.access.signing_in import links, passwords, sessions, store as signin_store
from stationmaster.access.signing_in.buckets import Throttle
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, Forbidden, NotFound, Unauthorized

WINDOW_S = 15 * 60
FAILURES_PER_EMAIL = 10
FAILURES_PER_ADDRESS = 50
ORGANIZATIONS_MAX = 10
"""In how many organizations a password is tried in one request; in others the person has to name
it."""

# Who signs in knows an address, and not yet an organization.
_BY_EMAIL = """
SELECT m.org_id, o.name, m.user_id, p.hash
FROM members m
JOIN organizations o ON o.org_id = m.org_id
JOIN passwords p ON p.org_id = m.org_id AND p.user_id = m.user_id
WHERE m.email = ? AND m.joined_at IS NOT NULL AND m.removed_at IS NULL
"""
_ORDER = f" ORDER BY o.created_at, o.org_id LIMIT {ORGANIZATIONS_MAX}"


class _Candidate(NamedTuple):
    org_id: ids.OrgId
    org_name: str
    user_id: ids.UserId
    hash: str


class SignIn:
    """Signing in with a password, throttled. One per process; safe to share between threads."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._by_email = Throttle("sign-in by e-mail", FAILURES_PER_EMAIL, WINDOW_S)
        self._by_address = Throttle("sign-in by network", FAILURES_PER_ADDRESS, WINDOW_S)
        self.buckets = (self._by_email.buckets, self._by_address.buckets)

    def with_password(
        self,
        email: str,
        password: str,
        *,
        org: str | None = None,
        address: str | None = None,
        source: Source = "platform_api",
    ) -> tuple[Session, Secret]:
        """A session of the member with this address and password.  `org` is the id or name of an
        organization, `address` that of the request. Raises Unauthorized (`wrong_credentials`)
        without the reason, after the same work; RateLimited after too many of these; Conflict
        (`several_organizations`), with `metadata.organizations`, when it is not clear which one is
        meant.
        """
        email = email_of(email)
        self._by_address.take(_network(address))
        self._by_email.take(email)
        candidates = self._candidates(email, None if org is None else name_of(org))
        right = [
            candidate for candidate in candidates if passwords.is_right(password, candidate.hash)
        ]
        if not candidates:
            passwords.is_right(password, None)
        if not right:
            raise _wrong()
        self._by_address.give_back(_network(address))
        self._by_email.give_back(email)
        if len(right) > 1:
            raise Conflict(
                "You are a member of several organizations with this password; name one of them.",
                code="several_organizations",
                metadata={
                    "organizations": [{"id": one.org_id, "name": one.org_name} for one in right]
                },
            )
        return self._start(right[0], password, source)

    def _start(self, one: _Candidate, password: str, source: Source) -> tuple[Session, Secret]:
        org, user, hashed = one.org_id, one.user_id, passwords.renewed(password, one.hash)
        with self._db.transaction() as connection:
            started = sessions.begin(connection, org, user, "password", source)
            # The password may have been changed since it was read.
            if not signin_store.exchange_password(connection, org, user, one.hash, hashed):
                raise _wrong()
        return started

    def _candidates(self, email: str, org: str | None) -> list[_Candidate]:
        if org is None:
            rows = self._db.rows(_BY_EMAIL + _ORDER, email)
        else:
            named = " AND (o.org_id = ? OR o.name = ?)"
            rows = self._db.rows(_BY_EMAIL + named + _ORDER, email, org, org)
        return [_Candidate(*row) for row in rows]


def with_link(
    db: Database, link: Secret, password: str, source: Source = "platform_api"
) -> tuple[Session, Secret]:
    """Use an invitation or a password link: the password is set, earlier sessions end, and a new
    one starts. Raises Unauthorized (`invalid_link`), and BadRequest for a password too weak.
    """
    token = link.reveal()
    hashed = passwords.hash_of(password, links.peek(db, token).email)
    with db.transaction() as connection:
        org, user, _ = links.redeem(connection, token)
        member = service.join(connection, org, user)
        by = Caller(
            org, "human", user, member.email, member.role, ids.KeyId("link"), "full", source
        )
        passwords.replace(connection, org, user, hashed, by=by)
        return sessions.begin(connection, org, user, "password", source)


def make_sign_in_link(db: Database, org: ids.OrgId, user: ids.UserId, *, by: Caller) -> links.Link:
    """A link that signs a member in, once and within 15 minutes. The earlier one ends.

    For the operator alone (Forbidden): it takes the place of a password. Conflict (`not_joined`)
    for a person who is invited.
    """
    if not by.is_operator:
        raise Forbidden("Only commands in the data folder make sign-in links.")
    with db.transaction() as connection:
        change_rules.lock(connection, org)
        if change_rules.member(connection, org, user).status == "invited":
            raise Conflict("This person has not joined yet; send an invitation.", code="not_joined")
        link = links.create(connection, org, user, "sign_in", by=by)
        audit.note(connection, by, "member_link_created", "member", user, purpose="sign_in")
    return link


def with_sign_in_link(db: Database, link: Secret) -> tuple[Session, Secret]:
    """Use a sign-in link: a session without a password; nothing else changes.

    Raises Unauthorized (`invalid_link`).
    """
    with db.transaction() as connection:
        org, user, _ = links.redeem(connection, link.reveal(), ("sign_in",))
        return sessions.begin(connection, org, user, "link", "web")


def with_issuer(db: Database, issuer: Issuer, email: str) -> tuple[Session, Secret]:
    """A session of the member whose address an issuer vouches for; who is invited joins by it.

    Raises Unauthorized (`no_member`) for anybody else.
    """
    org, user = issuer.org, ids.user_of_email(issuer.org, email)
    try:
        with db.transaction() as connection:
            service.join(connection, org, user)
            return sessions.begin(connection, org, user, "oidc", "web")
    except NotFound as fault:
        raise Unauthorized(
            "No member of this organization has this address; ask an owner for an invitation.",
            code="no_member",
        ) from fault


def _wrong() -> Unauthorized:
    return Unauthorized("Incorrect e-mail address or password.", code="wrong_credentials")


def _network(address: str | None) -> str:
    """What counts as one sender: an address, of IPv6 the 64 bits that one customer has."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return str(address)
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((parsed, 64), strict=False))

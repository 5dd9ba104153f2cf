"""The OpenID Connect issuers, of the operator and of organizations: whose tokens are, and who signs
in with them.

A token of an issuer belongs to the member of that issuer's organization who has its e-mail address,
and to no one in any other. A token makes no one a member.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from stationmaster.access.model import Caller, email_of
from stationmaster.access.signing_in import jwts
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import Provider, Published
from stationmaster.access.signing_in.stored_issuers import StoredIssuers
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, NotFound, Unauthorized, Unavailable
from stationmaster.ids import KeyId, OrgId

ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""All that prove by a public key; never `none`, never one with a shared secret."""
TYPES = ("", "jwt", "at+jwt", "application/at+jwt")

_MEMBER = """
SELECT user_id, role FROM members
WHERE org_id = ? AND email = ? AND joined_at IS NOT NULL AND removed_at IS NULL
"""

log = logging.getLogger(__name__)


class Issuers:
    """The issuers as one process queries them; safe to share between threads.

    `configured` are the operator's, `stored` those that organizations have added. Bearer tokens
    count of the operator's alone: a token names no organization, and two may name one issuer.
    """

    def __init__(self, configured: Sequence[Issuer], stored: StoredIssuers | None = None) -> None:
        self.providers = {issuer.name: Provider(issuer) for issuer in configured}
        self._stored = stored

    @property
    def stored(self) -> StoredIssuers:
        """The issuers that organizations have added; asserts that it was made with them."""
        assert self._stored is not None
        return self._stored

    def of(self, org: OrgId) -> list[Issuer]:
        """The operator's for an organization."""
        issuers = [provider.issuer for provider in self.providers.values()]
        return [issuer for issuer in issuers if issuer.org == org]

    def names(self) -> list[tuple[str, OrgId]]:
        """The issuers where people can sign in from a browser, with their organizations."""
        issuers = [provider.issuer for provider in self.providers.values()]
        own = [(issuer.name, issuer.org) for issuer in issuers if issuer.client_id is not None]
        return own + ([] if self._stored is None else self._stored.names())

    def named(self, name: str) -> Provider:
        """The issuer of that name where people can sign in. Raises NotFound."""
        provider = self.providers.get(name)
        if provider is None and self._stored is not None:
            return self._stored.named(name)
        if provider is None or provider.issuer.client_id is None:
            raise NotFound("There is no such provider.")
        return provider

    def check(self, org: OrgId, name: str) -> Published:
        """Query a provider of an organization now. Raises NotFound, Unavailable with the reason."""
        provider = self.providers.get(name) or self.stored.named(name)
        if provider.issuer.org != org:
            raise NotFound("There is no such provider.")
        return provider.check()

    def caller_of(self, db: Database, token: str) -> Caller:
        """Who a token speaks for, with the role of this moment. Raises Unauthorized.

        It may ask the issuer for its keys, which takes seconds at worst.
        """
        issuer = jwts.issuer_of(token)
        for provider in self.providers.values():
            if provider.issuer.issuer != issuer:
                continue
            try:
                claims = claims_of(provider, token, provider.issuer.audience)
            except Unavailable as fault:
                log.warning("a token was refused: %s", fault.detail)
                raise jwts.invalid() from fault
            except Unauthorized:
                # The same issuer may serve several organizations, each with its audience.
                continue
            return _caller(db, provider.issuer, claims)
        raise jwts.invalid()


def claims_of(provider: Provider, token: str, audience: str) -> dict[str, Any]:
    """The claims of a valid token of an issuer. Raises Unauthorized, and Unavailable while the
    issuer's keys are not known.
    """
    try:
        return _verified(provider, token, audience)
    except Unauthorized:
        # Perhaps the issuer signs with another key by now.
        if not provider.look_again():
            raise
    return _verified(provider, token, audience)


def email_in(claims: dict[str, Any], issuer: Issuer) -> str:
    """The e-mail address that the issuer vouches for. Raises Unauthorized."""
    claim = claims.get("email")
    is_verified = claims.get("email_verified") is True or issuer.trust_unverified_email
    if not isinstance(claim, str) or not is_verified:
        raise Unauthorized("The issuer does not confirm an e-mail address.", code="no_email")
    try:
        email = email_of(claim)
    except BadRequest as fault:
        raise Unauthorized(
            "The issuer does not confirm an e-mail address.", code="no_email"
        ) from fault
    if issuer.allowed_domains and email.rpartition("@")[2] not in issuer.allowed_domains:
        raise Unauthorized("Addresses of this domain are not allowed here.", code="no_member")
    return email


def _verified(provider: Provider, token: str, audience: str) -> dict[str, Any]:
    return jwts.verify(
        token,
        provider.keys(),
        algorithms=ALGORITHMS,
        types=TYPES,
        issuer=provider.issuer.issuer,
        audience=audience,
    )


def _caller(db: Database, issuer: Issuer, claims: dict[str, Any]) -> Caller:
    email = email_in(claims, issuer)
    rows = db.rows(_MEMBER, issuer.org, email)
    if not rows:
        raise jwts.invalid()
    user, role = rows[0]
    subject = f"{issuer.issuer} {claims.get('sub')}"
    key_id = KeyId("oidc_" + sha256(subject.encode(errors="replace")).hexdigest()[:16])
    return Caller(issuer.org, "human", user, email, role, key_id, "full")

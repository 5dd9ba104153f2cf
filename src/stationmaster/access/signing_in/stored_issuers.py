"""The identity providers that organizations have added: where they are, and the client's secret,
sealed.

They sign people in from a browser, each into its own organization. Every change is one transaction
with its record in the audit log.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from stationmaster import clock
from stationmaster.access import audit, store
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in import issuers
from stationmaster.access.signing_in.provider import AddressRefused, Provider, Reach
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.db.tables.signin import identity_providers
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

PROVIDERS_MAX = 20
DOMAINS_MAX = 50
TEXT_MAX = 500
"""Characters of an address and of a client's id."""
SECRET_MAX = 4096

_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_DOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_COLUMNS = (
    "SELECT name, org_id, issuer, client_id, sealed, allowed_domains, trust_unverified_email, "
    "created_at FROM identity_providers"
)


class StoredIssuer(msgspec.Struct, frozen=True):
    """A provider as it is stored; `sealed` is None for a public client, `created_at` UTC ms."""

    name: str
    org: OrgId
    issuer: str
    client_id: str
    sealed: bytes | None
    allowed_domains: tuple[str, ...]
    trust_unverified_email: bool
    created_at: int

    def opened(self, vault: Vault) -> issuers.Issuer:
        """The issuer with its client secret unsealed. Raises OperatorError as `Vault.unseal`."""
        sealed = self.sealed
        return issuers.Issuer(
            name=self.name,
            issuer=self.issuer,
            audience=self.client_id,
            org=self.org,
            client_id=self.client_id,
            client_secret=None if sealed is None else vault.unseal(sealed, _purpose(self)),
            allowed_domains=self.allowed_domains,
            trust_unverified_email=self.trust_unverified_email,
        )


class IssuerForm(NamedTuple):
    """What an owner enters. In a change, None stays as it is."""

    issuer: str | None = None
    client_id: str | None = None
    client_secret: Secret | None = None
    allowed_domains: Collection[str] | None = None
    trust_unverified_email: bool | None = None


class StoredIssuers:
    """Those of one installation; one per process, safe to share between threads.

    `reach` is the way to an address that an organization has named, `reserved` are the names that
    the operator has given.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        vault: Vault,
        reach: Reach,
        reserved: Collection[str],
    ) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault
        self._reach = reach
        self._reserved = frozenset(reserved)
        self._lock = threading.Lock()
        self._providers: dict[str, tuple[StoredIssuer, Provider]] = {}

    def names(self) -> list[tuple[str, OrgId]]:
        """All that people can sign in at, with their organizations."""
        rows = self._db.rows("SELECT name, org_id FROM identity_providers ORDER BY name")
        return [(name, org) for name, org in rows if name not in self._reserved]

    def list_all(self, org: OrgId) -> list[StoredIssuer]:
        """Those of an organization, by name."""
        rows = self._db.rows(f"{_COLUMNS} WHERE org_id = ? ORDER BY name", org)
        return [_stored(*row) for row in rows]

    def get(self, org: OrgId, name: str) -> StoredIssuer:
        """Raises NotFound."""
        rows = self._db.rows(f"{_COLUMNS} WHERE org_id = ? AND name = ?", org, _text(name))
        if not rows:
            raise _unknown()
        return _stored(*rows[0])

    def named(self, name: str) -> Provider:
        """The provider of that name, of any organization. Raises NotFound."""
        rows = self._db.rows(f"{_COLUMNS} WHERE name = ?", _text(name))
        if not rows:
            raise _unknown()
        stored = _stored(*rows[0])
        with self._lock:
            kept = self._providers.get(name)
            # What the issuer publishes is kept until its address is changed.
            if kept is None or kept[0] != stored:
                kept = (stored, Provider(stored.opened(self._vault), reach=self._reach))
                self._providers[name] = kept
        return kept[1]

    def add(self, caller: Caller, name: str, form: IssuerForm) -> StoredIssuer:
        """A new provider. Raises BadRequest (`invalid_provider`, `address_refused`), Conflict
        (`name_taken`, `too_many_providers`).
        """
        stored = self._checked(
            StoredIssuer(name, caller.org_id, "", "", None, (), False, clock.now_ms()), form
        )
        if name in self._reserved:
            raise _taken()
        org = caller.org_id
        try:
            with self._db.transaction() as connection:
                store.lock_organization(connection, org)
                columns = identity_providers.c
                there = connection.execute(select(columns.name).where(columns.org_id == org)).all()
                if len(there) >= PROVIDERS_MAX:
                    raise Conflict(
                        f"An organization has at most {PROVIDERS_MAX} providers.",
                        code="too_many_providers",
                    )
                connection.execute(insert(identity_providers).values(org_id=org, **_values(stored)))
                audit.note(connection, caller, "identity_provider_added", "identity_provider", name)
        except IntegrityError as fault:
            raise _taken() from fault
        return stored

    def change(self, caller: Caller, name: str, form: IssuerForm) -> StoredIssuer:
        """Change a provider. Its secret is never sent to another issuer, or for another client,
        than it was entered for. Raises NotFound, BadRequest (also `secret_needed`).
        """
        before = self.get(caller.org_id, name)
        stored = self._checked(before, form)
        is_elsewhere = (stored.issuer, stored.client_id) != (before.issuer, before.client_id)
        if is_elsewhere and before.sealed is not None and form.client_secret is None:
            raise BadRequest(
                "Enter the client secret, too: the stored one is only for the issuer and client "
                "that it was entered for.",
                code="secret_needed",
            )
        with self._db.transaction() as connection:
            changed = update(identity_providers).where(*_mine(caller.org_id, name))
            if connection.execute(changed.values(**_values(stored))).rowcount == 0:
                raise _unknown()
            audit.note(connection, caller, "identity_provider_changed", "identity_provider", name)
        return stored

    def remove(self, caller: Caller, name: str) -> None:
        """Delete a provider and its secret. Sessions that it has begun continue. Raises
        NotFound."""
        with self._db.transaction() as connection:
            removed = delete(identity_providers).where(*_mine(caller.org_id, name))
            if connection.execute(removed).rowcount == 0:
                raise _unknown()
            audit.note(connection, caller, "identity_provider_removed", "identity_provider", name)

    def _checked(self, stored: StoredIssuer, form: IssuerForm) -> StoredIssuer:
        """A provider with what is wanted of it, which can work. Raises BadRequest."""
        if form.issuer is not None:
            stored = msgspec.structs.replace(stored, issuer=form.issuer.strip())
        if form.client_id is not None:
            stored = msgspec.structs.replace(stored, client_id=form.client_id.strip())
        if form.allowed_domains is not None:
            domains = issuers.domains_of(form.allowed_domains)
            stored = msgspec.structs.replace(stored, allowed_domains=domains)
        if form.trust_unverified_email is not None:
            stored = msgspec.structs.replace(
                stored, trust_unverified_email=form.trust_unverified_email
            )
        if form.client_secret is not None:
            sealed = self._vault.seal(_secret(form.client_secret), _purpose(stored))
            stored = msgspec.structs.replace(stored, sealed=sealed)
        fault = issuers.fault_of(stored.opened(self._vault), self._settings) or _fault(stored)
        if fault is not None:
            raise _invalid(fault.replace("`", "").replace("audience", "client id"))
        try:
            self._reach(stored.issuer)
        except AddressRefused as refused:
            raise BadRequest(str(refused), code="address_refused") from None
        except ValueError:
            # A name that does not resolve now may do so later: a test reports it.
            pass
        return stored


def _fault(stored: StoredIssuer) -> str | None:
    """What is wrong beyond what would be wrong in the operator's setting."""
    for what, text in (("issuer", stored.issuer), ("client id", stored.client_id)):
        if len(text) > TEXT_MAX or _PRINTABLE.fullmatch(text) is None:
            return f"the {what} has at most {TEXT_MAX:,} printable characters without spaces"
    if len(stored.allowed_domains) > DOMAINS_MAX:
        return f"there are at most {DOMAINS_MAX} domains"
    for domain in stored.allowed_domains:
        if _DOMAIN.fullmatch(domain) is None:
            return f"{domain[:60]!r} is not a domain such as example.com"
    return None


def _secret(secret: Secret) -> Secret:
    text = secret.reveal()
    if len(text) > SECRET_MAX or _PRINTABLE.fullmatch(text) is None:
        raise _invalid(f"a secret has at most {SECRET_MAX:,} printable characters without spaces")
    return secret


def _values(stored: StoredIssuer) -> dict[str, Any]:
    values = msgspec.structs.asdict(stored)
    del values["org"]
    return {**values, "allowed_domains": " ".join(stored.allowed_domains)}


def _stored(
    name: str,
    org: OrgId,
    issuer: str,
    client_id: str,
    sealed: bytes | None,
    domains: str,
    trusts: int,
    created_at: int,
) -> StoredIssuer:
    opaque = None if sealed is None else bytes(sealed)
    allowed = tuple(domains.split())
    return StoredIssuer(name, org, issuer, client_id, opaque, allowed, bool(trusts), created_at)


def _mine(org: OrgId, name: str) -> tuple[Any, ...]:
    return identity_providers.c.org_id == org, identity_providers.c.name == _text(name)


def _text(name: str) -> str:
    """The name, which a database can hold. Raises NotFound."""
    if "\x00" in name:
        raise _unknown()
    return name


def _purpose(stored: StoredIssuer) -> str:
    return f"identity provider {stored.org} {stored.name}"


def _invalid(why: str) -> BadRequest:
    return BadRequest(f"{why[:1].upper()}{why[1:]}.", code="invalid_provider")


def _taken() -> Conflict:
    return Conflict("Another provider has this name; choose another one.", code="name_taken")


def _unknown() -> NotFound:
    return NotFound("There is no such provider.")

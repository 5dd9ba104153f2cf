"""The providers of an organization: where they are and the key that opens each, sealed.

Every change is one transaction with its record in the audit log.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec
from sqlalchemy import delete, insert, select

from stationmaster import clock
from stationmaster.access import audit, store as access
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.db.tables.gateway import gateway_providers
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.gateway.addresses import address_of
from stationmaster.ids import OrgId

Kind = Literal["anthropic", "openai", "gemini"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PROVIDERS_MAX = 100
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_KEY = re.compile(r"[\x21-\x7e]{1,4096}")
_FIND = """
SELECT name, kind, url, sealed, is_private, failover, created_at FROM gateway_providers
WHERE org_id = ?
"""


class Provider(msgspec.Struct, frozen=True):
    """Where calls under `/gateway/<name>/` go. `url` has no slash at its end and no version.

    `failover` names the providers that are tried, in this order, when this one cannot be reached
    or is overloaded.
    """

    name: str
    kind: Kind
    url: str
    sealed: bytes
    is_private: bool
    failover: tuple[str, ...]
    created_at: int

    def key(self, vault: Vault, org: OrgId) -> Secret:
        """The key that opens it, unsealed. Raises OperatorError as `Vault.unseal`."""
        return vault.unseal(self.sealed, _purpose(org, self.name))


def add(
    db: Database,
    vault: Vault,
    caller: Caller,
    name: str,
    kind: str,
    url: str,
    key: str,
    *,
    is_private: bool = False,
    failover: tuple[str, ...] = (),
) -> Provider:
    """Register a provider, or replace the one of that name.

    Raises BadRequest for values that cannot be a provider's, Conflict (`too_many_providers`).
    """
    org = caller.org_id
    checked = _kind(kind)
    _check(name, key)
    address = address_of(url, is_private=is_private)
    sealed = vault.seal(Secret(key), _purpose(org, name))
    provider = Provider(name, checked, address, sealed, is_private, failover, clock.now_ms())
    mine = (gateway_providers.c.org_id == org, gateway_providers.c.name == name)
    with db.transaction() as connection:
        access.lock_organization(connection, org)
        columns = (gateway_providers.c.name, gateway_providers.c.kind)
        there = connection.execute(select(*columns).where(gateway_providers.c.org_id == org))
        _check_others(provider, {row.name: row.kind for row in there})
        connection.execute(delete(gateway_providers).where(*mine))
        values = {**msgspec.structs.asdict(provider), "failover": ",".join(failover)}
        connection.execute(insert(gateway_providers).values(org_id=org, **values))
        audit.note(connection, caller, "gateway_provider_set", "gateway_provider", name, kind=kind)
    return provider


def remove(db: Database, caller: Caller, name: str) -> None:
    """Delete a provider and its key. Raises NotFound."""
    org = caller.org_id
    mine = (gateway_providers.c.org_id == org, gateway_providers.c.name == name)
    with db.transaction() as connection:
        if connection.execute(delete(gateway_providers).where(*mine)).rowcount == 0:
            raise _unknown(name)
        audit.note(connection, caller, "gateway_provider_removed", "gateway_provider", name)


def list_all(db: Database, org: OrgId) -> list[Provider]:
    """All providers of an organization, by name."""
    return [_provider(*row) for row in db.rows(f"{_FIND} ORDER BY name", org)]


def get(db: Database, org: OrgId, name: str) -> Provider:
    """Raises NotFound."""
    rows = db.rows(f"{_FIND} AND name = ?", org, name)
    if not rows:
        raise _unknown(name)
    return _provider(*rows[0])


def _check(name: str, key: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadRequest(
            "A provider's name is up to 40 lower-case letters, digits and dashes.",
            code="invalid_provider",
        )
    if not _KEY.fullmatch(key):
        raise BadRequest(
            "The key file must contain one key: printable characters without spaces.",
            code="invalid_provider",
        )


def _check_others(provider: Provider, kinds: dict[str, str]) -> None:
    """Compare a provider with those that are there, by name. Raises BadRequest, Conflict."""
    for name in provider.failover:
        if name == provider.name or kinds.get(name) != provider.kind:
            raise BadRequest(
                f"--failover {name}: name another provider of the kind {provider.kind}.",
                code="invalid_provider",
            )
    if len(kinds) >= PROVIDERS_MAX and provider.name not in kinds:
        raise Conflict(
            f"An organization has at most {PROVIDERS_MAX} providers.", code="too_many_providers"
        )


def _kind(text: str) -> Kind:
    for kind in KINDS:
        if kind == text:
            return kind
    raise BadRequest(f"A provider's kind is one of {', '.join(KINDS)}.", code="invalid_provider")


def _provider(
    name: str, kind: Kind, url: str, sealed: bytes, is_private: int, failover: str, created_at: int
) -> Provider:
    names = tuple(filter(None, failover.split(",")))
    return Provider(name, kind, url, bytes(sealed), bool(is_private), names, created_at)


def _purpose(org: OrgId, name: str) -> str:
    return f"gateway provider {org} {name}"


def _unknown(name: str) -> NotFound:
    return NotFound(
        f"There is no provider {name}; `stationmaster gateway providers list` shows their names."
    )

"""The OpenID Connect issuers that an operator trusts, each for the people of one organization."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from stationmaster.access import operator
from stationmaster.access.model import Secret
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

SETTING = "STATIONMASTER_OIDC_ISSUERS"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")

T = TypeVar("T")


class Issuer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whose tokens count, for whom.

    `issuer` and `audience` are compared exactly with a token's `iss` and `aud`. `org` is the
    organization's id or name in the setting, its id once read. With `client_id` people can sign in
    there from a browser; without `client_secret` as a public client. `allowed_domains` are those of
    the e-mail addresses that count, all when empty. `trust_unverified_email` takes an address even
    if the issuer does not state that it has verified it.
    """

    name: str
    issuer: str
    audience: str
    org: OrgId
    client_id: str | None = None
    client_secret: Secret | None = None
    allowed_domains: tuple[str, ...] = ()
    trust_unverified_email: bool = False


def read(settings: Settings, db: Database) -> tuple[Issuer, ...]:
    """The configured issuers. Raises OperatorError that names the first fault."""
    if settings.oidc_issuers is None:
        return ()
    try:
        configured = msgspec.json.decode(
            settings.oidc_issuers, type=tuple[Issuer, ...], dec_hook=_secret
        )
    except ValueError as fault:
        raise _refused(str(fault)) from fault
    issuers = tuple(checked(issuer, settings, db) for issuer in configured)
    _once("name", [issuer.name for issuer in issuers])
    _once("pair of issuer and audience", [(issuer.issuer, issuer.audience) for issuer in issuers])
    return issuers


def is_safe_address(address: str) -> bool:
    """Whether requests there cannot be read on their way: https, or this very machine."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username is not None:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked(issuer: Issuer, settings: Settings, db: Database) -> Issuer:
    """An issuer with the id of its organization. Raises OperatorError with the first fault."""
    where = f"issuer {issuer.name!r}"
    if (fault := fault_of(issuer, settings)) is not None:
        raise _refused(f"{where}: {fault}")
    domains = domains_of(issuer.allowed_domains)
    return msgspec.structs.replace(issuer, org=_org_id(db, issuer, where), allowed_domains=domains)


def fault_of(issuer: Issuer, settings: Settings) -> str | None:
    """The first reason for which an issuer cannot work, if there is one."""
    if _NAME.fullmatch(issuer.name) is None:
        return "a name has 1 to 40 of a-z, 0-9 and -"
    if not is_safe_address(issuer.issuer) or urlsplit(issuer.issuer).query:
        return "`issuer` is an https:// address, or http:// on this machine"
    if issuer.issuer.rstrip("/") == settings.app_address:
        return "`issuer` is this installation itself"
    if not issuer.audience:
        return "`audience` is empty"
    if issuer.client_secret is not None and issuer.client_id is None:
        return "`client_secret` needs a `client_id`"
    if not all(domains_of(issuer.allowed_domains)):
        return "a domain is empty"
    return None


def domains_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Domains of e-mail addresses as they are compared."""
    return tuple(domain.strip().lower().removeprefix("@") for domain in texts)


def _org_id(db: Database, issuer: Issuer, where: str) -> OrgId:
    org_ids = [org.org_id for org in operator.tenants(db) if issuer.org in (org.org_id, org.name)]
    if len(org_ids) != 1:
        count = "no organization" if not org_ids else "several organizations"
        raise _refused(f"{where}: there are {count} {issuer.org!r}".replace("are no", "is no"))
    return org_ids[0]


def _once(what: str, values: list[T]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise _refused(f"duplicate {what} {value!r}")


def _secret(kind: type, value: object) -> Any:
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    # What msgspec requires of a hook for a type that is not its own.
    raise NotImplementedError(kind)


def _refused(why: str) -> OperatorError:
    return OperatorError(f"{SETTING}: {why}", code="bad_settings")

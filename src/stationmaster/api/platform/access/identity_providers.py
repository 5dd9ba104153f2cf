"""Identity providers of an organization: the operator's, and those that its owners add."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import Field, StrictBool
from starlette.requests import Request

from stationmaster.access.model import Secret
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.stored_issuers import (
    DOMAINS_MAX,
    SECRET_MAX,
    TEXT_MAX,
    IssuerForm,
    StoredIssuer,
)
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.platform.access import oidc
from stationmaster.api.routing import Opened, address_of, router

routes = router("/api/platform/v1/identity-providers", "Signing in")

Text = Annotated[str, Field(min_length=1, max_length=TEXT_MAX), wire.NAMED]
ClientSecret = Annotated[str, Field(min_length=1, max_length=SECRET_MAX), wire.NAMED]
Domain = Annotated[str, Field(min_length=1, max_length=253), wire.NAMED]
Domains = Annotated[list[Domain], Field(max_length=DOMAINS_MAX)]
ProviderName = Annotated[str, Field(min_length=1, max_length=40), wire.NAMED]


class OrganizationProvider(wire.Answer):
    """`setBy` is who can change it. Register `redirectUri` at the provider. Empty
    `allowedDomains` means all. `clientId` is null if it is only used for bearer tokens;
    `createdAt`, in Unix milliseconds, is null for a provider of the operator."""

    name: str
    issuer: str
    client_id: str | None
    has_client_secret: bool
    allowed_domains: list[str]
    trust_unverified_email: bool
    set_by: Literal["operator", "organization"]
    redirect_uri: str
    created_at: int | None


class OrganizationProviders(wire.Answer):
    """The operator's first, then by name."""

    identity_providers: list[OrganizationProvider]


class NewProvider(wire.Question):
    """Without a secret it is a public client. Use `trustUnverifiedEmail` only where people
    cannot choose
    their own address."""

    name: ProviderName
    issuer: Text
    client_id: Text
    client_secret: ClientSecret | None = None
    allowed_domains: Annotated[tuple[Domain, ...], Field(max_length=DOMAINS_MAX)] = ()
    trust_unverified_email: StrictBool = False


class ProviderChange(wire.Question):
    """Members that are left out or null stay unchanged. A new issuer or client needs its secret."""

    issuer: Text | None = None
    client_id: Text | None = None
    client_secret: ClientSecret | None = None
    allowed_domains: Domains | None = None
    trust_unverified_email: StrictBool | None = None


class ProviderTest(wire.Answer):
    """What the provider publishes; `keys` is the number of its keys that can verify tokens."""

    issuer: str
    keys: int
    authorization_endpoint: str | None
    token_endpoint: str | None


@routes.get("")
@blocking.reads
def list_organization_identity_providers(
    services: Opened, request: Request, caller: callers.Manager
) -> OrganizationProviders:
    """List the identity providers of the organization."""
    stored = services.issuers.stored.list_all(caller.org_id)
    own = [_shown(request, issuer) for issuer in services.issuers.of(caller.org_id)]
    return OrganizationProviders(
        identity_providers=own + [_shown(request, provider) for provider in stored]
    )


@routes.post("", status_code=201, responses=problems(409))
def add_identity_provider(
    services: Opened, request: Request, body: NewProvider, caller: callers.Owner
) -> OrganizationProvider:
    """Add an identity provider. Its address must be public, unless the operator permits the host.
    A name is unique in the whole installation."""
    return _shown(request, services.issuers.stored.add(caller, body.name, _wanted(body)))


@routes.patch("/{name}")
def change_identity_provider(
    services: Opened,
    request: Request,
    name: wire.Identifier,
    body: ProviderChange,
    caller: callers.Owner,
) -> OrganizationProvider:
    """Change an identity provider that the organization has added."""
    return _shown(request, services.issuers.stored.change(caller, name, _wanted(body)))


@routes.delete("/{name}", status_code=204)
def remove_identity_provider(
    services: Opened, name: wire.Identifier, caller: callers.Owner
) -> None:
    """Remove an identity provider with its secret. Its sessions continue."""
    services.issuers.stored.remove(caller, name)


@routes.post("/{name}/test", responses=problems(503))
async def test_identity_provider(
    services: Opened, name: wire.Identifier, caller: callers.Manager
) -> ProviderTest:
    """Request the discovery document and keys of a provider now."""
    published = await blocking.few(services.asking, services.issuers.check, caller.org_id, name)
    return ProviderTest.of(published.metadata, keys=published.keys)


def _wanted(body: NewProvider | ProviderChange) -> IssuerForm:
    secret = body.client_secret
    return IssuerForm(
        body.issuer,
        body.client_id,
        None if secret is None else Secret(secret),
        body.allowed_domains,
        body.trust_unverified_email,
    )


def _shown(request: Request, provider: Issuer | StoredIssuer) -> OrganizationProvider:
    is_stored = isinstance(provider, StoredIssuer)
    secret = provider.sealed if isinstance(provider, StoredIssuer) else provider.client_secret
    address = address_of(request)
    return OrganizationProvider.of(
        provider,
        has_client_secret=secret is not None,
        set_by="organization" if is_stored else "operator",
        redirect_uri=f"{address}{oidc.routes.prefix}/{quote(provider.name)}/callback",
        created_at=provider.created_at if isinstance(provider, StoredIssuer) else None,
    )

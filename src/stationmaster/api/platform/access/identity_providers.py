"""Identity providers of an organization: the operator's, and those that its owners add."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import Field, StrictBool
from starlette.requests import Request

from stationmaster.access.addresses import public_address
from stationmaster.access.model import Secret
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.stored_issuers import (
    DOMAINS_MAX,
    SECRET_MAX,
    TEXT_MAX,
    Stored,
    Wanted,
)
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.platform.access import oidc
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/identity-providers", "Signing in")

Text = Annotated[str, Field(min_length=1, max_length=TEXT_MAX), wire.NAMED]
ClientSecret = Annotated[str, Field(min_length=1, max_length=SECRET_MAX), wire.NAMED]
Domain = Annotated[str, Field(min_length=1, max_length=253), wire.NAMED]
Domains = Annotated[list[Domain], Field(max_length=DOMAINS_MAX)]
ProviderName = Annotated[str, Field(min_length=1, max_length=40), wire.NAMED]


class OrganizationProvider(wire.Answer):
    """`setBy` says who can change it. Register `redirectUri` at the provider. No `allowedDomains`
    are all. `clientId` is null where only bearer tokens count; `createdAt`, in Unix milliseconds,
    is null where the operator has set it."""

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
    """Without a secret as a public client. `trustUnverifiedEmail` only where people cannot choose
    their own address."""

    name: ProviderName
    issuer: Text
    client_id: Text
    client_secret: ClientSecret | None = None
    allowed_domains: Annotated[tuple[Domain, ...], Field(max_length=DOMAINS_MAX)] = ()
    trust_unverified_email: StrictBool = False


class ProviderChange(wire.Question):
    """What is left out, or null, stays. Another issuer or client needs its secret with it."""

    issuer: Text | None = None
    client_id: Text | None = None
    client_secret: ClientSecret | None = None
    allowed_domains: Domains | None = None
    trust_unverified_email: StrictBool | None = None


class ProviderTest(wire.Answer):
    """What the provider publishes; `keys` is how many of its keys can verify tokens."""

    issuer: str
    keys: int
    authorization_endpoint: str | None
    token_endpoint: str | None


@routes.get("")
async def list_organization_identity_providers(
    request: Request, caller: callers.Manager
) -> OrganizationProviders:
    """List the identity providers of the organization."""
    services = services_of(request)
    stored = await blocking.read(services.db, services.issuers.stored.list_all, caller.org_id)
    own = [_configured(request, issuer) for issuer in services.issuers.of(caller.org_id)]
    return OrganizationProviders(
        identity_providers=own + [_shown(request, each) for each in stored]
    )


@routes.post("", status_code=201, responses=problems("Problem", 409))
async def add_identity_provider(
    request: Request, body: NewProvider, caller: callers.Owner
) -> OrganizationProvider:
    """Add an identity provider. Its address must be public, unless the operator permits the host.
    A name is one provider's of the whole installation."""
    add = services_of(request).issuers.stored.add
    return _shown(request, await blocking.work(add, caller, body.name, _wanted(body)))


@routes.patch("/{name}")
async def change_identity_provider(
    request: Request, name: wire.Identifier, body: ProviderChange, caller: callers.Owner
) -> OrganizationProvider:
    """Change an identity provider that the organization has added."""
    change = services_of(request).issuers.stored.change
    return _shown(request, await blocking.work(change, caller, name, _wanted(body)))


@routes.delete("/{name}", status_code=204)
async def remove_identity_provider(
    request: Request, name: wire.Identifier, caller: callers.Owner
) -> None:
    """Remove an identity provider with its secret. Sessions that began with it go on."""
    await blocking.work(services_of(request).issuers.stored.remove, caller, name)


@routes.post("/{name}/test", responses=problems("Problem", 503))
async def test_identity_provider(
    request: Request, name: wire.Identifier, caller: callers.Manager
) -> ProviderTest:
    """Ask a provider of the organization now for its discovery document and keys."""
    services = services_of(request)
    published = await blocking.few(services.asking, services.issuers.check, caller.org_id, name)
    return ProviderTest(
        issuer=published.metadata.issuer,
        keys=published.keys,
        authorization_endpoint=published.metadata.authorization_endpoint,
        token_endpoint=published.metadata.token_endpoint,
    )


def _wanted(body: NewProvider | ProviderChange) -> Wanted:
    secret = body.client_secret
    return Wanted(
        body.issuer,
        body.client_id,
        None if secret is None else Secret(secret),
        body.allowed_domains,
        body.trust_unverified_email,
    )


def _configured(request: Request, issuer: Issuer) -> OrganizationProvider:
    return OrganizationProvider(
        name=issuer.name,
        issuer=issuer.issuer,
        client_id=issuer.client_id,
        has_client_secret=issuer.client_secret is not None,
        allowed_domains=list(issuer.allowed_domains),
        trust_unverified_email=issuer.trust_unverified_email,
        set_by="operator",
        redirect_uri=_redirect(request, issuer.name),
        created_at=None,
    )


def _shown(request: Request, stored: Stored) -> OrganizationProvider:
    return OrganizationProvider(
        name=stored.name,
        issuer=stored.issuer,
        client_id=stored.client_id,
        has_client_secret=stored.sealed is not None,
        allowed_domains=list(stored.allowed_domains),
        trust_unverified_email=stored.trust_unverified_email,
        set_by="organization",
        redirect_uri=_redirect(request, stored.name),
        created_at=stored.created_at,
    )


def _redirect(request: Request, name: str) -> str:
    address = public_address(request.scope, services_of(request).settings)
    return f"{address}{oidc.routes.prefix}/{quote(name)}/callback"

"""Signing in, tokens and their refresh."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import service
from stationmaster.access.model import Role, Secret, Session
from stationmaster.access.signing_in import sessions
from stationmaster.access.signing_in import ways as signin
from stationmaster.access.signing_in.tokens import LIFETIME_S
from stationmaster.api import blocking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import open_router
from stationmaster.api.services import Services, services_of
from stationmaster.api.wire import Answer, Email, Question

routes = open_router("/api/platform/v1/auth", "Signing in")

Text = Annotated[str, Field(min_length=1, max_length=1024)]


class Credentials(Question):
    """`org` is the id or name of an organization, needed by who is in several."""

    email: Email
    password: Text
    org: Text | None = None


class RefreshToken(Question):
    refresh_token: Text


class LinkUse(Question):
    """`token` is that of an invitation or of a password link."""

    token: Text
    password: Text


class TokenOrganization(Answer):
    id: str
    name: str


class TokenUser(Answer):
    id: str
    email: str
    role: Role


class Tokens(Answer):
    """`expiresIn` is seconds. The refresh token is good for one use within thirty days."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - the word of RFC 6750
    expires_in: int = LIFETIME_S
    refresh_token: str
    organization: TokenOrganization
    user: TokenUser


class IdentityProvider(Answer):
    """`startUrl` is where a browser begins to sign in there."""

    name: str
    start_url: str


class IdentityProviders(Answer):
    providers: list[IdentityProvider]


@routes.post("/token", responses=problems("Problem", 401, 409, 429))
async def sign_in(request: Request, response: Response, given: Credentials) -> Tokens:
    """Sign in with e-mail address and password.

    A person whose password fits in several organizations gets 409 with `several_organizations` and
    their names, and repeats the request with `org`.
    """
    services = services_of(request)
    enter = partial(
        services.sign_in.with_password,
        given.email,
        given.password,
        org=given.org,
        address=None if request.client is None else request.client.host,
    )
    started = await blocking.few(services.hashing, enter)
    return await _granted(services, response, started)


@routes.post("/refresh", responses=problems("Problem", 401, 409))
async def refresh_tokens(request: Request, response: Response, given: RefreshToken) -> Tokens:
    """Exchange a refresh token for the next one and an access token.

    Using one twice ends the session, for somebody has a copy. Within ten seconds it is a 409
    (`just_renewed`) instead: two requests of one client met.
    """
    services = services_of(request)
    started = await blocking.work(sessions.rotate, services.db, Secret(given.refresh_token))
    return await _granted(services, response, started)


@routes.post("/sign-out", status_code=204)
async def sign_out(request: Request, given: RefreshToken) -> None:
    """End the session of a refresh token, and with it its access tokens."""
    await blocking.work(sessions.end, services_of(request).db, Secret(given.refresh_token))


@routes.post("/join", responses=problems("Problem", 401))
async def join_by_link(request: Request, response: Response, given: LinkUse) -> Tokens:
    """Use an invitation or a password link: choose a password and be signed in."""
    services = services_of(request)
    enter = partial(signin.with_link, services.db, Secret(given.token), given.password)
    started = await blocking.few(services.hashing, enter)
    return await _granted(services, response, started)


@routes.get("/providers")
async def list_identity_providers(request: Request) -> IdentityProviders:
    """The identity providers where people can sign in."""
    services = services_of(request)
    return IdentityProviders(
        providers=[
            IdentityProvider(name=name, start_url=f"{routes.prefix}/oidc/{name}/start")
            for name, _ in await blocking.read(services.db, services.issuers.names)
        ]
    )


async def _granted(
    services: Services, response: Response, started: tuple[Session, Secret]
) -> Tokens:
    # RFC 6749, 5.1: nobody on the way may keep it.
    response.headers["Cache-Control"] = "no-store"
    return await blocking.work(_tokens, services, *started)


def _tokens(services: Services, session: Session, secret: Secret) -> Tokens:
    org = session.org_id
    caller = sessions.caller_of_id(services.db, org, session.session_id, session.user_id)
    name = service.organization_name(services.db, org)
    return Tokens(
        access_token=services.tokens.issue(caller),
        refresh_token=secret.reveal(),
        organization=TokenOrganization(id=org, name=name),
        user=TokenUser(id=session.user_id, email=caller.email or "", role=caller.role),
    )

"""Signing in, tokens and their refresh."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import service
from stationmaster.access.model import Role, Secret, Session
from stationmaster.access.signing_in import sessions, ways as signin
from stationmaster.access.signing_in.tokens import LIFETIME_S
from stationmaster.api import blocking
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, open_router
from stationmaster.api.wire import Answer, Email, Question

routes = open_router("/api/platform/v1/auth", "Signing in")

Text = Annotated[str, Field(min_length=1, max_length=1024)]


class Credentials(Question):
    """`org` is the id or name of an organization, needed by members of several."""

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
    """`expiresIn` is seconds. The refresh token is valid for one use within thirty days."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - the word of RFC 6750
    expires_in: int = LIFETIME_S
    refresh_token: str
    organization: TokenOrganization
    user: TokenUser


class IdentityProvider(Answer):
    """`startUrl` is the address at which a browser begins to sign in."""

    name: str
    start_url: str


class IdentityProviders(Answer):
    providers: list[IdentityProvider]


@routes.post("/token", responses=problems(401, 409, 429))
async def sign_in(
    services: Opened, request: Request, response: Response, credentials: Credentials
) -> Tokens:
    """Sign in with e-mail address and password.

    If the password is valid in several organizations, the answer is 409 with
    `several_organizations` and their names; repeat the request with `org`.
    """
    enter = partial(
        services.sign_in.with_password,
        credentials.email,
        credentials.password,
        org=credentials.org,
        address=None if request.client is None else request.client.host,
    )
    started = await blocking.few(services.hashing, enter)
    return await _granted(services, response, started)


@routes.post("/refresh", responses=problems(401, 409))
async def refresh_tokens(services: Opened, response: Response, refresh: RefreshToken) -> Tokens:
    """Exchange a refresh token for the next one and an access token.

    Using one twice ends the session, because it indicates a copy. Within ten seconds it is a
    409 (`just_renewed`) instead, because two requests of one client may overlap.
    """
    started = await blocking.work(sessions.rotate, services.db, Secret(refresh.refresh_token))
    return await _granted(services, response, started)


@routes.post("/sign-out", status_code=204)
def sign_out(db: Db, refresh: RefreshToken) -> None:
    """End the session of a refresh token, and with it its access tokens."""
    sessions.end(db, Secret(refresh.refresh_token))


@routes.post("/join", responses=problems(401))
async def join_by_link(services: Opened, response: Response, link: LinkUse) -> Tokens:
    """Use an invitation or a password link: choose a password and be signed in."""
    enter = partial(signin.with_link, services.db, Secret(link.token), link.password)
    started = await blocking.few(services.hashing, enter)
    return await _granted(services, response, started)


@routes.get("/providers")
@blocking.reads
def list_identity_providers(services: Opened) -> IdentityProviders:
    """The identity providers where people can sign in."""
    return IdentityProviders(
        providers=[
            IdentityProvider(name=name, start_url=f"{routes.prefix}/oidc/{name}/start")
            for name, _ in services.issuers.names()
        ]
    )


async def _granted(services: Opened, response: Response, started: tuple[Session, Secret]) -> Tokens:
    # RFC 6749, 5.1: no cache on the way may keep it.
    response.headers["Cache-Control"] = "no-store"
    return await blocking.work(_tokens, services, *started)


def _tokens(services: Opened, session: Session, secret: Secret) -> Tokens:
    org = session.org_id
    caller = sessions.caller_of_id(services.db, org, session.session_id, session.user_id)
    name = service.organization_name(services.db, org)
    return Tokens(
        access_token=services.tokens.issue(caller),
        refresh_token=secret.reveal(),
        organization=TokenOrganization(id=org, name=name),
        user=TokenUser(id=session.user_id, email=caller.email or "", role=caller.role),
    )

"""Signing in at a configured identity provider from a browser, and the keys of our own tokens."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.access.signing_in import cookies, oidc_flow, ways as signin
from stationmaster.access.signing_in.provider import Provider
from stationmaster.api import blocking
from stationmaster.api.openapi import problems
from stationmaster.api.platform.access import auth
from stationmaster.api.routing import Opened, address_of, open_router
from stationmaster.errors import BadRequest, Unauthorized, Unavailable

routes = open_router(f"{auth.routes.prefix}/oidc", "Signing in")
well_known: APIRouter = open_router("/.well-known", "Signing in")

PENDING = "stationmaster_oidc"
"""The cookie between the two steps."""
SIGN_IN_PAGE = "/sign-in"
_KEYS_MAX_AGE_S = 300
_REDIRECT: dict[int | str, Any] = {
    302: {
        "description": "Go on there.",
        "headers": {"Location": {"required": True, "schema": {"type": "string"}}},
    }
}


class PublicKey(BaseModel):
    """A JSON Web Key (RFC 7517, 8037)."""

    model_config = ConfigDict(extra="allow")

    kid: str
    kty: str
    use: str
    alg: str


class PublicKeys(BaseModel):
    keys: list[PublicKey]


@routes.get(
    "/{name}/start",
    status_code=302,
    response_class=RedirectResponse,
    responses=_REDIRECT | problems(404),
)
async def start_sign_in(services: Opened, request: Request, name: str, next: str = "/") -> Response:
    """Send the browser to the provider. `next` is the path to return to afterwards."""
    provider = await blocking.read(services.db, services.issuers.named, name)
    begun = await blocking.few(
        services.asking,
        oidc_flow.begin,
        services.vault,
        provider,
        _redirect_uri(request, provider),
        next,
    )
    answer = RedirectResponse(begun.address, 302, {"Cache-Control": "no-store"})
    path, age = routes.prefix, oidc_flow.LIFETIME_S
    fields = cookies.fields(address_of(request), path=path, max_age_s=age)
    answer.set_cookie(PENDING, begun.kept, **fields)
    return answer


@routes.get(
    "/{name}/callback",
    status_code=302,
    response_class=RedirectResponse,
    responses=_REDIRECT | problems(400, 401, 404),
)
async def finish_sign_in(
    services: Opened,
    request: Request,
    name: str,
    state: str = "",
    code: str = "",
    error: str = "",
    iss: str | None = None,
) -> Response:
    """Where the provider sends the browser back: sign it in by its cookie.

    After a refusal, a browser (which requests HTML) is redirected to the sign-in page with the
    error's code.
    """
    provider = await blocking.read(services.db, services.issuers.named, name)
    kept = request.cookies.get(PENDING, "")
    try:
        if iss is not None and iss != provider.issuer.issuer:
            # RFC 9207: another provider's answer, sent here by an attacker who mixes them up.
            raise Unauthorized("Another provider has answered.", code="not_confirmed")
        if error:
            raise Unauthorized("The provider has refused the sign-in.", code="not_confirmed")
        uri = _redirect_uri(request, provider)
        secret, path = await blocking.few(
            services.asking, _enter, services, provider, uri, kept, state, code
        )
    except (BadRequest, Unauthorized, Unavailable) as fault:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        address = f"{SIGN_IN_PAGE}?refused={fault.code}"
        return RedirectResponse(address, 302, {"Cache-Control": "no-store"})
    answer = RedirectResponse(path, 302, {"Cache-Control": "no-store"})
    answer.set_cookie(cookies.SESSION, secret, **cookies.fields(address_of(request)))
    answer.delete_cookie(PENDING, path=routes.prefix)
    return answer


@well_known.get("/jwks.json")
async def published_keys(services: Opened, response: Response) -> PublicKeys:
    """The public keys that verify our access tokens."""
    response.headers["Cache-Control"] = f"public, max-age={_KEYS_MAX_AGE_S}"
    published = await blocking.work(services.signing_keys.published)
    return PublicKeys(keys=[PublicKey(**key) for key in published])


def _enter(
    services: Opened, provider: Provider, uri: str, kept: str, state: str, code: str
) -> tuple[str, str]:
    """The session cookie, and where to go."""
    proved = oidc_flow.finish(services.vault, provider, uri, kept, state, code)
    _, secret = signin.with_issuer(services.db, provider.issuer, proved.email)
    return secret.reveal(), proved.next


def _redirect_uri(request: Request, provider: Provider) -> str:
    return f"{address_of(request)}{routes.prefix}/{provider.issuer.name}/callback"

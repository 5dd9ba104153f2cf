"""`/sign-in`: signing in and out, and the pages of one-time links."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import service
from stationmaster.access.model import Secret
from stationmaster.access.signing_in import cookies, links, passwords, sessions, ways as signin
from stationmaster.access.signing_in.oidc_flow import path_within
from stationmaster.errors import BadRequest, Conflict, RateLimited, StationmasterError, Unauthorized
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import PageServices, keep_session, services_of

FIRST_PAGE = "/"
_PROVIDERS = "/api/platform/v1/auth/oidc"

REFUSALS = {
    "no_member": "This address is not a member of the organization; ask an owner to invite it.",
    "no_email": "Your identity provider did not send a verified e-mail address.",
    "not_confirmed": "Your identity provider did not confirm the sign-in.",
    "sign_in_expired": "The sign-in took too long; try again.",
    "issuer_down": "Your identity provider does not answer; try again.",
}
"""Why a sign-in at an identity provider failed, by the code in the address."""

routes = router()


@routes.get("/sign-in")
def sign_in_page(request: Request, next: str = "/", refused: str = "") -> Response:
    return _page(request, next, refused=REFUSALS.get(refused))


@routes.post("/sign-in")
def enter(
    request: Request,
    email: Annotated[str, Form()],
    password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/",
    org: Annotated[str | None, Form()] = None,
) -> Response:
    """Start a session; a person of several organizations is asked which one."""
    services = services_of(request)
    address = None if request.client is None else request.client.host
    try:
        _, secret = services.sign_in.with_password(
            email, password, org=org, address=address, source="web"
        )
    except (Unauthorized, RateLimited, BadRequest, Conflict) as fault:
        return _page(request, next, email=email, fault=fault)
    answer = see_other(path_within(next))
    keep_session(answer, secret, request)
    return answer


@routes.post("/sign-out")
def leave(request: Request) -> Response:
    services = services_of(request)
    if (secret := request.cookies.get(cookies.SESSION)) is not None:
        sessions.end(services.db, Secret(secret), "web")
    answer = see_other("/sign-in")
    answer.delete_cookie(cookies.SESSION)
    return answer


@routes.get("/sign-in/{token}")
def enter_with_link(request: Request, token: str) -> Response:
    """Use a sign-in link. Opening it is enough: only the operator can make one, so no other site
    can sign a visitor in as another person."""
    try:
        _, secret = signin.with_sign_in_link(services_of(request).db, Secret(token))
    except Unauthorized as fault:
        return page("error.html", None, request, status=fault.status, fault=fault, is_link=True)
    answer = see_other("/")
    keep_session(answer, secret, request)
    return answer


@routes.get("/join/{token}")
def show_join(request: Request, token: str) -> Response:
    return _join(request, token)


@routes.post("/join/{token}")
def join(request: Request, token: str, password: Annotated[str, Form()]) -> Response:
    """Use a one-time link: choose a password and be signed in."""
    services = services_of(request)
    try:
        _, secret = signin.with_link(services.db, Secret(token), password, "web")
    except BadRequest as fault:
        return _join(request, token, fault=fault)
    except Unauthorized as fault:
        return page("error.html", None, request, status=fault.status, fault=fault, is_link=True)
    answer = see_other(FIRST_PAGE)
    keep_session(answer, secret, request)
    return answer


def _page(
    request: Request,
    next: str,
    *,
    email: str = "",
    refused: str | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    next_path = path_within(next)
    return page(
        "sign_in.html",
        None,
        request,
        status=200 if fault is None else fault.status,
        fault=refused if fault is None else fault.detail,
        email=email,
        next=next_path,
        organizations=[] if fault is None else fault.metadata.get("organizations", []),
        providers=_providers(services_of(request), next_path),
    )


def _providers(services: PageServices, next_path: str) -> list[dict[str, str]]:
    """Where people can sign in; where there are several organizations, also into which, so that no
    provider's name is taken for another's."""
    names = services.issuers.names()
    orgs = {org: service.organization_name(services.db, org) for _, org in names}
    return [
        {
            "label": name if len(orgs) == 1 else f"{name} ({orgs[org]})",
            "address": f"{_PROVIDERS}/{quote(name)}/start?next={quote(next_path)}",
        }
        for name, org in names
    ]


def _join(request: Request, token: str, *, fault: StationmasterError | None = None) -> Response:
    try:
        link = links.peek(services_of(request).db, token)
    except Unauthorized as expired:
        return page("error.html", None, request, status=expired.status, fault=expired, is_link=True)
    return page(
        "join.html",
        None,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        link=link,
        length_min=passwords.LENGTH_MIN,
        length_max=passwords.LENGTH_MAX,
    )

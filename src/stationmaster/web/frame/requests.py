"""Who is looking: the session behind a cookie, and whether a form is really one of ours."""

from __future__ import annotations

import re
from typing import Protocol, cast
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.addresses import public_address
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in import cookies, sessions
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.access.signing_in.ways import SignIn
from stationmaster.access.vault import Vault
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.analytics import timelines
from stationmaster.analytics.freshness import Freshness
from stationmaster.analytics.sessions import Session
from stationmaster.analytics.today import Counter
from stationmaster.children.turns import Turns
from stationmaster.computers.managed.templates import TemplateOffer
from stationmaster.computers.pairings import Pairings
from stationmaster.computers.relay.relay import Relay
from stationmaster.computers.steering import Steering
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, Unauthorized
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")


class PageServices(Protocol):
    """What pages need of what the application has opened."""

    db: Database
    """The database of the state."""
    settings: Settings
    """The settings that the process started with."""
    vault: Vault
    """What seals and unseals secrets."""
    sign_in: SignIn
    """Signing in with a password, throttled."""
    issuers: Issuers
    """The identity providers of the operator and of organizations."""
    outbox: Outbox
    """The messages that wait for the mail server."""
    freshness: Freshness
    """What brings the documents of closed days up to date."""
    today: Counter
    """What counts the running day."""
    uploads: Turns
    """Turns of uploads that child processes check."""
    relay: Relay
    """The connections to computers."""
    offer: TemplateOffer
    """The templates of managed computers, and how many there may be."""
    pairings: Pairings
    """The machines that wait to be paired by a code."""
    steering: Steering
    """What starts and steers sessions on computers."""
    folding: CapacityLimiter
    """The limit of answers about slices of days that are made at a time."""

    def timeline(self, org: OrgId, session: Session) -> timelines.Timeline:
        """What happened in a session, with what its calls cost."""

    def allow_body(self, request: Request, org: OrgId, size_max: int) -> None:
        """Let a page read a form of up to `size_max` bytes."""


def services_of(request: Request) -> PageServices:
    """What the application of a request has opened."""
    return cast(PageServices, request.scope["app"].services)


def signed_in(request: Request) -> Caller:
    """The person behind the session cookie, with the role of this moment. Raises Unauthorized."""
    secret = request.cookies.get(cookies.SESSION)
    if secret is None:
        raise Unauthorized("Sign in first.")
    return sessions.caller_of(services_of(request).db, Secret(secret))


def check_origin(request: Request) -> None:
    """Raise Forbidden for a form that another site sent with our cookie.

    Browsers state it in Sec-Fetch-Site, older ones in Origin; a client that sends neither is no
    browser that would have sent the cookie from elsewhere, since it is SameSite."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        is_ours = site in ("same-origin", "none")
    else:
        is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not is_ours:
        raise Forbidden("This form was sent from another site.", code="foreign_origin")


def address_of(request: Request) -> str:
    """The application's base address, as the browser that sent a request knows it."""
    return public_address(request.scope, services_of(request).settings)


def visited_address(request: Request) -> str:
    """The address under which programs find this installation: as its settings have it, else as
    this visitor reached it."""
    settings = services_of(request).settings
    host = request.headers.get("host", "")
    if settings.app_url is not None or not _HOST.fullmatch(host):
        return settings.app_address
    return f"{request.url.scheme}://{host}"


def keep_session(response: Response, secret: Secret, request: Request) -> None:
    """Set the cookie of a session."""
    fields = cookies.fields(address_of(request))
    response.set_cookie(cookies.SESSION, secret.reveal(), **fields)

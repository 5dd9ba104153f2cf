"""Requests of signing in."""

from __future__ import annotations

from stationmaster.access import service
from stationmaster.access.signing_in import sessions
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.builders import a_password
from tests.support.cast import Cast


@asks("POST /api/platform/v1/auth/token")
def _sign_in(_house: House, cast: Cast, _caller: str) -> Ask:
    member = cast.people["member"]
    a_password(cast.db, cast.org, member, "a long enough sentence")
    return Ask(json={"email": member.email, "password": "a long enough sentence"})


@asks("POST /api/platform/v1/auth/join")
def _join(_house: House, cast: Cast, _caller: str) -> Ask:
    _, link = service.make_link(cast.db, cast.org, cast.people["member"].user_id, by=None)
    return Ask(json={"token": link.reveal(), "password": "a long enough sentence"})


@asks("POST /api/platform/v1/auth/refresh", "POST /api/platform/v1/auth/sign-out")
def _session(_house: House, cast: Cast, _caller: str) -> Ask:
    user = cast.people["member"].user_id
    _, secret = sessions.start(cast.db, cast.org, user, "password")
    return Ask(json={"refreshToken": secret.reveal()})


@asks(
    "GET /api/platform/v1/auth/oidc/{name}/start", "GET /api/platform/v1/auth/oidc/{name}/callback"
)
def _provider(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(path={"name": "nobodys"})

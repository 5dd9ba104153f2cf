"""Who is behind a request: the bearer credential and what it may do."""

from __future__ import annotations

from stationmaster.access import authenticate
from stationmaster.access.model import Caller
from stationmaster.api import blocking
from stationmaster.api.errors import MISSING_CREDENTIAL
from stationmaster.api.requests import Request
from stationmaster.errors import Unauthorized


def bearer(request: Request) -> str:
    """The credential of `Authorization: Bearer …` (RFC 6750). Raises Unauthorized."""
    value = request.header(b"authorization")
    if value is None:
        raise Unauthorized(
            "This address needs an API key: Authorization: Bearer <key>.", code=MISSING_CREDENTIAL
        )
    scheme, _, token = value.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("Authorization must be of the form: Bearer <key>.")
    return token


async def caller(request: Request) -> Caller:
    """The principal behind the credential, with its role as of now. Raises Unauthorized."""
    db = request.services.db
    return await blocking.read(db, authenticate.authenticate, db, bearer(request))

"""Who is behind a request: the bearer credential and what it may do.

Both functions are dependencies, too: `Annotated[Caller, Depends(callers.counted)]`.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import authenticate
from stationmaster.access.model import Caller
from stationmaster.api import blocking, requests
from stationmaster.api.errors import MISSING_CREDENTIAL
from stationmaster.api.services import services_of
from stationmaster.errors import Unauthorized


def bearer(request: Request) -> str:
    """The credential of `Authorization: Bearer …` (RFC 6750). Raises Unauthorized."""
    value = requests.header(request, b"authorization")
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
    db = services_of(request).db
    return await blocking.read(db, authenticate.authenticate, db, bearer(request))


async def counted(request: Request, response: Response) -> Caller:
    """The caller of an ordinary request, which counts towards the limit that the answer tells.

    Raises Unauthorized and RateLimited.
    """
    services = services_of(request)
    found = await caller(request)
    response.headers.update(services.other_limit.take(found.key_id, found.org_id))
    services.last_use.note(found)
    return found

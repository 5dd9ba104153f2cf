"""The API as commands speak it: a server's over HTTP, or that of a local data folder in this
process. Either way a command does what any other client can do, and nothing else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from stationmaster.cli import folder
from stationmaster.cli.typed import renamed
from stationmaster.client import server as servers
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.settings import Settings

# It takes a while to load, which commands that ask nothing need not pay.
if TYPE_CHECKING:
    import httpx
    from starlette.types import ASGIApp, Receive, Scope, Send

UNREACHABLE = "unreachable"
"""The code of the error when no server answers."""
_WITHOUT_PATH = " --url takes the address of the server alone, without a path such as /api/v1."
_TIMEOUT_S = 300.0
"""The first report of a year may have to aggregate all of its days."""


class Api:
    """Requests to `settings.url` with `settings.key`; without a url to the data folder, in the name
    of the organization's first owner.
    """

    def __init__(self, settings: Settings, org: str | None = None) -> None:
        self._settings = settings
        self._org = org

    def get(self, path: str, **params: str | int | list[str] | None) -> Any:
        """The JSON of a read; parameters that are None are left out."""
        given = {name: value for name, value in params.items() if value is not None}
        return self.request("GET", path, params=given).json()

    def send(self, method: str, path: str, json: Any = None) -> Any:
        """The JSON of a change, None where the answer has no body."""
        answer = self.request(method, path, json=json)
        return answer.json() if answer.content else None

    def request(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """An answer that is no error; a refusal is raised as the error that its body tells."""
        import asyncio

        import httpx

        try:
            answer = asyncio.run(self._request(method, path, sent))
        except httpx.HTTPError as fault:
            from stationmaster.client import unreachable

            why = f"{self._settings.url} cannot be reached: {unreachable.reason(fault)}"
            raise OperatorError(why, code=UNREACHABLE) from fault
        if answer.is_error:
            refused = refusal(answer)
            if refused.code == "unknown_route" and self._has_path():
                raise OperatorError(refused.detail + _WITHOUT_PATH, code=refused.code)
            raise refused
        return answer

    def _has_path(self) -> bool:
        return urlsplit(self._settings.url or "").path.strip("/") != ""

    async def _request(self, method: str, path: str, sent: dict[str, Any]) -> httpx.Response:
        async with self.client() as client:
            return await client.request(method, path, **sent)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client of the API for several requests."""
        import httpx

        if self._settings.url is not None:
            server = servers.chosen(self._settings, self._settings.url)
            bearer = {"Authorization": f"Bearer {server.key}"}
            async with httpx.AsyncClient(
                base_url=server.url, headers=bearer, timeout=_TIMEOUT_S
            ) as client:
                yield client
            return
        async with _local(self._settings, self._org) as app:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
                yield client


@asynccontextmanager
async def _local(settings: Settings, org: str | None) -> AsyncIterator[ASGIApp]:
    """The application of a data folder, whose every request comes from the machine's operator."""
    from stationmaster.access import operator
    from stationmaster.api.app import create_app
    from stationmaster.api.callers import CALLER

    with folder.tenant(settings, org) as (db, org_id):
        caller = operator.owner(db, org_id)
    app = create_app(settings, background=None)

    async def of_operator(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, CALLER: caller}, receive, send)

    async with app.router.lifespan_context(app):
        yield of_operator


class _Problem(msgspec.Struct):
    """What is read of an error body."""

    detail: str
    metadata: dict[str, Any] = {}


def refusal(answer: httpx.Response) -> StationmasterError:
    """The error that a body tells, with its code; without such a body, its status."""
    try:
        told = msgspec.json.decode(answer.content, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        told = _Problem(f"the server answered {answer.status_code} {answer.reason_phrase}")
    code = told.metadata.pop("code", None)
    return renamed(StationmasterError(told.detail, code=code, metadata=told.metadata))

"""The API as commands speak it: a server's over HTTP, or that of a local data folder in this
process. Either way a command does what any other client can do, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from stationmaster.cli.typed import renamed
from stationmaster.client import server as servers, unreachable
from stationmaster.errors import BadRequest, OperatorError, StationmasterError
from stationmaster.settings import Settings

UNREACHABLE = "unreachable"
"""The code of the error when no server answers."""
_PAGE_MAX = 100
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
        values = {name: value for name, value in params.items() if value is not None}
        return self.request("GET", path, params=values).json()

    def rows(
        self, path: str, name: str, limit: int | None = None, **params: str | int | None
    ) -> list[dict[str, Any]]:
        """The rows `name` of a list, page by page: all of them, or at most `limit`."""
        rows: list[dict[str, Any]] = []
        cursor: str | None = None
        while limit is None or len(rows) < limit:
            size = _PAGE_MAX if limit is None else min(limit - len(rows), _PAGE_MAX)
            page = self.get(path, limit=size, cursor=cursor, **params)
            rows += page[name]
            cursor = page["pagination"]["nextCursor"]
            if cursor is None:
                break
        return rows

    def whole(self, path: str, name: str, **params: str | int | None) -> dict[str, Any]:
        """An answer with the rows `name` of all its pages, without the paging."""
        answer: dict[str, Any] = self.get(path, **params)
        rows = answer[name]
        while answer["pagination"]["hasMore"]:
            answer = self.get(path, **params, cursor=answer["pagination"]["nextCursor"])
            rows += answer[name]
        del answer["pagination"]
        return {**answer, name: rows}

    def address(self, path: str, name: str, key: str, wanted: str, what: str) -> str:
        """The address of the row `name` whose `key` or name is wanted. Raises BadRequest."""
        for row in self.get(path)[name]:
            if wanted in (row[key], row["name"]):
                return f"{path}/{row[key]}"
        raise BadRequest(f"there is no {what} {wanted!r}", code=f"no_{what.replace(' ', '_')}")

    def send(self, method: str, path: str, json: Any = None) -> Any:
        """The JSON of a change, None where the answer has no body."""
        answer = self.request(method, path, json=json)
        return answer.json() if answer.content else None

    def request(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """An answer that is no error; a refusal is raised as the error in its body."""
        try:
            answer = asyncio.run(self._request(method, path, sent))
        except httpx.HTTPError as fault:
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
        if self._settings.url is not None:
            server = servers.chosen(self._settings, self._settings.url)
            bearer = {"Authorization": f"Bearer {server.key}"}
            async with httpx.AsyncClient(
                base_url=server.url, headers=bearer, timeout=_TIMEOUT_S
            ) as client:
                yield client
            return
        # It is the whole server, which its clients do not have.
        from stationmaster.cli import local_api

        async with local_api.application(self._settings, self._org) as app:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
                yield client


class _Problem(msgspec.Struct):
    """What is read of an error body."""

    detail: str
    metadata: dict[str, Any] = {}


def refusal(answer: httpx.Response) -> StationmasterError:
    """The error in a body, with its code; without such a body, its status."""
    try:
        problem = msgspec.json.decode(answer.content, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = _Problem(f"the server answered {answer.status_code} {answer.reason_phrase}")
    code = problem.metadata.pop("code", None)
    return renamed(StationmasterError(problem.detail, code=code, metadata=problem.metadata))

"""Questions to the programming interface of a repository's host: JSON, bounded, no redirects;
and where that interface is.

The address is checked as that of the repository is, and connected to even if its name resolves to
another a moment later; the credential is sent nowhere else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from stationmaster.repos import network
from stationmaster.repos.model import Credential, FetchFailed, Provider, provider_of
from stationmaster.settings import Settings

BODY_MAX = 8 * 2**20
TIMEOUT_S = 15.0
_AGENT = "stationmaster"


class WebAnswer(NamedTuple):
    """An answer; `value` is its JSON, None where it is none or there is too much of it."""

    status: int
    value: Any


class Web:
    """One host's interface below an address such as `https://api.git.example`, for so many seconds
    and questions. What fails answers as status 0 does: nothing is known.
    """

    def __init__(
        self,
        settings: Settings,
        base: str,
        headers: Mapping[str, str],
        *,
        seconds: float,
        questions_max: int,
    ) -> None:
        self._remote = network.checked(settings, base)
        self._headers = {**headers, "User-Agent": _AGENT, "Accept": "application/json"}
        self._until = time.monotonic() + seconds
        self._left = questions_max

    def get(self, path: str) -> WebAnswer:
        """The answer to GET of a path below the address; status 0 where there is none."""
        return self.send("GET", path)

    def send(self, method: str, path: str, value: Any = None) -> WebAnswer:
        """Ask with a method and a JSON value. A value that was sent may have been taken although
        the answer is status 0."""
        self._left -= 1
        if self._left < 0 or time.monotonic() > self._until:
            return WebAnswer(0, None)
        try:
            return asyncio.run(self._send(method, path, value))
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
            return WebAnswer(0, None)

    async def _send(self, method: str, path: str, value: Any) -> WebAnswer:
        remote = self._remote
        parts = urlsplit(remote.url.rstrip("/") + path)
        headers = {**self._headers, "Host": parts.netloc}
        async with (
            asyncio.timeout(min(TIMEOUT_S, self._until - time.monotonic())),
            network.client(TIMEOUT_S) as client,
            client.stream(
                method,
                parts._replace(netloc=remote.place).geturl(),
                headers=headers,
                json=value,
                extensions={"sni_hostname": remote.host},
            ) as answer,
        ):
            body = bytearray()
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > BODY_MAX:
                    return WebAnswer(answer.status_code, None)
            return WebAnswer(answer.status_code, _decoded(bytes(body)))


def reachable(
    settings: Settings, base: str, headers: Mapping[str, str], *, seconds: float, questions_max: int
) -> Web | None:
    """The interface at an address, or None where it may not be asked or has no address."""
    try:
        return Web(settings, base, headers, seconds=seconds, questions_max=questions_max)
    except FetchFailed:
        return None


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


_PUBLIC = {"github.com": "https://api.github.com"}
_BASE: dict[Provider, str] = {"github": "/api/v3", "gitlab": "/api/v4"}
"""Where a server of an organization's own has the interface."""


class Forge(NamedTuple):
    """`repo` is the path of the repository's own part of the interface."""

    provider: Provider
    web: Web
    repo: str


def headers(provider: Provider, token: str) -> dict[str, str]:
    """The HTTP headers by which a token signs in at a provider."""
    if provider == "gitlab":
        return {"PRIVATE-TOKEN": token}
    return {"Authorization": f"Bearer {token}", "X-GitHub-Api-Version": "2022-11-28"}


def connect(
    settings: Settings,
    url: str,
    credential: Credential,
    *,
    seconds: float,
    questions_max: int,
) -> Forge | None:
    """The interface for the repository at a normalised address; None where it may not be asked.

    A host whose name does not show its kind is asked which interface it has.
    """
    kind = provider_of(url)
    for provider in ("github", "gitlab") if kind == "other" else (kind,):
        parts = urlsplit(url)
        base = _PUBLIC.get(parts.netloc, f"https://{parts.netloc}{_BASE[provider]}")
        shown = headers(provider, credential.secret.reveal())
        connection = reachable(settings, base, shown, seconds=seconds, questions_max=questions_max)
        if connection is None:
            return None
        name = parts.path.strip("/")
        repo = f"/repos/{quote(name)}" if provider == "github" else f"/projects/{quote(name, '')}"
        if kind != "other" or connection.get(repo).status == 200:
            return Forge(provider, connection, repo)
    return None

"""One question to a model: with a limit of time, repeated when the provider asks for it."""

from __future__ import annotations

import asyncio
import email.utils
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import httpx
import msgspec

from stationmaster import clock
from stationmaster.repos import network
from stationmaster.wiki.prose.model import Usage
from stationmaster.wiki.prose.providers import BASES, PROVIDERS, Failed, Name, Prompt, Reply

TIMEOUT_S = 120.0
ATTEMPTS = 4
WAIT_MAX_S = 60.0
"""A provider that asks for a longer wait than this is one that fails."""
BODY_MAX = 2**20
_REASONS = {0: "unreachable", 429: "rate limit"}
_LATER = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
Sleep = Callable[[float], Awaitable[None]]


class Endpoint(NamedTuple):
    """Where a model is asked; `base` is None for its provider's own address."""

    provider: Name
    model: str
    base: str | None = None
    key: str | None = None
    timeout_s: float = TIMEOUT_S

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


class Asker:
    """Asks one model. Use it as an asynchronous context manager, in one loop."""

    def __init__(self, endpoint: Endpoint, sleep: Sleep = asyncio.sleep) -> None:
        self._endpoint = endpoint
        self._provider = PROVIDERS[endpoint.provider]()
        self._sleep = sleep
        self._client = network.client(endpoint.timeout_s)

    async def __aenter__(self) -> Asker:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, prompt: Prompt) -> Reply:
        """Raises Failed: `timeout`, `unreachable`, `rate limit`, `status <n>`, and what answers
        that cannot be used raise."""
        wait = 1.0
        failed = Failed("unreachable", Usage())
        for attempt in range(ATTEMPTS):
            try:
                status, headers, body = await self._post(prompt)
            except TimeoutError as fault:
                raise Failed("timeout") from fault
            except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
                status, headers, body = 0, httpx.Headers(), b""
            if status == 200:
                return self._provider.reply(body)
            if status == 400 and self._provider.adapt(body.decode(errors="replace")):
                continue
            failed = Failed(_REASONS.get(status, f"status {status}"), Usage())
            if status and status not in _LATER:
                break
            delay = _delay(headers) if "retry-after" in headers else wait
            if delay > WAIT_MAX_S or attempt == ATTEMPTS - 1:
                break
            await self._sleep(delay)
            wait *= 2
        raise failed

    async def _post(self, prompt: Prompt) -> tuple[int, httpx.Headers, bytes]:
        endpoint, provider = self._endpoint, self._provider
        body = bytearray()
        try:
            async with (
                asyncio.timeout(endpoint.timeout_s),
                self._client.stream(
                    "POST",
                    provider.address(endpoint.base or BASES[endpoint.provider]),
                    headers={**provider.headers(endpoint.key), "Content-Type": "application/json"},
                    content=msgspec.json.encode(provider.request(endpoint.model, prompt)),
                ) as answer,
            ):
                async for chunk in answer.aiter_bytes():
                    body += chunk
                    if len(body) > BODY_MAX:
                        raise Failed("nonsense")
                return answer.status_code, answer.headers, bytes(body)
        except httpx.TimeoutException as fault:
            raise TimeoutError from fault


def _delay(headers: httpx.Headers) -> float:
    """Seconds that the server asks to wait, as a number or as a date (RFC 9110, 10.2.3)."""
    wait = headers["retry-after"].strip()
    try:
        return max(0.0, float(wait))
    except ValueError:
        pass
    try:
        until = email.utils.parsedate_to_datetime(wait).timestamp()
    except (ValueError, OverflowError):
        return 1.0
    return max(0.0, until - clock.now_ms() / 1000)

"""One POST of a message: to the address that was checked, bounded in time and bytes. Redirects are
not followed. It is signed as Standard Webhooks are: HMAC-SHA256 of `id.timestamp.body` under a
`whsec_` secret.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import httpx

from stationmaster import clock
from stationmaster.access.model import Secret
from stationmaster.alerts import addresses
from stationmaster.repos import network
from stationmaster.repos.model import FetchFailed
from stationmaster.repos.network import Remote
from stationmaster.settings import Settings

TIMEOUT_S = 20.0
"""For all of it; Standard Webhooks recommends 15 to 30 s."""
BODY_S = 2.0
"""For the beginning of the answer to a failed attempt, after its status has arrived."""
ERROR_MAX = 300
"""Bytes that are kept of the answer to a failed attempt."""
RETRY_AFTER_MAX_S = 24 * 3600
GONE = 410
_BUSY = frozenset({429, 502, 504})


class AttemptOutcome(NamedTuple):
    """What became of an attempt. `status` is HTTP's, None without an answer; `error` is None where
    it was taken. `wait_s` is how long the receiver asked to be left alone, `is_final` whether
    another attempt would end the same way.
    """

    status: int | None
    error: str | None
    wait_s: float | None = None
    is_final: bool = False

    @property
    def is_taken(self) -> bool:
        """True where the receiver took the message."""
        return self.error is None

    @property
    def is_gone(self) -> bool:
        """True where the receiver answered 410: the address is to get no more messages."""
        return self.status == GONE

    @property
    def is_busy(self) -> bool:
        """Whether the receiver, and not only this message, needs a pause."""
        return self.status in _BUSY or bool(self.wait_s)


def post(
    settings: Settings, address: str, body: bytes, headers: Mapping[str, str]
) -> AttemptOutcome:
    """Send a body of JSON to a stored address. Never raises for what the other side does."""
    try:
        # Looking up a name cannot be cut; the machine's resolver bounds it.
        remote = addresses.server(settings, address)
        return asyncio.run(_post(remote, address, body, headers))
    except FetchFailed as fault:
        return AttemptOutcome(None, fault.detail)
    except (TimeoutError, httpx.TimeoutException):
        return AttemptOutcome(None, f"There was no answer within {TIMEOUT_S:.0f} seconds.")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as fault:
        return AttemptOutcome(None, f"The connection failed: {type(fault).__name__}.")


async def _post(
    remote: Remote, address: str, body: bytes, headers: Mapping[str, str]
) -> AttemptOutcome:
    parts, bare = urlsplit(address), urlsplit(remote.url)
    has_login = parts.username is not None
    async with (
        asyncio.timeout(TIMEOUT_S),
        network.client(TIMEOUT_S) as client,
        client.stream(
            "POST",
            bare._replace(netloc=remote.place).geturl(),
            content=body,
            headers={
                **headers,
                "Host": bare.netloc,
                "Content-Type": "application/json",
                "User-Agent": "Stationmaster",
                "Accept-Encoding": "identity",
            },
            auth=(unquote(parts.username or ""), unquote(parts.password or ""))
            if has_login
            else None,
            extensions={"sni_hostname": remote.host},
            follow_redirects=False,
        ) as answer,
    ):
        if answer.is_success:
            return AttemptOutcome(answer.status_code, None)
        return AttemptOutcome(answer.status_code, await _beginning(answer), _wait_s(answer))


async def _beginning(answer: httpx.Response) -> str:
    """The first bytes of an answer on one line, or what its status means."""
    read = bytearray()
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(BODY_S):
            async for chunk in answer.aiter_raw():
                read += chunk
                if len(read) >= ERROR_MAX:
                    break
    text = bytes(read[:ERROR_MAX]).decode(errors="replace")
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if answer.is_redirect:
        return f"Redirects are not followed: enter the new address. {line}".strip()
    return line or answer.reason_phrase or f"status {answer.status_code}"


def _wait_s(answer: httpx.Response) -> float | None:
    """The pause that `retry-after` requires (RFC 9110), in seconds or as a date, at most a day."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        wait_s = float(text)
    else:
        try:
            at = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return None
        aware = at if at.tzinfo else at.replace(tzinfo=UTC)
        wait_s = (aware - datetime.fromtimestamp(clock.now_ms() / 1000, UTC)).total_seconds()
    return min(max(wait_s, 0.0), RETRY_AFTER_MAX_S)


_PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> Secret:
    """A secret of 32 random bytes, as it is shown once and stored sealed."""
    return Secret(_PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode())


def headers(
    message_id: str, timestamp_s: int, body: bytes, keys: Iterable[Secret]
) -> dict[str, str]:
    """The three header fields of a message, with a signature under each secret."""
    signed = f"{message_id}.{timestamp_s}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": " ".join(_signature(signed, key) for key in keys),
    }


def _signature(signed: bytes, key: Secret) -> str:
    raw = base64.b64decode(key.reveal().removeprefix(_PREFIX))
    digest = hmac.new(raw, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"

"""What an OpenID Connect issuer publishes about itself: its addresses and the keys it signs with.

Fetched when first needed, kept, and fetched again now and then, so that a key which the issuer has
withdrawn stops to count, and when those known do not verify a token.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from stationmaster.access.signing_in.issuers import Issuer, is_safe_address
from stationmaster.errors import Unavailable

FRESH_S = 600
"""After so long what is kept is fetched again."""
STALE_S = 3600
"""So long it serves while the issuer does not answer."""
LOOK_EVERY_S = 60
"""The shortest time between two requests, regardless of tokens and of the last result."""
TIMEOUT_S = 5.0
SIZE_MAX = 512 * 1024
KEY_TYPES = ("RSA", "EC", "OKP")
"""Only those with a public part: a shared secret proves nothing about who has signed."""

FAULTS = (httpx.HTTPError, httpx.InvalidURL)
"""What `fetch` raises where nothing answers."""

log = logging.getLogger(__name__)


class Way(NamedTuple):
    """How an address is called: the client, the address that it connects to, and what is sent with
    it so that the server and its certificate are those of the name."""

    client: httpx.AsyncClient
    address: str
    headers: dict[str, str]
    extensions: dict[str, Any]


Reach = Callable[[str], Way]
"""The way to an address. Raises ValueError where there is none, AddressRefused where it must not be
asked."""


class AddressRefused(ValueError):
    """An address within the network of the server, with a sentence that states it."""


def by_name(address: str) -> Way:
    """To any address that a name resolves to, for what the operator has named."""
    return Way(httpx.AsyncClient(timeout=TIMEOUT_S), address, {}, {})


class Metadata(msgspec.Struct, frozen=True):
    """What is used of a discovery document (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None = None
    token_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _KeySet(msgspec.Struct):
    """A JWK set (RFC 7517, section 5)."""

    keys: list[Any]


class Published(NamedTuple):
    """What an issuer publishes at this moment; `keys` is how many can verify tokens."""

    metadata: Metadata
    keys: int


class _Fetched(NamedTuple):
    metadata: Metadata
    keys: KeySet
    at: float


class Provider:
    """One issuer; safe to share between threads.

    `reach` is the way to its addresses; `elapsed_s` a clock that never stops or runs backwards,
    regardless of the time of day.
    """

    def __init__(
        self,
        issuer: Issuer,
        elapsed_s: Callable[[], float] = time.monotonic,
        reach: Reach = by_name,
    ) -> None:
        self.issuer = issuer
        self.reach = reach
        self._elapsed_s = elapsed_s
        self._lock = threading.Lock()
        self._fetched: _Fetched | None = None
        self._looked_at = -float(LOOK_EVERY_S)

    def metadata(self) -> Metadata:
        """Its addresses. Raises Unavailable while it does not answer as it should."""
        return self._kept().metadata

    def keys(self) -> KeySet:
        """The keys that it signs with. Raises Unavailable."""
        return self._kept().keys

    def check(self) -> Published:
        """Query the issuer now, regardless of what is kept. Raises Unavailable with the fault."""
        try:
            metadata, keys = self._published()
            return Published(metadata, len(keys.keys))
        except (*FAULTS, ValueError) as fault:
            why = str(fault) or type(fault).__name__
            raise Unavailable(f"The issuer cannot be used: {why}.", code="issuer_down") from fault

    def look_again(self) -> bool:
        """Whether other keys may be known now: for a token that those known do not verify."""
        before = self._fetched
        self._look()
        return self._fetched is not before

    def _kept(self) -> _Fetched:
        if self._age() >= FRESH_S:
            self._look()
        if self._fetched is None or self._age() >= STALE_S:
            raise Unavailable(
                f"The issuer {self.issuer.name} does not answer; try again.", code="issuer_down"
            )
        return self._fetched

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._elapsed_s() - self._fetched.at

    def _look(self) -> None:
        """Fetch again, unless that was done a moment ago or another thread is at it.

        Only those who have nothing at all wait for that other thread.
        """
        if not self._lock.acquire(blocking=self._fetched is None):
            return
        try:
            if self._elapsed_s() - self._looked_at < LOOK_EVERY_S:
                return
            self._looked_at = self._elapsed_s()
            self._fetched = _Fetched(*self._published(), self._elapsed_s())
        except (*FAULTS, ValueError) as fault:
            log.warning("issuer %s: %s", self.issuer.name, fault or type(fault).__name__)
        finally:
            self._lock.release()

    def _published(self) -> tuple[Metadata, KeySet]:
        metadata = _metadata(self.issuer, self.reach)
        return metadata, _key_set(metadata.jwks_uri, self.reach)


def _metadata(issuer: Issuer, reach: Reach) -> Metadata:
    address = issuer.issuer.rstrip("/") + "/.well-known/openid-configuration"
    metadata = msgspec.json.decode(fetch("GET", address, reach), type=Metadata)
    if metadata.issuer != issuer.issuer:
        raise ValueError(f"its discovery document is of {metadata.issuer!r}")
    for named in (metadata.jwks_uri, metadata.authorization_endpoint, metadata.token_endpoint):
        if named is not None and not is_safe_address(named):
            raise ValueError(f"its discovery document names the address {named!r}")
    return metadata


def _key_set(address: str, reach: Reach) -> KeySet:
    keys: list[Key] = []
    for jwk in msgspec.json.decode(fetch("GET", address, reach), type=_KeySet).keys:
        if isinstance(jwk, dict) and jwk.get("kty") in KEY_TYPES and jwk.get("use") != "enc":
            try:
                keys.append(JWKRegistry.import_key(jwk))
            except (JoseError, UnsupportedAlgorithm, ValueError, TypeError, KeyError):
                log.warning("%s contains an invalid key", address)
    return KeySet(keys)


def fetch(method: str, address: str, reach: Reach = by_name, **sent: Any) -> bytes:
    """A document of at most SIZE_MAX bytes, from that very address, within twice TIMEOUT_S.

    Called in worker threads. Raises ValueError for an answer that is none, and FAULTS.
    """
    way = reach(address)
    try:
        return asyncio.run(asyncio.wait_for(_fetch(method, address, way, **sent), 2 * TIMEOUT_S))
    except TimeoutError as fault:
        raise ValueError(f"{address} is too slow") from fault


async def _fetch(method: str, address: str, way: Way, **sent: Any) -> bytes:
    body = b""
    # What is compressed could be a thousand times as large before anybody can count it.
    headers = {"Accept-Encoding": "identity", **way.headers}
    async with (
        way.client as http,
        http.stream(
            method,
            way.address,
            headers=headers,
            extensions=way.extensions,
            follow_redirects=False,
            **sent,
        ) as answer,
    ):
        if answer.status_code != httpx.codes.OK:
            raise ValueError(f"{address} answered {answer.status_code}")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise ValueError(f"{address} answered in an encoding that was not accepted")
        async for part in answer.aiter_raw():
            body += part
            if len(body) > SIZE_MAX:
                raise ValueError(f"{address} is too large")
    return body

"""The way to providers: connections that are kept, to addresses that are checked when connecting.

A name is resolved by us and every address it has must be public, unless the provider was added as
a private one; the connection is made to the address that was checked. Redirects are not followed,
nothing of the environment is trusted, and bodies pass as they are, compressed ones included.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from stationmaster.errors import Malformed
from stationmaster.gateway.headers import Fields
from stationmaster.gateway.providers import Provider
from stationmaster.repos.network import is_public

CONNECT_S = 10.0
SILENT_S = 600.0
"""A provider that sends nothing for so long is given up; theirs are silent for minutes."""
CALL_S = 3_600.0
"""The longest call."""
HEADER_BYTES_MAX = 32 * 1024
"""One header field of an answer."""


READ_BYTES = 16 * 1024
"""Of an answer that are read at a time: so little is written beyond what is held for it."""


class AddressRefused(OSError):
    """A provider's name leads to an address that it may not lead to."""


class _Public(AbstractResolver):
    """Resolves names, and refuses those with an address that is not public."""

    def __init__(self) -> None:
        self._resolver = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        results = await self._resolver.resolve(host, port, family)
        if not all(is_public(ip_address(result["host"])) for result in results):
            raise AddressRefused(f"{host} resolves to a local or private address")
        return results

    async def close(self) -> None:
        await self._resolver.close()


class Upstream:
    """The connections of one process. Made within the event loop."""

    def __init__(self) -> None:
        self._public = _session(_Public())
        self._private = _session(None)

    async def send(
        self, provider: Provider, method: str, target: str, fields: Fields, body: bytes
    ) -> aiohttp.ClientResponse:
        """The answer of a provider once its header has arrived. `target` is the path with its
        query, as bytes of the wire. Raises Malformed, aiohttp.ClientError, OSError, TimeoutError.
        """
        # The client writes text as UTF-8, so that bytes of UTF-8 are passed on as they arrived.
        try:
            texts = [(name.decode(), value.decode()) for name, value in fields]
        except UnicodeDecodeError as fault:
            raise Malformed("A header field is not UTF-8.", code="invalid_header") from fault
        session = self._private if provider.is_private else self._public
        answer = await session.request(
            method,
            URL(f"{provider.url}/{target}", encoded=True),
            headers=texts,
            data=body or None,
            allow_redirects=False,
        )
        if answer.status < 200:
            # It would speak another protocol from here on, and the caller would read that.
            answer.close()
            raise aiohttp.ClientConnectionError(f"status {answer.status}")
        return answer

    async def close(self) -> None:
        """Close all connections."""
        await self._public.close()
        await self._private.close()


def _session(resolver: AbstractResolver | None) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(
        limit=0, resolver=resolver, ttl_dns_cache=30, keepalive_timeout=30
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        read_bufsize=READ_BYTES,
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        timeout=aiohttp.ClientTimeout(total=CALL_S, sock_connect=CONNECT_S, sock_read=SILENT_S),
        max_line_size=HEADER_BYTES_MAX,
        max_field_size=HEADER_BYTES_MAX,
    )

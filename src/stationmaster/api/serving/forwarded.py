"""What a reverse proxy reports of a request: who sent it, and to which public address.

Only proxies of the operator's list are trusted. Their header fields are read from the right, where
the nearest proxy writes, up to the first address that is not one of them; what a client has sent
itself is further to the left and is never reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.types import Scope

from stationmaster.access.addresses import PUBLIC

Network = IPv4Network | IPv6Network

_RESOLVED = "stationmaster.resolved"
"""Where the scope of a proxy's request keeps whether its client is known."""
SIZE_MAX = 4096
"""The bytes at the right end of `X-Forwarded-For` that are read."""
HOPS_MAX = 32
_FOR, _PROTO, _HOST = b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"
_FORWARDED = frozenset({_FOR, b"forwarded", b"x-real-ip", b"via"})
_PORT = re.compile(r"^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$")
_NAME = re.compile(rb"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")


class Proxies:
    """The proxies that are trusted. Safe to share."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._trusted = trusted

    def see_through(self, scope: Scope) -> None:
        """Put the sender's address, the scheme and the host that were asked for into a scope."""
        peer = scope.get("client")
        if not self._trusted or peer is None:
            return
        host = _address(peer[0])
        if host is None or not contains(self._trusted, host):
            return
        client = self._client(host, scope["headers"])
        scope[_RESOLVED] = client != host
        scope["client"] = (client, peer[1] if client == host else 0)
        self._note_address(scope)

    def _client(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """The nearest address that is no proxy's; the last one read where all are, or where the
        entry is no address.
        """
        nearest = peer
        for text in _from_right(headers):
            if not contains(self._trusted, nearest):
                break
            address = _address(text)
            if address is None:
                break
            nearest = address
        return nearest

    def _note_address(self, scope: Scope) -> None:
        scheme = _rightmost(scope["headers"], _PROTO).lower()
        named = _rightmost(scope["headers"], _HOST)
        if scheme in (b"http", b"https"):
            scope["scheme"] = scheme.decode()
        if _NAME.fullmatch(named):
            rest = [field for field in scope["headers"] if field[0] != b"host"]
            scope["headers"] = [(b"host", named), *rest]
        host = _rightmost(scope["headers"], b"host")
        if scheme in (b"http", b"https") and _NAME.fullmatch(host):
            scope[PUBLIC] = f"{scope['scheme']}://{host.decode()}"


def sender(scope: Scope) -> str | None:
    """The address of the sender of a request; None where no trusted proxy reports it.

    A proxy's own address must not count as that of everybody behind it.
    """
    peer = scope.get("client")
    is_known = scope.get(_RESOLVED)
    if is_known is None:
        is_known = not any(name in _FORWARDED for name, _ in scope["headers"])
    return None if peer is None or not is_known else _address(peer[0])


def contains(networks: Sequence[Network], host: str) -> bool:
    """Whether an address, as text, is in one of the networks."""
    if not networks:
        return False
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


def _from_right(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """The entries of `X-Forwarded-For`, the last one first, as far as they are read."""
    text = b",".join(value[-SIZE_MAX:] for name, value in headers if name == _FOR)
    entries = text[-SIZE_MAX:].decode("latin-1").split(",")
    if len(text) > SIZE_MAX:
        # It may have been cut within.
        entries = entries[1:]
    return [entry.strip() for entry in reversed(entries[-HOPS_MAX:])]


def _rightmost(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes:
    value = b""
    for key, text in headers:
        if key == name:
            value = text[-SIZE_MAX:]
    return value.rpartition(b",")[2].strip()


def _address(text: str) -> str | None:
    """An address in its shortest form, without port or zone; one of IPv4 within IPv6 as IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        parts = _PORT.match(text)
        if parts is None:
            return None
        try:
            address = ip_address(parts[1] or parts[2])
        except ValueError:
            return None
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address)))
    return str(address)

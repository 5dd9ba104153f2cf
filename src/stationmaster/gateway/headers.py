"""Header fields on their way through: which belong to one connection, and which carry credentials.

Everything else passes as it is. Names are lower-case bytes, as ASGI has them.
"""

from __future__ import annotations

from collections.abc import Iterable

Fields = list[tuple[bytes, bytes]]

OWN_KEY = b"x-stationmaster-key"
"""The caller, in addition to a login that passes through unchanged."""
_OWN = b"x-stationmaster-"
_ONE_CONNECTION = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization"),
        *(b"proxy-connection", b"te", b"trailer", b"trailers", b"transfer-encoding", b"upgrade"),
    }
)
_OF_REQUESTS = _ONE_CONNECTION | {
    *(b"host", b"content-length", b"expect", b"accept-encoding"),
    # What proxies on the way here have added is not passed on.
    *(b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-port"),
    *(b"x-forwarded-proto", b"x-real-ip"),
}
_OF_ANSWERS = _ONE_CONNECTION | {
    # About the provider's host or connection, and not about this one.
    *(b"alt-svc", b"date", b"server", b"strict-transport-security", b"via")
}


def of_request(fields: Iterable[tuple[bytes, bytes]], credentials: frozenset[bytes]) -> Fields:
    """What is passed to the provider: without fields of the connection and the named ones."""
    kept = list(fields)
    dropped = _OF_REQUESTS | credentials | _named(kept)
    return [field for field in kept if field[0] not in dropped and field[0][:16] != _OWN]


def of_answer(fields: Iterable[tuple[bytes, bytes]]) -> Fields:
    """What is passed back to the caller."""
    kept = [(name.lower(), value) for name, value in fields]
    dropped = _OF_ANSWERS | _named(kept)
    return [field for field in kept if field[0] not in dropped]


def first(fields: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of the first field of a name."""
    for key, value in fields:
        if key == name:
            return value.decode("latin-1")
    return None


def _named(fields: Fields) -> frozenset[bytes]:
    """The fields that `Connection` names as those of one connection (RFC 9110, 7.6.1)."""
    lists = [value for name, value in fields if name == b"connection"]
    return frozenset(word.strip().lower() for value in lists for word in value.split(b","))

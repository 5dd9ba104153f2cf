"""Who calls, by a Stationmaster key in any of the places of a provider's key, and which credential
is passed to the provider.
"""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.access import model
from stationmaster.errors import Unauthorized
from stationmaster.gateway.headers import OWN_KEY, Fields, first
from stationmaster.gateway.providers import Kind

_PLACES = (b"x-api-key", b"authorization", b"x-goog-api-key")
PLACES = frozenset(_PLACES)
"""The header fields in which providers look for a credential."""
_QUERY_KEY = b"key"


class Presented(NamedTuple):
    """The key of the caller, and how the provider is asked."""

    token: str
    has_own_login: bool
    """The caller's own login at the provider is passed on unchanged."""
    query: bytes
    """The query without a Stationmaster key."""


def presented(fields: Fields, query: bytes) -> Presented:
    """What a request presents. Raises Unauthorized where there is no key.

    A key in `X-Stationmaster-Key` leaves a login of the caller's in its place. A Stationmaster key
    is never passed to a provider, from any place.
    """
    rest, of_query = _without_key(query)
    shown = [_token(first(fields, place)) for place in _PLACES]
    shown.append(of_query)
    own = first(fields, OWN_KEY)
    if own is not None:
        logins = [login for login in shown if login]
        is_login = bool(logins) and not any(map(_is_ours, logins))
        if is_login and of_query:
            rest = query
        return Presented(own.strip(), is_login, rest)
    for token in shown:
        if token and _is_ours(token):
            return Presented(token, False, rest)
    raise Unauthorized(
        "The gateway needs your Stationmaster key in place of the provider's key, or in "
        "X-Stationmaster-Key together with your own login."
    )


def credential(kind: Kind, key: str) -> tuple[bytes, bytes]:
    """The header field that shows a provider its key."""
    text = key.encode("ascii")
    if kind == "anthropic":
        return b"x-api-key", text
    if kind == "gemini":
        return b"x-goog-api-key", text
    return b"authorization", b"Bearer " + text


def _is_ours(token: str) -> bool:
    # Whether it is whole is checked with its owner.
    return token.startswith(model.KEY_PREFIX)


def _token(value: str | None) -> str | None:
    if value is None:
        return None
    scheme, _, rest = value.strip().partition(" ")
    return rest.strip() if scheme.lower() == "bearer" and rest else value.strip()


def _without_key(query: bytes) -> tuple[bytes, str | None]:
    """A query without its members `key`, whose bytes stay otherwise, and the first of them."""
    if not query:
        return query, None
    parts = query.split(b"&")
    mine = [part for part in parts if part.partition(b"=")[0] == _QUERY_KEY]
    if not mine:
        return query, None
    value = mine[0].partition(b"=")[2].decode("latin-1")
    return b"&".join(part for part in parts if part not in mine), value or None

"""JSON Web Tokens as text: whose one claims to be, and its claims once a key has proved them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import GuestProtocol, Key, KeySet
from joserfc.jws import JWSRegistry
from joserfc.jwt import ClaimsOption, JWTClaimsRegistry

from stationmaster import clock
from stationmaster.errors import Unauthorized

LEEWAY_S = 60
"""How far two clocks may be apart."""
LENGTH_MAX = 16_384

Keys = KeySet | Callable[[GuestProtocol], Key]
"""Those that may have signed, or how to find the one that a header names."""


class _Claimed(msgspec.Struct):
    iss: str


class _Registry(JWSRegistry):
    """The library's, without the remark that RFC 9864 has given EdDSA a second name, which many
    who verify tokens do not know yet.
    """

    def get_alg(self, name: str) -> Any:
        if self.allowed is None or name not in self.allowed or name not in self.algorithms:
            raise invalid()
        return self.algorithms[name]


def has_form(token: str) -> bool:
    """Whether a credential is meant as a token and not as an API key."""
    return token.count(".") == 2


def issuer_of(token: str) -> str:
    """The issuer that a token names, which proves nothing yet. Raises Unauthorized."""
    if len(token) > LENGTH_MAX:
        raise invalid()
    try:
        payload = token.split(".")[1]
        raw = base64.b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=_Claimed).iss
    except (binascii.Error, ValueError, RecursionError) as fault:
        raise invalid() from fault


def sign(claims: Mapping[str, Any], key: Key, *, algorithm: str, typ: str) -> str:
    """A signed token; its header names the algorithm, the type and the key's id."""
    header = {"alg": algorithm, "typ": typ, "kid": key.kid}
    return jwt.encode(header, dict(claims), key, registry=_Registry(algorithms=[algorithm]))


def verify(
    token: str,
    keys: Keys,
    *,
    algorithms: Collection[str],
    types: Collection[str],
    issuer: str,
    audience: str,
) -> dict[str, Any]:
    """The claims of a token that is signed, for this audience, and valid now.

    `types` are the allowed values of the header `typ` in lower case, "" where it may be missing.
    Raises Unauthorized.
    """
    registry = _Registry(algorithms=algorithms, strict_check_header=False)
    expected: dict[str, ClaimsOption] = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": audience},
        "exp": {"essential": True},
    }
    now = clock.now_ms() // 1000
    try:
        token_parts = jwt.decode(token, keys, registry=registry)
        JWTClaimsRegistry(now=now, leeway=LEEWAY_S, **expected).validate(token_parts.claims)
    except (JoseError, ValueError, TypeError, RecursionError) as fault:
        raise invalid() from fault
    if str(token_parts.header.get("typ", "")).lower() not in types:
        raise invalid()
    return token_parts.claims


def invalid() -> Unauthorized:
    """The error for a token that is refused, which does not give the reason."""
    return Unauthorized("The access token is not valid.")

"""Signing in at an issuer from a browser: the authorization code flow with PKCE (OpenID Connect
Core 1.0, section 3.1; RFC 7636).

Between the two steps nothing is stored here. The browser keeps what the second step needs, sealed,
so that only the browser that began can finish.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from stationmaster import clock
from stationmaster.access.model import Secret
from stationmaster.access.signing_in import oidc
from stationmaster.access.signing_in.provider import FAULTS, Metadata, Provider, fetch
from stationmaster.access.vault import Vault
from stationmaster.errors import BadRequest, OperatorError, Unauthorized, Unavailable

LIFETIME_S = 600
"""How long a person may take at the issuer."""
SCOPE = "openid email"

_PURPOSE = "signing in at an issuer"
_NEXT_LENGTH_MAX = 1000


class _Pending(msgspec.Struct):
    """What the browser keeps."""

    provider: str
    state: str
    nonce: str
    verifier: str
    next: str
    expires_at: int


class SignInStart(NamedTuple):
    """Where to send the browser, and what it must bring back in a cookie."""

    address: str
    kept: str


class Proved(NamedTuple):
    """The address that the issuer vouches for, and where the browser wanted to go."""

    email: str
    next: str


class _Answer(msgspec.Struct):
    id_token: str


def begin(vault: Vault, provider: Provider, redirect_uri: str, next_path: str) -> SignInStart:
    """The first step. Raises Unavailable while the issuer does not answer."""
    metadata = provider.metadata()
    if metadata.authorization_endpoint is None:
        raise _silent(provider)
    pending = _Pending(
        provider=provider.issuer.name,
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(32),
        next=path_within(next_path),
        expires_at=clock.now_ms() + LIFETIME_S * 1000,
    )
    query = urlencode(
        {
            "response_type": "code",
            "client_id": provider.issuer.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": _base64url(sha256(pending.verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
    )
    joint = "&" if "?" in metadata.authorization_endpoint else "?"
    sealed = vault.seal(Secret(msgspec.json.encode(pending).decode()), _PURPOSE)
    return SignInStart(f"{metadata.authorization_endpoint}{joint}{query}", _base64url(sealed))


def finish(
    vault: Vault, provider: Provider, redirect_uri: str, kept: str, state: str, code: str
) -> Proved:
    """The second step, when the issuer has sent the browser back.

    Raises BadRequest (`sign_in_expired`) unless this browser began a while ago, Unauthorized where
    the issuer does not confirm, Unavailable while it does not answer.
    """
    pending = _opened(vault, kept)
    if (
        pending.provider != provider.issuer.name
        or pending.expires_at <= clock.now_ms()
        or not hmac.compare_digest(pending.state.encode(), state.encode(errors="replace"))
    ):
        raise _expired()
    token = _redeem(provider, redirect_uri, code, pending.verifier)
    claims = oidc.claims_of(provider, token, provider.issuer.client_id or "")
    if not hmac.compare_digest(pending.nonce.encode(), str(claims.get("nonce")).encode()):
        raise _unconfirmed()
    return Proved(oidc.email_in(claims, provider.issuer), pending.next)


def path_within(address: str) -> str:
    """An address of the application itself; "/" for any other, and for what is none.

    Browsers read `//host` and `/\\host` as another site, and skip control characters.
    """
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\"))
    if not is_ours or len(address) > _NEXT_LENGTH_MAX or not address.isprintable():
        return "/"
    return quote(address, safe="/?&=#%:@+,;!$'()*~-._")


def _redeem(provider: Provider, redirect_uri: str, code: str, verifier: str) -> str:
    """The ID token behind a code."""
    metadata = provider.metadata()
    if metadata.token_endpoint is None:
        raise _silent(provider)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    try:
        sent = _as_client(provider, metadata, form)
        body = fetch("POST", metadata.token_endpoint, provider.reach, **sent)
        return msgspec.json.decode(body, type=_Answer).id_token
    except FAULTS as fault:
        raise _silent(provider) from fault
    except ValueError as fault:
        raise _unconfirmed() from fault


def _as_client(provider: Provider, metadata: Metadata, form: dict[str, str]) -> dict[str, Any]:
    """The request with our credentials, in the form that the issuer takes (RFC 6749, 2.3.1)."""
    client_id, secret = provider.issuer.client_id or "", provider.issuer.client_secret
    if secret is None:
        return {"data": {**form, "client_id": client_id}}
    if "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
        pair = quote(client_id, safe=""), quote(secret.reveal(), safe="")
        return {"data": form, "auth": pair}
    return {"data": {**form, "client_id": client_id, "client_secret": secret.reveal()}}


def _opened(vault: Vault, kept: str) -> _Pending:
    try:
        sealed = base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4))
        return msgspec.json.decode(vault.unseal(sealed, _PURPOSE).reveal(), type=_Pending)
    except (OperatorError, binascii.Error, ValueError) as fault:
        raise _expired() from fault


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _expired() -> BadRequest:
    return BadRequest(
        "This sign-in has not begun in this browser, or too long ago; begin again.",
        code="sign_in_expired",
    )


def _unconfirmed() -> Unauthorized:
    return Unauthorized("The issuer has not confirmed the sign-in.", code="not_confirmed")


def _silent(provider: Provider) -> Unavailable:
    return Unavailable(
        f"The issuer {provider.issuer.name} does not answer; try again.", code="issuer_down"
    )

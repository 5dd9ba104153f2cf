"""Signatures of Standard Webhooks: HMAC-SHA256 of `id.timestamp.body` under a `whsec_` secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

from stationmaster.access.model import Secret

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

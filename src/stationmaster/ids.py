"""Typed identifiers and their text forms: `org_…`, `user_…`, `svc_…`, `key_…`, `req_…`."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import NewType

OrgId = NewType("OrgId", str)
UserId = NewType("UserId", str)
KeyId = NewType("KeyId", str)


def _text(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()


_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"


def new(prefix: str) -> str:
    """A fresh random identifier such as `req_k3v5…` (80 bits)."""
    # A table of 256 that repeats the 32 letters takes 5 bits of every byte.
    return f"{prefix}_{secrets.token_bytes(16).translate(_LETTERS * 8).decode()}"


def user_of_email(org: OrgId, email: str) -> UserId:
    """The user an e-mail address stands for in one organization.

    Derived, not looked up: telemetry that names a person before that person is a member is
    attributed to the same identifier afterwards, and any process can attribute without a query.
    """
    return UserId("user_" + _digest(org, "email", email.strip().lower()))


def user_of_installation(org: OrgId, product: str, installation: str) -> UserId:
    """The pseudonymous user behind an agent's installation id, where nothing better is known."""
    return UserId("user_" + _digest(org, product, installation))


def _digest(*parts: str) -> str:
    return _text(hashlib.blake2b("\0".join(parts).encode(), digest_size=10).digest())

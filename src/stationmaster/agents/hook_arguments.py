"""Arguments of a hook, for hooks without an id of their own: a hash of them, and them as JSON."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec


def digest(value: Any) -> str:
    """32 hex digits of a JSON value; they go into keys only, which are hashed again."""
    return blake2b(encoded(value), digest_size=16).hexdigest()


def encoded(value: Any) -> bytes:
    """A value as JSON with sorted members."""
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (TypeError, ValueError, RecursionError):
        # What JSON cannot hold (a lone surrogate), or is nested too deeply, is no argument.
        return b"null"


def decoded(value: Any) -> Any:
    """A value that some builds give as JSON in a text, as itself; all else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return value

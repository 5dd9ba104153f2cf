"""Deterministic identities: the same fact has the same event id from whatever source it comes.

The organization is not part of the hash: it is part of every storage key instead, and a laptop
that normalises its own transcripts does not know it.
"""

from __future__ import annotations

from hashlib import blake2b


def event_id(product: str, kind: str, *natural_key: str) -> str:
    """32 hex digits (128 bits) of the natural key of one event."""
    key = "\0".join((product, kind, *natural_key))
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def path_hash(session_id: str, path: str) -> str:
    """A path as 16 hex digits, keyed by its session.

    Equal within a session, from every source; of no use to compare sessions or to list a tree.
    """
    key = session_id.encode("utf-8", "surrogatepass")[:64]
    return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8, key=key).hexdigest()

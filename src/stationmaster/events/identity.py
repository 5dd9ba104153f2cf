"""Deterministic identities: the same fact has the same event id from whatever source it comes.

The organization is not part of the hash: it is part of every storage key instead, and a laptop
that normalises its own transcripts does not know it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from stationmaster.events.model import Event


def event_id(product: str, kind: str, *natural_key: str) -> str:
    """32 hex digits (128 bits) of the natural key of one event."""
    # A copy of the hash of the two words is half the price of hashing them again.
    hashed = _begun(product, kind).copy()
    hashed.update("\0".join(natural_key).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()


def identify(event: Event, *natural_key: str) -> None:
    """Give an event its id, by its product, its kind and what tells it from others of both."""
    event.event_id = event_id(event.product, event.kind, *natural_key)


def identify_in_session(event: Event, *place: str) -> None:
    """Give an event its id, by what tells it from others of its kind in its session."""
    event.event_id = event_id(event.product, event.kind, event.session_id or "", *place)


@lru_cache(maxsize=256)
def _begun(product: str, kind: str) -> blake2b:
    return blake2b(f"{product}\0{kind}\0".encode("utf-8", "surrogatepass"), digest_size=16)


def path_hash(session_id: str, path: str) -> str:
    """A path as 16 hex digits, keyed by its session.

    Equal within a session, from every source; of no use to compare sessions or to list a tree.
    """
    key = session_id.encode("utf-8", "surrogatepass")[:64]
    return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8, key=key).hexdigest()

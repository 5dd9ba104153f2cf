"""The bytes of one inbox row: what a delivery looks like between its receipt and the lake.

A payload is the length of the plain form (four bytes, big-endian) and its zstd-compressed
MessagePack; a tally is MessagePack alone. Fields are named in them, so that a newer version
reads the rows of an older one.
"""

from __future__ import annotations

import struct
import sys

import msgspec

from stationmaster import clock, days
from stationmaster.events.model import Event

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Tally = dict[tuple[str, str, str], int]
"""How many records of a (product, source) had an outcome: "kept", or the reason of a drop."""

PLAIN_MAX = 2**30
_LEVEL = 1
_LENGTH = struct.Struct(">I")


class Sender(msgspec.Struct, frozen=True, array_like=True):
    """Who delivered: a user or service account, and the machine that its client names, if it does.

    Empty for rows of a version that did not note it.
    """

    user_id: str = ""
    machine: str = ""


class Delivery(msgspec.Struct, frozen=True):
    """What one accepted request leaves for one organization: attributed events, and a tally."""

    org_id: str
    events: list[Event]
    tally: Tally
    sender: Sender = Sender()


class StoredTally(msgspec.Struct, frozen=True, array_like=True):
    """A tally, the UTC day (ISO) on which its records were received, and who sent them."""

    day: str
    counts: list[tuple[str, str, str, int]]
    sender: Sender = Sender()


class InboxRow(msgspec.Struct, frozen=True, gc=False):
    """An inbox row before compression. `first_day` is the earliest UTC day (ISO) of its events."""

    org_id: str
    first_day: str | None
    plain: bytes | None
    tally: bytes


class CorruptRowError(ValueError):
    """A stored row that does not decode."""


# A new one for each payload takes longer than a small payload itself.
_compressor = zstd.ZstdCompressor(_LEVEL)
_encoder = msgspec.msgpack.Encoder()
_events = msgspec.msgpack.Decoder(list[Event])
_tally = msgspec.msgpack.Decoder(StoredTally)


def of_delivery(delivery: Delivery) -> InboxRow:
    """The row of a delivery received today."""
    counts = [(*key, count) for key, count in sorted(delivery.tally.items())]
    tally = _encoder.encode(StoredTally(clock.today().isoformat(), counts, delivery.sender))
    if not delivery.events:
        return InboxRow(delivery.org_id, None, None, tally)
    first = min(event.ts for event in delivery.events)
    first_day = days.of_ms(first).isoformat()
    return InboxRow(delivery.org_id, first_day, _encoder.encode(delivery.events), tally)


def compress(plain: bytes) -> bytes:
    """The stored form of a payload. Other threads run meanwhile."""
    return _LENGTH.pack(len(plain)) + _compressor.compress(plain, zstd.ZstdCompressor.FLUSH_FRAME)


def decode_events(payload: bytes | None) -> list[Event]:
    """The events of a stored payload; CorruptRowError when it is damaged."""
    if payload is None:
        return []
    try:
        (length,) = _LENGTH.unpack_from(payload)
        if length > PLAIN_MAX:
            raise CorruptRowError("the payload claims an impossible length")
        plain = zstd.ZstdDecompressor().decompress(payload[_LENGTH.size :], length)
        return _events.decode(plain)
    except (struct.error, zstd.ZstdError, msgspec.MsgspecError, ValueError) as fault:
        raise CorruptRowError(f"the payload cannot be decoded: {type(fault).__name__}") from fault


def decode_tally(tally: bytes) -> StoredTally:
    """The tally of a stored row; CorruptRowError when it is damaged."""
    try:
        return _tally.decode(tally)
    except msgspec.MsgspecError as fault:
        raise CorruptRowError("the tally cannot be decoded") from fault


def encode_tally(tally: StoredTally) -> bytes:
    """A tally as MessagePack, as `decode_tally` reads it."""
    return _encoder.encode(tally)

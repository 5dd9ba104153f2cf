"""The three signals of OTLP, and which of them a protobuf body carries.

The requests of all three have the same form down to their records: field 1, then 2, then 2. The
records differ in the wire types of their fields, so that no other fact about a sender is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stationmaster.errors import Malformed

Signal = Literal["logs", "metrics", "traces"]

UNKNOWN = (
    "The body does not show whether it has logs, metrics or traces; "
    "send it to /v1/logs, /v1/metrics or /v1/traces."
)
_VARINT, _FIXED64, _LENGTH_DELIMITED, _FIXED32 = 0, 1, 2, 5
_Field = tuple[int, int]
"""The number of a field and its wire type."""


@dataclass(frozen=True)
class _Record:
    """What a record of one signal consists of: all its fields, and those of which each has one."""

    fields: frozenset[_Field]
    distinctive: frozenset[_Field]

    def fits(self, fields: set[_Field]) -> bool:
        """Fields that a later version of OTLP may add mean nothing."""
        last = max(number for number, _ in self.fields)
        present = {field for field in fields if field[0] <= last}
        return present <= self.fields and not self.distinctive.isdisjoint(present)


def _record(distinctive: str, **by_type: tuple[int, ...]) -> _Record:
    types = {"varint": _VARINT, "fixed64": _FIXED64, "bytes": _LENGTH_DELIMITED, "fixed32": 5}
    fields = frozenset((n, types[name]) for name, numbers in by_type.items() for n in numbers)
    field_numbers = {int(number) for number in distinctive.split()}
    return _Record(fields, frozenset(field for field in fields if field[0] in field_numbers))


_RECORDS: dict[Signal, _Record] = {
    # Times, body, attributes or event name.
    "logs": _record(
        "1 5 6 11 12", varint=(2, 7), fixed64=(1, 11), bytes=(3, 5, 6, 9, 10, 12), fixed32=(8,)
    ),
    # Gauge, sum, histogram, exponential histogram or summary.
    "metrics": _record("5 7 9 10 11", bytes=(1, 2, 3, 5, 7, 9, 10, 11, 12)),
    # Begin or end.
    "traces": _record(
        "7 8",
        varint=(6, 10, 12, 14),
        fixed64=(7, 8),
        bytes=(1, 2, 3, 4, 5, 9, 11, 13, 15),
        fixed32=(16,),
    ),
}


def of_protobuf(body: bytes) -> Signal:
    """The one signal whose records all records of a body can be.

    Raises Malformed where there is none: the body has no records, holds several signals, or is no
    OTLP.
    """
    left = dict(_RECORDS)
    records = 0
    for record in _records(body):
        records += 1
        fields = {(number, kind) for number, kind, _, _ in _fields(body, *record)}
        left = {signal: kind for signal, kind in left.items() if kind.fits(fields)}
        if not left:
            break
    if len(left) != 1 or not records:
        raise Malformed(UNKNOWN, code="unknown_signal")
    return next(iter(left))


def _records(body: bytes) -> Iterator[tuple[int, int]]:
    """Where each record of a request begins and ends."""
    for resource in _messages(body, 0, len(body), 1):
        for scope in _messages(body, *resource, 2):
            yield from _messages(body, *scope, 2)


def _messages(body: bytes, at: int, end: int, field_number: int) -> Iterator[tuple[int, int]]:
    for number, kind, begin, after in _fields(body, at, end):
        if number == field_number and kind == _LENGTH_DELIMITED:
            yield begin, after


def _fields(body: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The number and the wire type of each field, and where its value begins and ends.

    Raises Malformed for what is not protobuf.
    """
    while at < end:
        tag, at = _varint(body, at, end)
        kind = tag & 7
        begin = at
        if kind == _LENGTH_DELIMITED:
            length, begin = _varint(body, at, end)
            at = begin + length
        elif kind == _VARINT:
            _, at = _varint(body, at, end)
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise _not_protobuf()
        if at > end:
            raise _not_protobuf()
        yield tag >> 3, kind, begin, at


def _varint(body: bytes, at: int, end: int) -> tuple[int, int]:
    """A number and the place after it."""
    value = shift = 0
    while at < end and shift < 64:
        byte = body[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise _not_protobuf()


def _not_protobuf() -> Malformed:
    return Malformed("The body is not an OTLP request in protobuf.")

"""What kind of body was sent, and its plain bytes, never more of them than allowed."""

from __future__ import annotations

import zlib

from stationmaster.errors import Malformed, TooLarge, UnsupportedMedia

JSON = "application/json"
PROTOBUF = "application/x-protobuf"
NDJSON = "application/x-ndjson"
_SAME = {
    "application/protobuf": PROTOBUF,
    "application/jsonl": NDJSON,
    "application/ndjson": NDJSON,
}
_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""What zlib calls the container of each encoding."""
MEMBERS_MAX = 10_000
"""Members of one gzip body; each takes its time, even an empty one."""
_PIECE_BYTES = 64 * 1024
JSON_OBJECTS_MAX = 2_000_000
JSON_VALUES_MAX = 8_000_000
"""In one body: what a JSON text of three bytes a value would take in memory has no other bound."""


def kind(content_type: str | None, accepted: tuple[str, ...]) -> str:
    """The one of the `accepted` media types that a Content-Type header names.

    Raises UnsupportedMedia for every other type, none, and a charset that is not UTF-8.
    """
    essence, _, parameters = (content_type or "").partition(";")
    media_type = essence.strip().lower()
    media_type = _SAME.get(media_type, media_type)
    if media_type not in accepted:
        raise UnsupportedMedia(f"Send the body as {' or '.join(accepted)}.")
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "charset" and value.strip("\"'").lower() not in ("utf-8", "utf8"):
            raise UnsupportedMedia("Send the body in UTF-8.")
    return media_type


def plain(body: bytes, content_encoding: str | None, body_max: int) -> bytes:
    """The body after decompression.

    Raises TooLarge as soon as it exceeds `body_max` bytes, with no more than that in memory, and
    for more than MEMBERS_MAX members;
    Malformed for a damaged or truncated stream; UnsupportedMedia for an unknown encoding.
    """
    encoding = (content_encoding or "identity").strip().lower()
    if encoding == "identity":
        if len(body) > body_max:
            raise _too_large(body_max)
        return body
    if encoding not in _WINDOW:
        raise UnsupportedMedia("Send the body plain, or compressed with gzip or deflate.")
    return _inflated(body, encoding, body_max)


def _inflated(body: bytes, encoding: str, body_max: int) -> bytes:
    out: list[bytes] = []
    room, at, members = body_max, 0, 0
    with memoryview(body) as rest:
        # A gzip body may be several members, one after the other.
        while at < len(body) or not members:
            if members == MEMBERS_MAX:
                detail = f"The {encoding} body has more than {MEMBERS_MAX} members."
                raise TooLarge(detail, code="too_many_members")
            stream = zlib.decompressobj(_WINDOW[encoding])
            while not stream.eof:
                # In pieces: what follows a member is copied, whatever its length.
                piece = rest[at : at + _PIECE_BYTES]
                if not piece:
                    raise Malformed(f"The {encoding} body ends too early.")
                at += len(piece)
                try:
                    out.append(stream.decompress(piece, room + 1))
                except zlib.error as fault:
                    raise Malformed(f"The body is not valid {encoding}.") from fault
                room -= len(out[-1])
                if room < 0:
                    raise _too_large(body_max)
            at -= len(stream.unused_data)
            members += 1
    return b"".join(out)


def _too_large(body_max: int) -> TooLarge:
    return TooLarge(f"The body is larger than {body_max} bytes when decompressed.")


def check_density(body: bytes) -> None:
    """Raise TooLarge for a JSON body of more values than one request may hold.

    Counted by what opens and separates them, those within texts included.
    """
    if body.count(b"{") > JSON_OBJECTS_MAX or body.count(b",") > JSON_VALUES_MAX:
        raise TooLarge("The body has too many JSON values; send smaller ones.", code="too_dense")

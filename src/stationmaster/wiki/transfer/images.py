"""Which images a wiki may have: recognised by their first bytes, with the matching ending."""

from __future__ import annotations

from stationmaster.errors import BadRequest
from stationmaster.wiki.transfer.names import shown

ENDINGS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


def ending_of(file: str) -> str | None:
    """The ending of an image's name in lower case; None for what is not named as an image."""
    return next((ending for ending in ENDINGS if file.lower().endswith(ending)), None)


def media_type(file: str, content: bytes) -> str:
    """The media type of an image. Raises BadRequest where name and first bytes do not agree.

    SVG is not among them: it is a document that can run scripts.
    """
    ending = ending_of(file)
    kind = _magic(content)
    if ending is None or kind != ENDINGS[ending]:
        raise BadRequest(
            f"The file {shown(file)} is not a PNG, JPEG, GIF or WebP image, or its extension "
            f"does not match.",
            code="invalid_asset",
        )
    return kind


def _magic(content: bytes) -> str | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return None

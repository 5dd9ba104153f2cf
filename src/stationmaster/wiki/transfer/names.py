"""Which names files of a wiki may have: such that every system can unpack an export of it.

Case is kept. Names are made NFC, since some systems send them decomposed. Raises BadRequest
(`invalid_path`) that names the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from stationmaster.errors import BadRequest
from stationmaster.wiki.model import DEPTH_MAX

SEGMENT_BYTES_MAX = 120
PATH_BYTES_MAX = 200
INDEX = "index"
_SHOWN_MAX = 80
_SUFFIX = ".md"
# What Windows forbids in names, in addition to control characters.
_FORBIDDEN = re.compile(r'[\\:*?"<>|]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)


def page_path(file: str) -> tuple[str, bool]:
    """The path of a page without its ending, and whether it is the index of the folder there."""
    path = checked(file)
    if path.lower().endswith(_SUFFIX):
        path = checked(path[: -len(_SUFFIX)])
    folder, _, name = path.rpartition("/")
    if folder and name.lower() == INDEX:
        return folder, True
    return path, False


def checked(file: str) -> str:
    """A relative path of at most DEPTH_MAX plain segments, in NFC."""
    path = unicodedata.normalize("NFC", file)
    segments = path.split("/")
    if path.startswith("/"):
        raise _invalid(file, "is absolute")
    if len(segments) > DEPTH_MAX:
        raise _invalid(file, f"is deeper than {DEPTH_MAX} levels")
    if len(path.encode(errors="replace")) > PATH_BYTES_MAX:
        raise _invalid(file, f"is longer than {PATH_BYTES_MAX} bytes")
    for segment in segments:
        if (fault := _fault(segment)) is not None:
            raise _invalid(file, fault)
    return path


def check_unique(files: Iterable[str]) -> None:
    """Refuse files that cannot be in one folder where upper and lower case are the same."""
    by_key: dict[str, str] = {}
    folders: dict[str, str] = {}
    for file in files:
        if (key := _key(file)) in by_key:
            raise _invalid(file, f"occurs twice (the other one is {shown(by_key[key])})")
        by_key[key] = file
        steps = file.split("/")[:-1]
        for depth in range(1, len(steps) + 1):
            folder = "/".join(steps[:depth])
            if (other := folders.setdefault(_key(folder), folder)) != folder:
                raise _invalid(file, f"differs from the folder {shown(other)} only in case")
    if clash := by_key.keys() & folders.keys():
        raise _invalid(by_key[min(clash)], "is a file and a folder")


def shown(file: str) -> str:
    """A name from outside in an error: short, in quotes, nothing invisible."""
    text = file if len(file) <= _SHOWN_MAX else file[:_SHOWN_MAX] + "…"
    return ascii(text) if not text.isprintable() else f"'{text}'"


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path.casefold())


def _fault(segment: str) -> str | None:
    """What is wrong with one segment of a path."""
    if segment in ("", "."):
        return "has an empty segment"
    if segment == "..":
        return "leaves its folder"
    if segment.startswith("."):
        return "has a segment that starts with a dot"
    if not segment.isprintable() or _FORBIDDEN.search(segment):
        return "has a character that not every system allows in names"
    if segment != segment.strip() or segment.endswith("."):
        return "has a segment that starts or ends with a space, or ends with a dot"
    if len(segment.encode()) > SEGMENT_BYTES_MAX:
        return f"has a segment of more than {SEGMENT_BYTES_MAX} bytes"
    if _DEVICE.fullmatch(segment):
        return "has a segment that is the name of a device on some systems"
    return None


def _invalid(file: str, fault: str) -> BadRequest:
    return BadRequest(f"The path {shown(file)} {fault}.", code="invalid_path")

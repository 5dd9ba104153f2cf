"""What a repository wants of its wiki: `[wiki]` among its settings (`projects.settings`), and the
notes of `.devin/wiki.json`. Data, never an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from stationmaster.reading.projects.manifests.common import mapping, strings
from stationmaster.reading.projects.model import Settings
from stationmaster.repos.files import Files

FOREIGN = ".devin/wiki.json"
BYTES_MAX = 64 * 1024
NOTES_MAX, NOTE_MAX = 100, 10_000
PAGES_MAX = 200
_TITLE_MAX = 100


class Note(msgspec.Struct, frozen=True, array_like=True):
    """What maintainers say to readers, and the file that says it."""

    text: str
    path: str


class Steering(msgspec.Struct, frozen=True):
    """`ignore` are patterns of files that are not read, `leave_out` patterns of keys of pages,
    `titles` names of pages by key."""

    ignore: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    titles: Mapping[str, str] = {}
    notes: tuple[Note, ...] = ()


def read(files: Files, settings: Settings) -> Steering:
    """What does not fit is left out, as is a file beyond the limit."""
    place = settings.place.path if settings.place else ""
    own = settings.wiki if place and files.entry(place).size <= BYTES_MAX else {}
    titles = mapping(own.get("titles"))
    notes = [*_notes(strings(own.get("notes")), place), *_notes(_foreign(files), FOREIGN)]
    return Steering(
        ignore=tuple(strings(own.get("ignore"))[:PAGES_MAX]),
        leave_out=tuple(strings(own.get("leave_out"))[:PAGES_MAX]),
        titles={
            key: title.strip()[:_TITLE_MAX] for key, title in sorted(titles.items())[:PAGES_MAX]
            if isinstance(title, str) and title.strip()
        },
        notes=tuple(notes[:NOTES_MAX]),
    )  # fmt: skip


def _notes(texts: Iterable[str], path: str) -> Iterator[Note]:
    return (Note(each.strip()[:NOTE_MAX], path) for each in texts if each.strip())


def _foreign(files: Files) -> Iterator[str]:
    if FOREIGN not in files or files.entry(FOREIGN).size > BYTES_MAX:
        return
    told: Any = mapping(files.contents.json(FOREIGN)).get("repo_notes")
    for each in told if isinstance(told, list) else ():
        content = mapping(each).get("content")
        if isinstance(content, str):
            yield content

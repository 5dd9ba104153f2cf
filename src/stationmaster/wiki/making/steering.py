"""What a repository wants of its wiki: `[wiki]` among its settings (`projects.settings`), and the
notes and pages of `.devin/wiki.json`. Data, never an order.
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
    """A text of maintainers for readers, and the file that has it."""

    text: str
    path: str


class Wanted(msgspec.Struct, frozen=True, array_like=True):
    """A page that the repository asks for: its title, and its subject."""

    title: str
    purpose: str = ""


class Steering(msgspec.Struct, frozen=True):
    """`ignore` are patterns of files that are not read, `leave_out` patterns of keys of pages,
    `titles` names of pages by key, `pages` those to write in addition to the planned ones."""

    ignore: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    titles: Mapping[str, str] = {}
    notes: tuple[Note, ...] = ()
    pages: tuple[Wanted, ...] = ()


def read(files: Files, settings: Settings) -> Steering:
    """What does not fit is left out, as is a file beyond the limit."""
    place = settings.place.path if settings.place else ""
    own = settings.wiki if place and files.entry(place).size <= BYTES_MAX else {}
    foreign = _foreign(files)
    titles = mapping(own.get("titles"))
    notes = [*_notes(strings(own.get("notes")), place), *_notes(_contents(foreign), FOREIGN)]
    return Steering(
        ignore=tuple(strings(own.get("ignore"))[:PAGES_MAX]),
        leave_out=tuple(strings(own.get("leave_out"))[:PAGES_MAX]),
        titles={
            key: title.strip()[:_TITLE_MAX] for key, title in sorted(titles.items())[:PAGES_MAX]
            if isinstance(title, str) and title.strip()
        },
        notes=tuple(notes[:NOTES_MAX]),
        pages=tuple([*_wanted(own.get("pages")), *_wanted(foreign.get("pages"))][:PAGES_MAX]),
    )  # fmt: skip


def _notes(texts: Iterable[str], path: str) -> Iterator[Note]:
    return (Note(text.strip()[:NOTE_MAX], path) for text in texts if text.strip())


def _wanted(pages: Any) -> Iterator[Wanted]:
    """`[[wiki.pages]]` with `title` and `about`, or pages of `.devin/wiki.json` with `purpose`; a
    plain text is a title."""
    for item in pages if isinstance(pages, list) else ():
        page = {"title": item} if isinstance(item, str) else mapping(item)
        title, purpose = page.get("title"), page.get("about", page.get("purpose", ""))
        if isinstance(title, str) and (words := " ".join(title.split())[:_TITLE_MAX]):
            yield Wanted(words, purpose.strip()[:NOTE_MAX] if isinstance(purpose, str) else "")


def _foreign(files: Files) -> Mapping[str, Any]:
    if FOREIGN not in files or files.entry(FOREIGN).size > BYTES_MAX:
        return {}
    return mapping(files.contents.json(FOREIGN))


def _contents(foreign: Mapping[str, Any]) -> Iterator[str]:
    notes = foreign.get("repo_notes")
    for note in notes if isinstance(notes, list) else ():
        content = mapping(note).get("content")
        if isinstance(content, str):
            yield content

"""What may be costly about a wiki, done before anything is locked: by functions whose arguments and
answers are plain data, so that child processes call them."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import NamedTuple

import msgspec

from stationmaster.errors import Conflict, NotFound
from stationmaster.repos.reading import Snapshot, Source
from stationmaster.wiki import search_rows
from stationmaster.wiki.checks import links, scanning
from stationmaster.wiki.checks.lines import UNCOUNTED, line_counts
from stationmaster.wiki.making.memo import Memory, Nothing
from stationmaster.wiki.model import Details, Page, Upload
from stationmaster.wiki.transfer import uploads


class Prepared(NamedTuple):
    """A wiki that may be stored, its rows of the search index, and what was counted."""

    checked: uploads.Checked
    rows: list[search_rows.Row]
    details: Details


def prepared(upload: Upload, source: Source | None, stats: dict[str, int]) -> Prepared:
    """An upload; citations are compared with the commit where it can be read. Raises BadRequest.

    What cannot be read of it counts as if it had every line: an upload is not refused for that.
    """
    with _opened(source) as snapshot:
        return prepare(upload, None if snapshot is None else _readable(snapshot), stats)


def prepare(
    upload: Upload,
    lines_of: links.Counts | None = None,
    stats: dict[str, int] | None = None,
    memory: Memory | None = None,
) -> Prepared:
    """Check a wiki. Broken links are counted and refuse nothing. Pages that are unchanged since an
    earlier run left them in `memory` are not parsed again. Raises BadRequest."""
    checked = uploads.check(upload)
    texts = checked.texts
    taken_apart = [_taken_apart(page, texts[page.file], memory or Nothing())
                   for page in checked.pages]  # fmt: skip
    marks = {page.file: taken.marks
             for page, taken in zip(checked.pages, taken_apart, strict=True)}  # fmt: skip
    report = links.check_marks(marks, checked.images, lines_of=lines_of)
    rows = [row for taken in taken_apart for row in taken.rows]
    return Prepared(checked, rows, links.details(report, stats))


class _Taken(NamedTuple):
    """A page for the search, and its links."""

    rows: list[search_rows.Row]
    marks: list[scanning.Found]


_TAKEN = msgspec.msgpack.Decoder(_Taken)


def _taken_apart(page: Page, text: str, memory: Memory) -> _Taken:
    words = ("taken apart", page.page_id, page.title, page.digest.hex())
    with suppress(msgspec.MsgspecError):
        kept = memory.get(*words)
        if kept is not None:
            return _TAKEN.decode(kept)
    taken = _Taken(
        list(search_rows.rows_of(page.page_id, page.title, text)), list(scanning.scan(text))
    )
    memory.keep(msgspec.msgpack.encode(taken), *words)
    return taken


def _readable(snapshot: Snapshot) -> links.Counts:
    count = line_counts(snapshot)

    def counted(path: str) -> int | None:
        try:
            return count(path)
        except Conflict:
            return UNCOUNTED

    return counted


def _opened(source: Source | None) -> Snapshot | nullcontext[None]:
    if source is None:
        return nullcontext()
    try:
        return source.open()
    except (Conflict, NotFound):  # The commit cannot be read then.
        return nullcontext()

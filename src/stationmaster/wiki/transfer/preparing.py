"""What may be costly about a wiki, done before anything is locked: by functions whose arguments and
answers are plain data, so that child processes call them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

from stationmaster.errors import Conflict, NotFound
from stationmaster.repos.reading import Snapshot, Source
from stationmaster.wiki import search_rows
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.lines import UNCOUNTED, line_counts
from stationmaster.wiki.checks.links import Counts
from stationmaster.wiki.model import Details, Upload
from stationmaster.wiki.transfer import uploads
from stationmaster.wiki.transfer.uploads import Checked


class Prepared(NamedTuple):
    """A wiki that may be stored, what the search holds of it, and what was counted."""

    checked: Checked
    rows: list[search_rows.Row]
    details: Details


def prepared(upload: Upload, source: Source | None, stats: dict[str, int]) -> Prepared:
    """An upload; citations are compared with the commit where it can be read. Raises BadRequest.

    What cannot be read of it counts as if it held every line: an upload is not refused for that.
    """
    with _opened(source) as snapshot:
        return prepare(upload, None if snapshot is None else _readable(snapshot), stats)


def prepare(
    upload: Upload, lines_of: Counts | None = None, stats: dict[str, int] | None = None
) -> Prepared:
    """Links that lead nowhere are counted and refuse nothing. Raises BadRequest."""
    checked = uploads.check(upload)
    report = links.check(checked.texts, checked.images, lines_of=lines_of)
    rows = [
        row
        for page, text in zip(checked.pages, checked.texts.values(), strict=True)
        for row in search_rows.rows_of(page.page_id, page.title, text)
    ]
    return Prepared(checked, rows, links.details(report, stats))


def _readable(snapshot: Snapshot) -> Counts:
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
    except (Conflict, NotFound):  # Nothing is known of the commit then.
        return nullcontext()

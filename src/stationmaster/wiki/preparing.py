"""What may be costly about a wiki, done before anything is locked: by functions whose arguments and
answers are plain data, so that child processes call them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from stationmaster.children.messages import Tell
from stationmaster.errors import Conflict, NotFound
from stationmaster.repos.reading import Snapshot, Source
from stationmaster.wiki import generated, search, uploads
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.lines import UNCOUNTED, line_counts
from stationmaster.wiki.checks.links import Counts
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.generate import Wiki, generate
from stationmaster.wiki.memo import Kept, Nothing
from stationmaster.wiki.model import Details, Upload
from stationmaster.wiki.uploads import Checked


class Prepared(NamedTuple):
    """A wiki that may be stored, what the search holds of it, and what was counted."""

    checked: Checked
    rows: list[search.Row]
    details: Details


class Draft(NamedTuple):
    wiki: Wiki
    prepared: Prepared


def draft(source: Source, url: str, memory: str, for_model: bool, tell: Tell) -> Draft:
    """The wiki of a commit, written without a model, ready to be stored. `memory` is the file of
    what earlier runs found; `for_model` adds what a model may read.
    Raises what reading a repository raises."""
    with source.open() as snapshot:
        wiki = _written(snapshot, generated.commit_of(snapshot, url), memory, for_model, tell)
        tell("checking", 0, 1)
        found = prepare(generated.upload(wiki), line_counts(snapshot), dict(wiki.stats))
    return Draft(wiki, found)


def written(
    source: Source, url: str | None, place: str, memory: str | None, for_model: bool, tell: Tell
) -> Wiki:
    """The wiki of a commit whose repository may have no address: `place` names it then."""
    with source.open() as snapshot:
        return _written(
            snapshot, generated.commit_of(snapshot, url, place), memory, for_model, tell
        )


def _written(
    snapshot: Snapshot, commit: Commit, memory: str | None, for_model: bool, tell: Tell
) -> Wiki:
    with Kept(Path(memory)) if memory else nullcontext(Nothing()) as kept:
        return generate(snapshot, commit, kept, tell, for_model)


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
    return Prepared(checked, _rows(checked), links.details(report, stats))


def _readable(snapshot: Snapshot) -> Counts:
    count = line_counts(snapshot)

    def counted(path: str) -> int | None:
        try:
            return count(path)
        except Conflict:
            return UNCOUNTED

    return counted


def _rows(checked: Checked) -> list[search.Row]:
    return [
        row
        for page in checked.pages
        for row in search.rows_of(page.page_id, page.title, checked.bodies[page.digest].decode())
    ]


def _opened(source: Source | None) -> Snapshot | nullcontext[None]:
    if source is None:
        return nullcontext()
    try:
        return source.open()
    except (Conflict, NotFound):  # Nothing is known of the commit then.
        return nullcontext()

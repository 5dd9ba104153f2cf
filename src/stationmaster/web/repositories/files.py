"""`/repositories/ID/files`: lines of a file at a commit, with those marked that are cited."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, urlencode

from starlette.responses import Response

from stationmaster.web.frame.pages import MemberVisit, router
from stationmaster.web.repositories.repository import REPOSITORY, known_repository, tab_page
from stationmaster.wiki import citations, source_files

BEFORE = 40
"""Lines above the cited ones."""
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")

routes = router()


class FileLine(NamedTuple):
    """A line of a file; the first has number 1."""

    number: int
    text: str
    is_cited: bool


@routes.get(REPOSITORY + "/files")
def show_file(
    visit: MemberVisit, repo_id: str, path: str, commit: str = "", lines: str = "", first: int = 0
) -> Response:
    """The part of a file around some lines (`3` or `3-9`), or from a line on, at a commit."""
    repository = known_repository(visit, repo_id)
    cited = _range(lines)
    shown = source_files.read(
        visit.db,
        visit.settings,
        visit.org,
        repository.repo_id,
        commit=commit or None,
        path=path,
        first=first or cited.start - BEFORE,
    )
    host = citations.host(repository.url, shown.commit)
    start, end = (cited.start, cited.stop - 1) if cited else (None, None)

    def part(line: int) -> str:
        return urlencode({"commit": shown.commit, "path": path, "lines": lines, "first": line})

    return tab_page(
        visit,
        repository,
        "files",
        shown=shown,
        lines=[FileLine(at, text, at in cited) for at, text in enumerate(shown.lines, shown.first)],
        elsewhere=None if host is None else host.address(quote(path), start, end),
        earlier=part(max(1, shown.first - source_files.LINES_MAX)) if shown.first > 1 else None,
        later=part(shown.last + 1) if shown.last < shown.total else None,
    )


def _range(text: str) -> range:
    """The lines of `3` or `3-9`; none for any other text."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return range(0)
    start = int(match[1])
    return range(start, max(start, int(match[2] or 0)) + 1)

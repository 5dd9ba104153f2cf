"""Does every link of a wiki have a target, and does every citation name lines that exist?

A citation is a link to `source:path#L3-L9`, a link into a file of the commit at the repository's
host, or the code span `path:3-9`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from urllib.parse import unquote

from stationmaster import ids
from stationmaster.wiki import indexes
from stationmaster.wiki.checks import scanning
from stationmaster.wiki.checks.scanning import Found
from stationmaster.wiki.model import Details
from stationmaster.wiki.text.inline import Place

Code = Literal[
    "no-page", "no-anchor", "no-image", "remote-image", "scheme", "no-file", "no-line",
]  # fmt: skip
PROBLEMS_MAX = 1_000
_KEPT_MAX = 20
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}):")
_SAFE = frozenset({"http", "https", "mailto"})
_SPAN = re.compile(
    r"([\w@+.~-]{1,100}(?:/[\w@+.~ \[\]()$-]{1,200}){0,40}):(\d{1,7})(?:-(\d{1,7}))?"
)
_LINES = re.compile(r"L(\d{1,7})(?:-L?(\d{1,7}))?")


class Problem(NamedTuple):
    """What is wrong on a line of a page."""

    file: str
    line: int
    code: Code
    text: str


class Report(NamedTuple):
    """`citations` are those that name lines of a file of the repository; `unresolved` of them do
    not exist there: None without the repository. `problems` are bounded."""

    pages: int
    links: int
    citations: int
    unresolved: int | None
    problems: tuple[Problem, ...]


Reads = Callable[[str], Place | None]
"""What a link's address cites, None where it cites nothing."""
Counts = Callable[[str], int | None]
"""How many lines a file of the commit has; None where there is no such file."""


def check(
    pages: Mapping[str, str],
    assets: Collection[str] = (),
    *,
    cited: Reads = lambda _: None,
    lines_of: Counts | None = None,
) -> Report:
    """`pages` are texts by file (`modules/auth.md`), `assets` the files of images."""
    marks = {file: list(scanning.scan(text)) for file, text in pages.items()}
    return check_marks(marks, assets, cited=cited, lines_of=lines_of)


def check_marks(
    pages: Mapping[str, Sequence[Found]],
    assets: Collection[str] = (),
    *,
    cited: Reads = lambda _: None,
    lines_of: Counts | None = None,
) -> Report:
    """`pages` are what `scanning.scan` finds in each page."""
    checker = _Checker(pages, assets, cited, lines_of)
    problems: list[Problem] = []
    for file in sorted(pages):
        for problem in checker.problems(file):
            if len(problems) < PROBLEMS_MAX:
                problems.append(problem)
    return Report(
        len(pages),
        checker.links,
        checker.citations,
        None if lines_of is None else checker.unresolved,
        tuple(problems),
    )


def details(report: Report, stats: dict[str, int] | None = None) -> Details:
    """What is stored of a report with its run."""
    return Details(
        links=report.links,
        broken_links=sum(problem.code not in ("no-file", "no-line") for problem in report.problems),
        citations=report.citations,
        unresolved_citations=report.unresolved,
        problems=tuple(
            f"{problem.file}:{problem.line}: {problem.code}: {problem.text[:200]}"
            for problem in report.problems[:_KEPT_MAX]
        ),
        stats=stats or {},
    )


class _Checker:
    def __init__(
        self,
        pages: Mapping[str, Sequence[Found]],
        assets: Collection[str],
        cited: Reads,
        lines_of: Counts | None,
    ) -> None:
        self.links = self.citations = self.unresolved = 0
        self._marks = pages
        self._anchors = {
            file: {mark.text for mark in marks if mark.kind == "anchor"}
            for file, marks in self._marks.items()
        }
        self._files = {**{_path(file): file for file in pages}, **{file: file for file in pages}}
        # A section without a page has an index in every stored run.
        self._files |= {path: path for path in indexes.paths([_path(file) for file in pages])}
        self._by_id = {ids.page_of_path(path): file for path, file in self._files.items()}
        self._assets = frozenset(assets)
        self._cited = cited
        self._lines_of = lines_of

    def problems(self, file: str) -> Iterator[Problem]:
        linked = {
            (mark.line, citation)
            for mark in self._marks[file]
            if mark.kind == "link" and (citation := self._citation_at(mark.text)) is not None
        }
        for item in self._marks[file]:
            # The words of a citation's link name the same lines as its address.
            if item.kind == "code" and (item.line, span(item.text)) in linked:
                continue
            code = self._fault(file, item)
            if code is not None:
                yield Problem(file, item.line, code, item.text)

    def _fault(self, file: str, mark: Found) -> Code | None:
        if mark.kind == "code":
            place = span(mark.text)
            is_sure = self._lines_of is not None
            if place is None or not (is_sure or "/" in place.path or "." in place.path):
                return None
            return self._citation(place, is_certain=False)
        if mark.kind == "anchor":
            return None
        if mark.kind == "image":
            return self._image(file, mark.text)
        return self._link(file, mark.text)

    def _link(self, file: str, address: str) -> Code | None:
        citation = self._citation_at(address)
        if citation is not None and citation.line is not None:
            return self._citation(citation, is_certain=True)
        self.links += 1
        if citation is not None:
            is_there = self._lines_of is None or self._lines_of(citation.path) is not None
            return None if is_there else "no-file"
        scheme = _SCHEME.match(address)
        if scheme is not None:
            return None if scheme[1].lower() in _SAFE else "scheme"
        if address.startswith("//"):
            return "scheme"
        path, _, anchor = address.partition("#")
        target = file if not path else self._target(file, unquote(path))
        if target is None:
            return "no-page"
        if anchor and target in self._anchors and unquote(anchor) not in self._anchors[target]:
            return "no-anchor"
        return None

    def _citation_at(self, address: str) -> Place | None:
        return source(address) or self._cited(address)

    def _target(self, file: str, path: str) -> str | None:
        """The page, section or image that a path names: from the page's folder, from the wiki's
        root with a slash, or by a page's id."""
        if path.startswith("/"):
            place = posixpath.normpath(path).lstrip("/")
        else:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        if place in self._assets:
            return place
        for name in (place, _path(place), f"{place}/index.md", f"{place}/README.md"):
            if name in self._files:
                return self._files[name]
        return self._by_id.get(path)

    def _image(self, file: str, address: str) -> Code | None:
        self.links += 1
        if _SCHEME.match(address) or address.startswith("//"):
            return "remote-image"
        return None if self._target(file, unquote(address)) in self._assets else "no-image"

    def _citation(self, citation: Place, *, is_certain: bool) -> Code | None:
        """A code span that names no file of the commit may be anything, and is no citation."""
        if self._lines_of is None:
            self.citations += 1
            return None
        count = self._lines_of(citation.path)
        if count is None:
            if not is_certain:
                return None
            self.citations += 1
            self.unresolved += 1
            return "no-file"
        self.citations += 1
        last = citation.end or citation.line or 0
        if last > max(count, 1) or (citation.line or 1) > last > 0 or citation.line == 0:
            self.unresolved += 1
            return "no-line"
        return None


def span(code: str) -> Place | None:
    """What code such as `src/app.py:3-9` may cite; None for what is of another form."""
    parts = _SPAN.fullmatch(code)
    return None if parts is None else _citation_of(parts[1], parts[2], parts[3])


def source(address: str) -> Place | None:
    """A citation as it is written in a stored page."""
    if not address.startswith("source:"):
        return None
    path, _, anchor = address.removeprefix("source:").partition("#")
    lines = _LINES.fullmatch(anchor)
    if lines is None:
        return Place(unquote(path))
    return _citation_of(unquote(path), lines[1], lines[2])


def _citation_of(path: str, line: str, end: str | None) -> Place:
    return Place(path, int(line), int(end) if end else None)


def _path(file: str) -> str:
    path = file.removesuffix(".md")
    return path.removesuffix("/index")

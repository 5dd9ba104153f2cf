"""What this wiki does not know, and what maintainers add to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.code.classes import FILES_MAX, Why
from stationmaster.reading.code.looks import DEPTH_MAX, LINE_MAX, SIZE_MAX
from stationmaster.reading.code.model import Status
from stationmaster.reading.code.worker import CPU_SECONDS_MAX
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.subjects.concepts import unanswered
from stationmaster.wiki.facts.texts import drift, gaps
from stationmaster.wiki.facts.texts.drift import Drift
from stationmaster.wiki.facts.unread import unread, unread_sql, unrouted
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page

_REASONS: Mapping[Status, str] = {
    "errors": "parts of it cannot be parsed; the rest is read",
    "timeout": f"parsing took more than {CPU_SECONDS_MAX:.0f} seconds",
    "failed": "its reader could not cope with it",
    "nested": f"brackets nest deeper than {DEPTH_MAX}",
    "long-lines": f"a line is longer than {LINE_MAX:,} bytes",
    "too-large": f"it is larger than {SIZE_MAX // 2**20} MiB",
}
_WHY: Mapping[Why, str] = {
    "attributes": "marked in `.gitattributes`",
    "settings": "excluded by the repository's settings",
    "folder": "by the folder that it is in",
    "name": "by its name",
    "header": "by a comment at the top",
    "shape": "by the length of its lines",
    "bundle": "as a bundle of modules",
    "content": "by what it contains",
    "limit": "more code than is parsed",
}
NAMED_MAX = 10
"""Files that are left out."""
_ASKED = "The repository's settings request these pages, but nothing was found for them."
_DRIFTS = {
    "link": "Links to {}, which does not exist",
    "path": "Names {}, which does not exist",
    "task": "Asks for {}, which nothing declares",
    "badge": "Shows the state of {}, which does not exist",
}


def plan(facts: Facts) -> Iterator[Planned]:
    if facts.steering.notes:
        yield Planned("notes", "Notes", _write_notes)
    yield Planned("gaps", "Gaps", _write, version=2)


def _write(page: Page, facts: Facts, _: None) -> None:
    imports = gaps.unknown_imports(facts)
    page.summary(*_summary(facts))
    page.section("Files not understood")
    page.table(
        ("File", "Why"),
        [
            (page.cite(Place(path)), _REASONS.get(status, status))
            for path, status in gaps.misunderstood(facts)
        ],
    )
    page.section("Imports that are not resolved")
    page.table(
        ("Import", "Files", "First"),
        [(code(import_.name), import_.files, page.cite(import_.place)) for import_ in imports],
    )
    page.section(
        "Interfaces not understood",
        intro="The code uses packages for these, but nothing of the kind was recognised.",
    )
    page.table(
        ("What", "Package", "Asked for in"),
        [
            (package.what, code(package.package), page.cite(package.place))
            for package in unread(facts)
        ],
    )
    page.section("View sets that no known route leads to")
    page.items([md("{}, {}", code(it.package), page.cite(it.place)) for it in unrouted(facts)])
    page.section("SQL that creates tables of which none was read")
    page.items([page.cite(Place(path)) for path in unread_sql(facts)])
    page.section("Pages asked for", intro=_ASKED)
    page.items(unanswered(facts))
    _left_out(page, facts)
    _limits(page, facts)
    _drifts(page, drift.drifts(facts))
    _variables(page, facts)


def _summary(facts: Facts) -> Iterator[Md | str]:
    files, imports = len(gaps.misunderstood(facts)), len(gaps.unknown_imports(facts))
    others = sum(other.files for other in gaps.not_read(facts))
    if files:
        yield md("{} could not be read, or not wholly.", counted(files, "code file"))
    if others:
        are = "is" if others == 1 else "are"
        yield md("{} {} in a language without a reader.", counted(others, "file"), are)
    if imports:
        are = "is" if imports == 1 else "are"
        yield md("{} {} not resolved to a file or package.", counted(imports, "import"), are)


def _left_out(page: Page, facts: Facts) -> None:
    page.section("Left out")
    rows = [row for row in gaps.left_out(facts) if row[2] in _WHY]
    page.table(
        ("File", "Kind", "Recognised"),
        [(page.cite(Place(path)), kind, Md(_WHY[why])) for path, kind, why in rows[:NAMED_MAX]],
    )
    if len(rows) > NAMED_MAX:
        page.text(md("{} more are left out.", f"{len(rows) - NAMED_MAX:,}"))
    page.section("Languages without a reader")
    endings = [(code(other.ending), other.files) for other in gaps.not_read(facts)]
    page.table(("Ending", "Files"), endings)
    links, submodules = gaps.links_and_submodules(facts)
    for title, paths in (("Links", links), ("Submodules", submodules)):
        page.section(f"{title} not followed")
        page.items([code(path) for path in paths])


def _limits(page: Page, facts: Facts) -> None:
    lines = [
        md(
            "Steps show calls in the order of the source: what leaves a function before a call, or"
            " is queued or runs concurrently, changes what runs. Calls whose target the source does"
            " not make clear are left out."
        )
    ]
    dropped = sorted(gaps.dropped(facts).items())
    if dropped:
        counts = joined([md("{} {}", f"{count:,}", kind) for kind, count in dropped])
        lines.append(
            md("There are more than {} files; these are not listed: {}.", f"{FILES_MAX:,}", counts)
        )
    page.section("Limits")
    page.items(lines)


def _drifts(page: Page, drifts: Sequence[Drift]) -> None:
    page.section("Where documents and files differ")
    rows = [(md(_DRIFTS[it.kind], code(it.name)), page.cite(it.place)) for it in drifts]
    page.table(("Finding", "Stated in"), rows)


def _variables(page: Page, facts: Facts) -> None:
    page.section("Documented variables of which no reading was found")
    page.table(
        ("Variable", "Named in"),
        [(code(name), page.cite(place)) for name, place in drift.unread(facts)],
    )


def _write_notes(page: Page, facts: Facts, _: None) -> None:
    page.summary("These are notes of the maintainers for readers of this wiki.")
    for note in facts.steering.notes:
        page.quote(note.text, Place(note.path))

"""A page while it is written: headings, paragraphs, tables, diagrams, and the source of each.

Prose may be a template: Markdown with values put in, each escaped as text of a page. A paragraph
may go over several lines of one; a blank line ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stationmaster.wiki.citations import SCHEME
from stationmaster.wiki.facts.model import Facts, title_of
from stationmaster.wiki.text.diagrams import Diagram
from stationmaster.wiki.text.inline import (
    Md,
    Place,
    code,
    counted,
    joined,
    md,
    table_row,
    text,
    with_article,
)
from stationmaster.wiki.text.quoting import block

_BLOCKS = ("|", "- ", ">", "#", "```", "1. ")

_Entry = TypeVar("_Entry")
ROWS_MAX = 1_000
LINES_MAX = 200
COLUMNS_MAX = 6


class Page:
    """`key` is its path in the wiki without an ending. Blocks are written from top to bottom."""

    def __init__(self, facts: Facts, key: str, title: str) -> None:
        self.key = key
        self.title = title
        self._facts = facts
        self._blocks: list[str] = [f"# {text(title)}"]
        self._heads: dict[int, str] = {}
        self._related: dict[str, None] = {}
        self.description = ""
        self.further: list[Page] = []
        """Pages with the rows and points that do not fit on this one."""

    # Inline

    def cite(self, place: Place) -> Md:
        """A citation: the file and lines that a statement rests on."""
        return citation(place)

    def link(self, key: str, words: str | None = None, anchor: str = "") -> Md:
        """A link to another page of the wiki; only its words where there is no such page."""
        title = title_of(self._facts, key)
        shown = text(words if words is not None else title or key.rpartition("/")[2])
        if title is None or key == self.key:
            return shown
        return Md(f"[{shown}]({relative(self.key, key)}{'#' + anchor if anchor else ''})")

    def sourced(self, quote: Md, place: Place) -> Md:
        """The lines of a quote with their place; nothing without any."""
        return Md(f"{quote}\n>\n> — {self.cite(place)}") if quote else quote

    # Blocks

    def summary(self, *sentences: Md | str) -> None:
        """Set the summary: one to three sentences; the first one describes the page in lists."""
        shown = [sentence for sentence in map(text, sentences) if sentence]
        if shown:
            self.description = self.description or str(shown[0])
            self._add(" ".join(shown))

    def section(self, title: str, level: int = 2, intro: str = "") -> None:
        """A heading with a sentence below it; both are left out where nothing follows."""
        self._heads = {depth: head for depth, head in self._heads.items() if depth < level}
        self._heads[level] = f"{'#' * level} {text(title)}" + (intro and f"\n\n{text(intro)}")

    def text(self, *sentences: Md | str) -> None:
        """A paragraph."""
        shown = " ".join(sentence for sentence in map(text, sentences) if sentence)
        if shown:
            self._add(shown)

    def items(self, lines: Iterable[Md | str]) -> None:
        """A list with LINES_MAX points, and further pages with the others."""
        shown = [line for line in map(text, lines) if line]
        self.continued(shown, LINES_MAX, lambda page, some: page.block(points(some)))

    def glance(self, rows: Iterable[tuple[str, Md | str | int | None]]) -> None:
        """“At a glance”: names and values; rows without a value are left out."""
        shown = [(name, value) for name, value in rows if value is not None and value != ""]
        if len(shown) > 1:  # A single one repeats the summary.
            self.section("At a glance")
            self.table(("What", "Value"), shown)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Md | str | int]]) -> None:
        """ROWS_MAX rows, and further pages with the others; no empty columns, and nothing without
        rows."""
        self.continued(rows, ROWS_MAX, lambda page, some: page.block(table(head, some)))

    def fill(self, template: str, /, **values: Any) -> None:
        """Prose with values in it, which may have citations of this page (see `text.templates`)."""
        self._add(*filled_blocks(template, **values))

    def block(self, written: Md) -> None:
        """Markdown of several lines."""
        if written:
            self._add(written)

    def commands(self, lines: Sequence[str]) -> None:
        """Command lines that the repository itself has somewhere."""
        if lines:
            self._add(block("\n".join(lines), "sh"))

    def diagram(self, drawn: Diagram | None) -> None:
        """A picture with its caption, and the same as a list for who cannot see it."""
        if drawn is None:
            return
        self._add(f"*{text(drawn.caption)}*", f"```mermaid\n{drawn.source}\n```")
        self.items(drawn.alternative)

    def quote(self, words: str, place: Place) -> None:
        """A text of a document of the repository, marked as its words."""
        quoted = text(words)
        self.block(self.sourced(Md(f"> {quoted}"), place) if quoted else quoted)

    def see(self, *keys: str) -> None:
        """Pages to read next; missing ones are left out."""
        self._related.update(dict.fromkeys(keys))

    def body(self) -> str:
        """The whole page, with related pages at its end."""
        related = [self.link(key) for key in self._related if key != self.key]
        self.section("Related pages")
        self.text(joined([line for line in related if line.startswith("[")]))
        return "\n\n".join(self._blocks) + "\n"

    def continued(
        self, entries: Sequence[_Entry], most: int, write: Callable[[Page, Sequence[_Entry]], None]
    ) -> None:
        """The first `most` entries here, and the others in groups of so many on further pages."""
        write(self, entries[:most])
        begun = len(self.further)
        for start in range(most, len(entries), most):
            number = len(self.further) + 2
            page = Page(self._facts, f"{self.key}-{number}", f"{self.title} ({number})")
            page.text(md("This page continues {}.", page.link(self.key, self.title)))
            write(page, entries[start : start + most])
            self.further.append(page)
        if self.further[begun:]:
            links = [
                Md(f"[{text(page.title)}]({relative(self.key, page.key)})")
                for page in self.further[begun:]
            ]
            words = "These are the first {} of {}; the others are on {}."
            numbers = f"{most:,}", f"{len(entries):,}"
            self.text(md(words, *numbers, joined(links, last=" and ")))

    def _add(self, *blocks: str) -> None:
        """Blocks below the headings that wait for something to follow them."""
        if blocks:
            self._blocks += [*self._heads.values(), *blocks]
            self._heads = {}


def table(head: Sequence[str], rows: Sequence[Sequence[Md | str | int]]) -> Md:
    """The lines of a table, without empty columns; empty without rows. One with more columns than
    can be read is followed by tables with the others, each behind the first column."""
    filled = [at for at in range(len(head)) if any(row[at] != "" for row in rows)]
    if not rows or not filled:
        return Md("")
    shown, others = filled[:COLUMNS_MAX], [filled[0], *filled[COLUMNS_MAX:]]
    lines = [_row([head[at] for at in shown]), "|" + " --- |" * len(shown)]
    lines += [_row([row[at] for at in shown]) for row in rows]
    if len(filled) > COLUMNS_MAX:
        rest = [[row[at] for at in others] for row in rows]
        lines += ["", table([head[at] for at in others], rest)]
    return Md("\n".join(lines))


def points(lines: Sequence[Md]) -> Md:
    """The lines of a list."""
    return Md("\n".join(f"- {line}" for line in lines))


def citation(place: Place) -> Md:
    """A link to the file and lines of a place."""
    lines = ""
    anchor = ""
    if place.line is not None:
        first = max(place.line, 1)  # What is above all headings begins at 0.
        lines = f":{first}"
        anchor = f"#L{first}"
        if place.end is not None and place.end > first:
            lines += f"-{place.end}"
            anchor += f"-L{place.end}"
    return Md(f"[{code(place.path + lines)}]({SCHEME}{quote(place.path)}{anchor})")


def relative(start: str, key: str) -> str:
    """The address of a page as seen from another one; every page is a file next to its folder."""
    here, there = start.split("/")[:-1], key.split("/")
    while here and len(there) > 1 and here[0] == there[0]:
        here, there = here[1:], there[1:]
    return "../" * len(here) + "/".join(there) + ".md"


def _row(cells: Sequence[Md | str | int]) -> str:
    shown = (cell if isinstance(cell, Md) else text(str(cell), 300) for cell in cells)
    return table_row(shown)


def filled_blocks(template: str, /, **values: Any) -> Iterator[str]:
    """The blocks of a template by its name, in their order."""
    rendered = _environment().get_template(f"{template}.md.j2").render(**values)
    lines: list[str] = []
    fence = ""
    for line in rendered.split("\n"):
        mark = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line == fence else fence
        elif len(mark) >= len("```") and "`" not in line[len(mark) :]:
            fence = mark
        elif not line.strip():
            yield from _block(lines)
            lines = []
            continue
        lines.append(line)
    yield from _block(lines)


def _block(lines: list[str]) -> Iterator[str]:
    if lines:
        is_prose = not lines[0].startswith(_BLOCKS)
        yield " ".join(" ".join(lines).split()) if is_prose else "\n".join(lines)


def _shown(value: object) -> Any:
    """Text of the repository becomes text of the page."""
    return value if isinstance(value, Md | Markup) else text(str(value))


def _list(parts: list[Md], last: str = " and ") -> Md:
    return joined(list(parts), last=last)


@lru_cache(1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("stationmaster.wiki", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(code=code, counted=counted, listed=_list, with_article=with_article)
    return made

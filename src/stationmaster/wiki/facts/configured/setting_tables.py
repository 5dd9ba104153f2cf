"""What tables and lists of the project's own documents say of settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.documents import guides, tells_what_is

_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|?+)++")
_CELL = re.compile(r"(?<!\\)\|")
_NAME = re.compile(r"_{0,3}[A-Z][A-Z0-9_]{2,99}")
_TEMPLATE = re.compile(r"[A-Z][A-Z0-9_]{2,60}(?:\$\{?\w{1,60}\}?|[{\[*]\w{0,60}[}\]]?)[\w$]{0,60}")
"""The name of several variables, with a hole as documents write it."""
_MEANING = re.compile(r"(?i)(?:description|meaning|purpose|explanation|details?|usage|what\b.*)")
_MARKUP = re.compile(
    r"<(?:sup|super|sub)>.{0,20}?</(?:sup|super|sub)>|<[^>]{0,200}>|(?<!\\)[`*]|\[\^[^\]]{1,20}\]"
)
_LINK = re.compile(r"!?\[([^\]]{0,200})\]\([^)]{0,500}\)")
_ITEM = re.compile(
    r"[ \t]*[*+-][ \t]+[`*]{0,3}([A-Z][A-Z0-9_]{2,99})[`*]{0,3}[ \t]*"
    r"(?:\([^()\n]{0,60}\)[ \t]*)?(?::|--?|–|—)[ \t]+(\S.{0,300})"
)
"""A point of a list: a name, what is said of its type, a colon or a dash, the meaning."""
_ENDS = re.compile(r"[ \t]*(?:[*+#>|-]|```|~~~|\d{1,3}\.|$)")
_MEANING_MAX = 300
_MARKDOWN = (".md", ".mdx", ".markdown")

Meaning = tuple[str, str, int]
"""What a document says of a variable, its path, and the line of the row."""


@query
def meanings(facts: Facts) -> Mapping[str, Meaning]:
    """Variables of the environment by name, as the first table or else list says that has one of
    them; several by a name with a hole, as it is written."""
    in_tables: dict[str, Meaning] = {}
    in_lists: dict[str, Meaning] = {}
    for document in guides(facts):
        if document.path.lower().endswith(_MARKDOWN):
            lines = document.text.split("\n")
            rows, points = [*_rows(lines)], [*_items(lines)]
            if not (rows or points) or not tells_what_is(document):
                continue
            for name, meaning, line in rows:
                in_tables.setdefault(name, (meaning, document.path, line))
            for name, meaning, line in points:
                in_lists.setdefault(name, (meaning, document.path, line))
    return in_lists | in_tables


def _items(lines: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Points of lists, each with the lines that it goes on in."""
    for number, line in enumerate(lines, 1):
        if item := _ITEM.match(line):
            rest = takewhile(lambda text: not _ENDS.match(text), lines[number : number + 5])
            yield item[1], _plain(" ".join((item[2], *rest)))[:_MEANING_MAX], number


def _rows(lines: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    column = None
    for number, (above, line) in enumerate(pairwise(["", *lines]), 1):
        if not _ROW.match(line):
            column = None
        elif _ROW.match(above) and _RULE.fullmatch(line):
            heads = [_plain(cell) for cell in _cells(above)]
            column = next((at for at, head in enumerate(heads) if _MEANING.fullmatch(head)), None)
        elif column:  # The first column has the names.
            cells = [_plain(cell) for cell in _cells(line)]
            if column < len(cells) and cells[column] and _is_name(cells[0]):
                yield cells[0], cells[column], number


def _is_name(cell: str) -> bool:
    return _NAME.fullmatch(cell) is not None or _TEMPLATE.fullmatch(cell) is not None


def _cells(line: str) -> list[str]:
    return _CELL.split(line.strip().removeprefix("|").removesuffix("|"))


def _plain(cell: str) -> str:
    """The words of a cell without markup and escapes."""
    return " ".join(re.sub(r"\\(\W|_)", r"\1", _MARKUP.sub("", _LINK.sub(r"\1", cell))).split())

"""What the search index has of a page. It needs no database: child processes make it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.wiki import markdown
from stationmaster.wiki.searching import words

_LEADING = (("Related pages",), ("Sources",))
"""The headings of sections that are links to other pages."""


class Row(NamedTuple):
    """One section as it is indexed: words with spaces between, without the run's mark."""

    page_id: str
    start: int
    size: int
    title: str
    headings: str
    body: str


def rows_of(page_id: str, title: str, content: str) -> Iterator[Row]:
    """The sections of a page, without those that only lead to others. Only the first one has the
    words of its title."""
    title_words = _words(title)
    for section in markdown.sections(content):
        if section.headings[-1:] in _LEADING and not title_words:
            continue
        headings, body = _words(" ".join(section.headings)), _words(section.text)
        yield Row(page_id, section.start, section.size, title_words, headings, body)
        title_words = ""


def _words(text: str) -> str:
    return " ".join(words.of_text(text))

"""The few words around a find, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki import markdown
from stationmaster.wiki.searching import words
from stationmaster.wiki.searching.words import Term

_BEFORE, _LENGTH = 60, 200
"""Characters ahead of the find, and in all."""
_MORE = "…"


def snippet(section: str, terms: Sequence[Term]) -> str:
    """Around the first word that a term looks for; the beginning where there is none."""
    text = markdown.plain(section)
    begin = next(
        (
            run.start()
            for run in words.runs(text)
            if any(term.matches(words.of_run(run[0])) for term in terms)
        ),
        0,
    )
    start = max(0, begin - _BEFORE)
    if start:
        start = text.find(" ", start, begin) + 1 or begin
    end = start + _LENGTH
    if end < len(text):
        end = max(text.rfind(" ", start, end), begin + 1)
    return _MORE * (start > 0) + text[start:end] + _MORE * (end < len(text))

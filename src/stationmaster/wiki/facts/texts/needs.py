"""What the project's documents state that has to be there before work begins, in their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.versions import versions
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import documents, passages
from stationmaster.wiki.text.inline import Place
from stationmaster.wiki.text.quoting import EMPHASIS, bare

NEEDS_MAX = 6
_NEEDS = expressions("passages")["needs"]
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[])")
_MARKS = re.compile(r"\s*(?:[-*+>]+|\d{1,2}[.)]|#\.)\s+|\s*>")
_APART = re.compile(r"\s*(?:```|~~~|#|\||<|!\[|:::|\.\. |[-=~]{3,}\s*$)")
_LINE_MAX, _SENTENCE_MAX = 1_000, 300
_TITLES = {
    *versions().programs.values(), *versions().images.values(), *versions().names.values(), "JDK",
} - {"Make", "Task"}  # fmt: skip
"""Without those that begin sentences."""
_NAMED = re.compile(rf"(?<![\w./-])(?:{'|'.join(sorted(map(re.escape, _TITLES)))})(?![\w/-])")
_CODE = re.compile(
    r"\b(?:need|installed)\b[^`]{0,80}`[\w.+-]{2,40}`|`[\w.+-]{2,40}`[^`]{0,40}\binstalled\b"
)


class Stated(NamedTuple):
    sentence: str
    place: Place


@query
def sentences_on_needs(facts: Facts) -> tuple[Stated, ...]:
    """Sentences of the sections on beginning and on tests that name what is needed, in the order of
    these."""
    by_sentence = {
        it.sentence: it
        for passage in reversed(passages.on_work(facts))
        for it in _of_passage(facts, passage)
    }
    return tuple(reversed(by_sentence.values()))[:NEEDS_MAX]


def _of_passage(facts: Facts, passage: passages.Passage) -> Iterator[Stated]:
    """The last one first."""
    document = documents.documents_by_path(facts)[passage.path]
    inside = documents.lines_of_code(facts, passage.path)
    rows = []
    paragraph, begun = "", 0
    lines = document.text.split("\n")[passage.line : passage.end]
    for number, line in enumerate([*lines, ""], passage.line + 1):
        is_next = not line.strip() or _APART.match(line) or _MARKS.match(line) or number in inside
        if is_next:
            rows += [Stated(it, Place(passage.path, begun)) for it in _sentences(paragraph)]
            paragraph = ""
        if line.strip() and not _APART.match(line) and number not in inside:
            begun = begun if paragraph else number
            paragraph = f"{paragraph} {line[:_LINE_MAX].strip()}".strip()
    yield from reversed(rows)


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in _SENTENCE.split(_MARKS.sub("", paragraph, count=1)):
        names_tool = _NAMED.search(sentence) or _CODE.search(sentence)
        if len(sentence) <= _SENTENCE_MAX and names_tool and _NEEDS.search(sentence):
            yield bare(EMPHASIS.sub("", sentence)).strip()

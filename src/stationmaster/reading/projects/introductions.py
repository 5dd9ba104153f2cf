"""The introduction of a README: its first sentences about the project."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import first_sentence
from stationmaster.reading.projects.model import Manifest

_LINKED = re.compile(
    r"<(a|picture|svg|code|pre)\b[^<>]{0,500}>.{0,500}?</\1>|<img\b[^<>]{0,500}>", re.DOTALL
)
_TAG = re.compile(r"</?(?:p|h[1-6]|div|br|center|b|strong|em|i|sub|sup|span)\b[^<>]{0,300}>")
_CHAPTER = re.compile(r"^(?:##|==) ", re.MULTILINE)
_WORK = re.compile(
    r"(?im)^(?:#{1,6}|={1,6}) .{0,20}\b(?:how to|install\w*|usage|using|set ?up|getting started"
    r"|quick|contribut\w*|develop\w*|community|licen[cs]e)\b"
)
"""Chapters after which no sentence describes the project."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HEAD = 20_000
_PARAGRAPHS_MAX = 40
_ASIDE = re.compile(
    r"(?i)\[!|(?:note|important|warning|in addition|see|begin|please|read|we|you|thanks?|if|for)\b"
    r"|.{0,160}\b(?:t-shirts?|stickers|merch(?:andise)?|swag)\b"
    r"|.{0,160}\b(?:community support|sponsor\w*|donat\w*)\b"
)
_MOVED = re.compile(r"(?i)\b(?:moved to|archived|deprecated|superseded|no longer|unmaintained)\b")
"""A notice that the project has moved or is no longer maintained."""
_STATES = re.compile(r"(?:\S{1,40} ){1,4}(?:is|are) (?:an?|the)\b")
_LEADS_ON = re.compile(r":[ \t]*(?=\n[ \t]*(?:\n|[-*+] ))")
"""Before a list."""
_SENTENCE_MIN = 5
_OF_TEMPLATES = lists.words("template-name")
_STARTER = expressions("introductions")["starter"]


def is_of_starter(text: str) -> bool:
    """Did a program that started the project write a document?"""
    return _STARTER.search(text[:_HEAD]) is not None


def introducing(manifests: Iterable[Manifest]) -> list[Manifest]:
    """The manifests at the root that are about the repository, and not as a template left them."""
    rooted = (it for it in manifests if it.folder == ".")
    return [it for it in rooted if (it.name or "").lower() not in _OF_TEMPLATES]


def introduction(text: str) -> str:
    """The first whole sentence before the first chapter of a document, also where it is written as
    HTML, that is no remark to the reader; else one there without a full stop that states what
    something is; else what comes nearest, and then what states it in a later chapter. '' where a
    program that started the project wrote it."""
    begin = _CHAPTER.split(_LINKED.sub("", text[:_HEAD]), maxsplit=1)[0]
    if is_of_starter(begin):
        return ""
    paragraphs = _PARAGRAPH.split(_TAG.sub("\n\n", begin))[:_PARAGRAPHS_MAX]
    sentences = [
        words
        for words in map(_plain, paragraphs)
        if len(words.split()) >= _SENTENCE_MIN and not _MOVED.search(words)
    ]
    whole = (words for words in sentences if words.endswith((".", "!")))
    stating = (words for words in sentences if _STATES.match(words))
    before = _WORK.split(text[:_HEAD], maxsplit=1)[0]
    nearest = map(_plain, (before, _LEADS_ON.sub(" …", begin)))
    further = map(_plain, _PARAGRAPH.split(before)[:_PARAGRAPHS_MAX])
    later = (words for words in further if _STATES.match(words))
    return next((it for it in chain(whole, stating, nearest, later) if not _ASIDE.match(it)), "")


def _plain(text: str) -> str:
    """The first sentence without the marks of emphasis around it."""
    return first_sentence(text).strip("_ ")

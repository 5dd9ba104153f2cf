"""What comments and code say in full: a symbol's comment, and the lines that are worth showing."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.text.inline import Place

COMMENT_LINES_MAX = 80
HEAD_LINES_MAX = 60
"""Of a declaration, before its docstring."""
EXCERPT_MIN, EXCERPT_MAX = 4, 28
_MARKER = re.compile(r"^\s*(?:///?!?|//|#!?|/\*\*?|\*/|\*(?!\*)|--\s\||--|;;+|\"\"\"|''')[ ]?")
_COMMENT = re.compile(r"^\s*(?://|#(?!\[|include|define|if|end|pragma)|/\*|\*|--|;;)")
_SAME = 40
"""Letters and digits that tell a comment."""
_BESIDE = re.compile(r"^\s*(?:@\w|#\[|\[\w[^\]]*\]\s*$|export\s*$|template\s*<)")
"""Decorators, attributes and annotations, which stand between a comment and what it is about."""
_DOCSTRING = re.compile(r"^\s*[rRuUbB]{0,2}(\"\"\"|''')")
_TAG = re.compile(
    r"^\s*(?:@\w+|:(?:param|type|return|raise|rtype|arg)\w*\b.{0,200}:|\\(?:param|return)\b"
    r"|</?(?:param|returns|exception|remarks|example)\b|Args:|Returns:|Raises:|Parameters\s*$)"
)
"""What a comment says of single parameters."""
_REFERENCE = re.compile(
    r"""<see(?:also)?\s+\w+="(?:[A-Z]:)?([^"]{1,200})"\s*/>|\{@\w+\s+([^{}]{1,200})\}"""
    r"""|<(?:code|c|tt)>([^<>]{1,200})</(?:code|c|tt)>"""
)
"""Code in comments of C# and Java."""
_LABELLED = re.compile(r"\{@link(?:plain)?\s+[\w.#]+(?:\([^(){}]*\))?\s+([^{}()]{1,100})\}")
"""A reference in Java with words for it."""
_XML = re.compile(r"</?(?:summary|para|p|inheritdoc|em|i|b)\b[^<>]{0,200}/?>")


class Comment(msgspec.Struct, frozen=True):
    """The words of a comment without its marks, and where it stands."""

    words: str
    place: Place


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of code; `is_whole` says that they are all of the symbol."""

    text: str
    place: Place
    language: str
    is_whole: bool


@query
def comment(facts: Facts, path: str, name: str) -> Comment | None:
    """What a symbol's comment says up to its parameters; '' as `name` is the file itself. None
    where it has none."""
    said = facts.code[path]
    lines = facts.tree.text(path).split("\n")
    if not name:
        return _matching(path, lines, (_docstring(lines, 0), _first(lines)), said.doc)
    symbol = symbol_of(facts, path, name)
    if symbol is None or not symbol.doc:
        return None
    spans = (_above(lines, symbol.line), _docstring(lines, symbol.line))
    return _matching(path, lines, spans, symbol.doc)


@query
def excerpt(facts: Facts, path: str, name: str) -> Excerpt | None:
    """The lines of a symbol, or those that it begins with where it is long."""
    symbol = symbol_of(facts, path, name)
    if symbol is None or symbol.end - symbol.line + 1 < EXCERPT_MIN:
        return None
    lines = facts.tree.text(path).split("\n")
    end = min(symbol.end, symbol.line + EXCERPT_MAX - 1)
    while end > symbol.line and not lines[end - 1].strip():
        end -= 1
    shown = textwrap.dedent("\n".join(lines[symbol.line - 1 : end]).expandtabs(4))
    language = facts.records[path].language.lower().split(" ")[0]
    return Excerpt(shown, Place(path, symbol.line, end), language, end == symbol.end)


@query
def symbol_of(facts: Facts, path: str, name: str) -> Symbol | None:
    """The first symbol of a file with a qualified name."""
    said = facts.code[path]
    return next((symbol for symbol in said.symbols if symbol.qualified == name), None)


def _matching(
    path: str, lines: Sequence[str], spans: Sequence[tuple[int, int] | None], doc: str
) -> Comment | None:
    """The comment that begins with the sentence that the parser understood it to begin with."""
    wanted = _letters(plain(_REFERENCE.sub(r"\1\2\3", _LABELLED.sub(r"\1", doc))))[:_SAME]
    for span in spans:
        if span is None:
            continue
        kept: list[str] = []
        for line in lines[span[0] - 1 : span[1]]:
            bare = _XML.sub("", _MARKER.sub("", line).rstrip().removesuffix("*/")).rstrip()
            bare = _LABELLED.sub(r"\1", bare)
            bare = _REFERENCE.sub(_as_code, bare)
            if _TAG.match(bare):
                break
            kept.append(bare.removesuffix('"""').removesuffix("'''"))
        words = textwrap.dedent("\n".join(kept[:1])) + "\n" + textwrap.dedent("\n".join(kept[1:]))
        # References may go on in the next line.
        words = _REFERENCE.sub(_as_code, _LABELLED.sub(r"\1", words))
        if wanted and _letters(plain(words)).startswith(wanted):
            return Comment(words.strip("\n"), Place(path, *span))
    return None


def _as_code(found: re.Match[str]) -> str:
    return f"`{' '.join((found[1] or found[2] or found[3]).split())}`"


def _letters(words: str) -> str:
    return "".join(filter(str.isalnum, words))


def _first(lines: Sequence[str]) -> tuple[int, int] | None:
    """The first comment of a file, behind a licence that stands apart from it."""
    at = 0
    spans = []
    while at < min(len(lines), HEAD_LINES_MAX):
        end = at
        while end < len(lines) and end - at < COMMENT_LINES_MAX and _COMMENT.match(lines[end]):
            end += 1
        if end > at:
            spans.append((at + 1, end))
        at = max(end, at + 1)
    return spans[0] if spans else None


def _above(lines: Sequence[str], line: int) -> tuple[int, int] | None:
    """The comment that ends above a declaration: its first and last line, from 1."""
    at = line - 1
    while at > 0 and _BESIDE.match(lines[at - 1]):
        at -= 1
    end = at
    while at > 0 and end - at < COMMENT_LINES_MAX and _COMMENT.match(lines[at - 1]):
        at -= 1
    return (at + 1, end) if at < end else None


def _docstring(lines: Sequence[str], line: int) -> tuple[int, int] | None:
    """The text that a declaration in Python begins with."""
    for at in range(line, min(line + HEAD_LINES_MAX, len(lines))):
        match = _DOCSTRING.match(lines[at])
        if match is not None:
            rest = lines[at][match.end() :]
            end = at
            while match[1] not in rest and end + 1 < len(lines) and end - at < COMMENT_LINES_MAX:
                end += 1
                rest = lines[end]
            return at + 1, end + 1
    return None

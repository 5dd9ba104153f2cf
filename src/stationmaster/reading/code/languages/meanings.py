"""What is said for people: by comments beside or above the statement of a setting, and by texts
that a program shows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from stationmaster.reading.code.languages.source import (
    HOLES,
    QUOTED,
    Comments,
    Source,
    end_of,
    first_sentence,
    inside,
    line_of,
    one_line,
    uncommented,
)
from stationmaster.reading.code.model import HELP_MAX

_BANNER = re.compile(r"(?m)^\W{0,20}[-=*#_~/]{3}|[-=*#_~/]{5}$")
_WORDS_MIN = 3
"""Fewer words above a statement are the heading of a group."""
_NO_MEANING = re.compile(
    r"(?i)\s*(?:type:\s*ignore|noqa\b|nosec\b|pragma\b|pylint\b|mypy\b|ruff\b|isort\b|fmt:"
    r"|pyright\b|eslint|@ts-|prettier|biome|istanbul|c8 |todo\b|fixme\b|hack\b|xxx\b)"
)
_CODE = re.compile(
    r"\s*+(?:[\w.]++\s*+(?::[\w\[\]|\s]*+)?=[^=]|(?:const|let|var|return|import|if|else|await)\b[^.]*"
    r"[=({;])|.*[;{]\s*$"
)
_GROUPS = frozenset({"parenthesized_expression", "concatenated_string"})
_JOINED = _GROUPS | {"binary_expression", "binary_operator"}
_BRACKET = re.compile(r"\s?[(\[][^()\[\]…]{0,100}…[^()\[\]]{0,100}[)\]]")
_HOLE_TWICE = re.compile(r"…{2,}")
_WORD = re.compile(r"[^\W\d_]{2}")
_QUOTE = re.compile(r"\\([\"'])")
_PARTS_MAX = 100
_VERB = re.compile(r"%[-+# 0]*[\d.]*[A-Za-z]")


class Meanings:
    """The comments of a file, as far as they explain what stands beside or below them."""

    def __init__(self, source: Source, comments: Iterable[Node]) -> None:
        nodes = tuple(comments)
        self._source = source
        self._above = Comments(source, nodes)
        self._beside = {line_of(node): node for node in nodes}

    def of(self, statement: Node) -> str:
        """The first sentence beside a statement, or else above it; '' where none explains it."""
        beside = self._beside.get(end_of(statement))
        if beside is not None and beside.start_byte >= statement.end_byte:
            text = uncommented(self._source.text(beside))
            if _explains(text):
                return first_sentence(text)
        above = self._above.before(statement)
        if _explains(above) and len(above.split()) >= _WORDS_MIN and not _BANNER.search(above):
            return first_sentence(above)
        return ""


def _explains(text: str) -> bool:
    """Is a comment a sentence, rather than a word to a tool or code that is switched off?"""
    return bool(text.strip()) and not _NO_MEANING.match(text) and not _CODE.match(text)


def message(source: Source, node: Node | None) -> str:
    """What an expression for people says, in one line: texts that are joined, with `…` for what is
    filled in; a bracket around such a hole is left out. '' where there are no words."""
    waiting, parts = [node] if node is not None else [], list[str]()
    while waiting and len(parts) < _PARTS_MAX:
        part = waiting.pop()
        if part.type in _JOINED and (part.type in _GROUPS or _joins(part)):
            waiting += reversed(part.named_children)
        else:
            parts.append(_filled(source, part))
    text = _BRACKET.sub("", _HOLE_TWICE.sub("…", "".join(parts)))
    text = _QUOTE.sub(r"\1", text.replace("\\n", " "))
    return one_line(text, HELP_MAX) if _WORD.search(text) else ""


def _joins(node: Node) -> bool:
    return any(child.type in ("+", ".") for child in node.children)


def _filled(source: Source, node: Node) -> str:
    """A text with its holes, also one that `Sprintf` fills; a hole for anything else."""
    if source.part(node, "function").lower().endswith("sprintf"):
        formats = (_filled(source, it) for it in inside(node, "arguments")[:1])
        return _VERB.sub("…", "".join(formats))
    if "string" not in node.type:
        return "…"
    data, holes = source.data, [it for it in node.named_children if it.type in HOLES]
    starts = [node.start_byte, *(it.end_byte for it in holes)]
    ends = [*(it.start_byte for it in holes), node.end_byte]
    texts = (
        data[start:end].decode(errors="replace") for start, end in zip(starts, ends, strict=True)
    )
    match = QUOTED.fullmatch("…".join(texts))
    return match[2].replace("\\\n", "") if match else ""

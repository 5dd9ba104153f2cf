"""Members of types: the fields of structs and classes, the variants of enums, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code import explaining
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.model import Facts, of_file

FIELDS_MIN = 2
_INDENT = 4
_WORDS_MAX, _LINE_MAX = 300, 400
_OF_GO = re.compile(
    r"(?P<name>[A-Z]\w{0,80}) (?P<type>[^\s`/][^`/]{0,200}?) ?(?P<mark>`[^`]{1,200}`)?"
    r" ?(?:// ?(?P<words>.{1,300}))?"
)
_OF_RUST = re.compile(r"pub (?P<name>[a-z_]\w{0,80}): ?(?P<type>.{1,200}?),?")
_VARIANT = re.compile(
    r"(?P<name>[A-Z]\w{0,80})(?P<type>\([^)]{0,200}\))?(?: ?\{.{0,200})?"
    r"(?P<mark> ?= ?[^,]{1,100})?,? ?(?:// ?(?P<words>.{1,300}))?"
)
_OF_TYPESCRIPT = re.compile(
    r"(?:readonly )?(?P<name>\w{1,80}\??): ?(?P<type>[^/]{1,200}?)[;,]?"
    r" ?(?:// ?(?P<words>.{1,300}))?"
)
_OF_PYTHON = re.compile(
    r"(?P<name>[a-z]\w{0,80}): ?(?P<type>[^=#]{1,200}?) ?(?P<mark>= ?[^#]{1,200}?)?"
    r" ?(?:# ?(?P<words>.{1,300}))?"
)
_OF_PYTHON_ENUM = re.compile(
    r"(?P<name>[A-Za-z]\w{0,80})(?P<type>) ?(?P<mark>= ?[^#]{1,200}?) ?(?:# ?(?P<words>.{1,300}))?"
)
_FORMS: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("go", "struct"): _OF_GO,
    ("rs", "struct"): _OF_RUST,
    ("rs", "enum"): _VARIANT,
    ("ts", "interface"): _OF_TYPESCRIPT,
    ("py", "class"): _OF_PYTHON,
    ("ts", "enum"): _VARIANT,
    ("py", "enum"): _OF_PYTHON_ENUM,
}
"""By the ending of a file and the kind of a type."""
_ATTRIBUTE = re.compile(r"\s*(#\[.{1,200}\])\s*")
_NO_CODE = re.compile(r"`[^`]*`|\"(?:[^\"\\]|\\.){0,400}+\"|'(?:[^'\\]|\\.)'|//.*|/\*.*|^\s*\*.*")


_VALUE = re.compile(
    r"\s{0,20}(=\s{0,20}(?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^,;\s{]{1,80})|\([^()]{1,80}\))"
)
_OPENED = re.compile(r"\s{0,20}=\s{0,20}(%[wi]|[\w.:]{0,40})([\[(])")
_REMARK = re.compile(r"(?<!\S)(?:#|//)\s.*")
_CLOSING = {"[": "]", "(": ")"}
_ITEMS_MAX, _LIST_LINES = 90, 60
"""Letters of a list that are shown, and lines of it that are read."""
_OF_CONSTANTS = frozenset({"enum", "interface"})
"""Kinds of types whose constants are what they are about."""


class Field(NamedTuple):
    """`mark` is what is next to its type: a tag, attributes, a default; `words` its comment."""

    name: str
    type: str
    mark: str
    words: str
    line: int
    is_constant: bool = False


@of_file
def fields(facts: Facts, path: str, name: str) -> tuple[Field, ...]:
    """Those of a type that others may use, in order, or its constants; none of a type, but an enum,
    of which no field has a comment or a mark."""
    symbol = symbol_of(facts, path, name)
    if symbol is None:
        return ()
    form = _FORMS.get((path.rpartition(".")[2], symbol.kind))
    lines = lines_of(facts, path)
    listed = tuple(
        _fields(lines, symbol.line, symbol.end, form) if form else _constants(facts, path, symbol)
    )
    is_described = symbol.kind in _OF_CONSTANTS or any(
        field.words or (form and field.mark) for field in listed
    )
    return listed if is_described and len(listed) >= FIELDS_MIN else ()


def _constants(facts: Facts, path: str, holder: Symbol) -> Iterator[Field]:
    lines = lines_of(facts, path)
    for symbol in facts.code[path].symbols:
        is_own = symbol.kind == "constant" and symbol.container == holder.qualified
        if is_own and (symbol.is_public or holder.kind in _OF_CONSTANTS):
            # A comment above may be on the first of several on a line.
            before, _, after = lines[symbol.line - 1][:_LINE_MAX].partition(symbol.name)
            value, shown = _VALUE.match(after), _list(lines, symbol, after)
            words = "" if before.strip().endswith((",", ";")) else symbol.doc
            mark = shown or (value[1] if value else "")
            yield Field(symbol.name, "", mark, words, symbol.line, True)


def _list(lines: Sequence[str], symbol: Symbol, after: str) -> str:
    """The list that a constant is, with as many of its items as there is room for; '' for no
    list."""
    opened = _OPENED.match(after)
    if opened is None:
        return ""
    below = lines[symbol.line : min(symbol.end, symbol.line + _LIST_LINES)]
    text = " ".join(_REMARK.sub("", line[:_LINE_MAX]).strip() for line in (after, *below))
    opened = _OPENED.match(text) or opened
    items = arguments_from(text, opened.end())
    shown = ""
    for item in items:
        if shown and len(shown) + len(item) > _ITEMS_MAX:
            shown += ", …"
            break
        shown = f"{shown}, {item}" if shown else item
    return f"= {opened[1]}{opened[2]}{shown}{_CLOSING[opened[2]]}"


def _fields(lines: Sequence[str], first: int, end: int, form: re.Pattern[str]) -> Iterator[Field]:
    """Those in the outer brackets of a type, or as far in as its first lines."""
    depth, is_python = 0, form in (_OF_PYTHON, _OF_PYTHON_ENUM)
    if is_python:
        depth, first = 1, (explaining.docstring(lines, first) or (0, first))[1]
    for number in range(first, end + 1):
        line = lines[number - 1][:_LINE_MAX]
        bare = _NO_CODE.sub("", line)
        is_field = depth == 1 and (not is_python or explaining.indent(line) == _INDENT)
        if is_field and (match := form.fullmatch(" ".join(line.split()))):
            written = match.groupdict()
            marks = [*_attributes(lines, number)] if form in (_OF_RUST, _VARIANT) else []
            marks.append((written.get("mark") or "").strip().strip("`"))
            yield Field(
                match["name"],
                (match["type"] or "").strip(),
                " ".join(filter(None, marks)),
                (written.get("words") or _comment(lines, number)).strip(),
                number,
            )
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))


def _attributes(lines: Sequence[str], line: int) -> Iterator[str]:
    above = line - 1
    while above > 0 and (match := _ATTRIBUTE.fullmatch(lines[above - 1][:_LINE_MAX])):
        yield match[1]
        above -= 1


def _comment(lines: Sequence[str], line: int) -> str:
    """The comment above a line, whole sentences up to some length."""
    span = explaining.comment_above(lines, line)
    words = " ".join(explaining.comment_words(lines, span).split()) if span else ""
    if len(words) <= _WORDS_MAX:
        return words
    return words[: words.rfind(". ", 0, _WORDS_MAX) + 1] or f"{words[:_WORDS_MAX].rstrip()}…"

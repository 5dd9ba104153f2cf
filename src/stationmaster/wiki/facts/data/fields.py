"""What types hold: the fields of structs and classes, the variants of enums, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code import explaining
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
_FORMS: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("go", "struct"): _OF_GO,
    ("rs", "struct"): _OF_RUST,
    ("rs", "enum"): _VARIANT,
    ("ts", "interface"): _OF_TYPESCRIPT,
    ("py", "class"): _OF_PYTHON,
}
"""By the ending of a file and the kind of a type."""
_ATTRIBUTE = re.compile(r"\s*(#\[.{1,200}\])\s*")
_NO_CODE = re.compile(r"`[^`]*`|\"(?:[^\"\\]|\\.){0,400}+\"|'(?:[^'\\]|\\.)'|//.*|/\*.*|^\s*\*.*")


class Field(NamedTuple):
    """`mark` is what stands beside its type: a tag, attributes, a default; `words` what its comment
    says."""

    name: str
    type: str
    mark: str
    words: str
    line: int


@of_file
def fields(facts: Facts, path: str, name: str) -> tuple[Field, ...]:
    """Those of a type that others may use, in order; none of a type of which no field has a comment
    or a mark."""
    symbol = symbol_of(facts, path, name)
    form = _FORMS.get((path.rpartition(".")[2], symbol.kind)) if symbol else None
    if symbol is None or form is None:
        return ()
    lines = lines_of(facts, path)
    listed = tuple(_fields(lines, symbol.line, symbol.end, form))
    is_told = len(listed) >= FIELDS_MIN and any(each.words or each.mark for each in listed)
    return listed if is_told else ()


def _fields(lines: Sequence[str], first: int, end: int, form: re.Pattern[str]) -> Iterator[Field]:
    """Those that stand in the outer brackets of a type, or as far in as its first lines."""
    depth = 0
    if form is _OF_PYTHON:
        depth, first = 1, (explaining.docstring(lines, first) or (0, first))[1]
    for number in range(first, end + 1):
        line = lines[number - 1][:_LINE_MAX]
        bare = _NO_CODE.sub("", line)
        is_field = depth == 1 and (form is not _OF_PYTHON or explaining.indent(line) == _INDENT)
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
    """What stands above a line, whole sentences up to some length."""
    span = explaining.comment_above(lines, line)
    words = " ".join(explaining.comment_words(lines, span).split()) if span else ""
    if len(words) <= _WORDS_MAX:
        return words
    return words[: words.rfind(". ", 0, _WORDS_MAX) + 1] or f"{words[:_WORDS_MAX].rstrip()}…"

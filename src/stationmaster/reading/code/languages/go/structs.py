"""Structs of Go as they are written: their fields with types, tags and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import NamedTuple

from stationmaster.reading.code.explaining import is_of_all, with_deprecation
from stationmaster.reading.code.languages.go.frameworks import tags
from stationmaster.reading.code.languages.source import first_sentence

_NAMED = re.compile(r"(\w+(?:,[ \t]*\w+)*)[ \t]+(\S.*)")
_EMBEDDED = re.compile(r"\*?((?:\w+\.)?\w+)")
_STRUCT = re.compile(r"\bstruct\s*\{$")
_CALLED = re.compile(r"(?:type[ \t]+)?(\w{1,100})(?:\[[^\]]{1,100}\])?[ \t]+struct\s*\{")
_IN_ONE_LINE = re.compile(r"((?>.*?\bstruct\s*+\{))\s*+([^\s}].*)(\}[^}]*+)")
HELD = re.compile(r"(\*?(?:\[\]|map\[\w{1,40}\])?\*?)((?:\w{1,60}\.)?\w{1,100})")
_WORDS_MIN = 3
"""Of a comment above a field that says more than a heading of several fields."""


class Field(NamedTuple):
    """`name` is '' for what is embedded. `inner` are the fields of a struct without a name."""

    name: str
    type: str
    tags: Mapping[str, str]
    path: str
    line: int
    doc: str
    inner: tuple[Field, ...] = ()

    def lists(self) -> str:
        """The sign behind the name of what holds many: of a list, of a map."""
        sign = HELD.match(self.type)
        return "[]" if sign and "[]" in sign[1] else ".*" if sign and "map" in sign[1] else ""


def every(fields: Sequence[Field]) -> Iterator[Field]:
    """The fields, and those of the structs without a name that they hold."""
    for field in fields:
        yield field
        yield from every(field.inner)


def structs_of(
    lines: Sequence[str], path: str = "", start: int = 1
) -> Iterator[tuple[str, tuple[Field, ...]]]:
    """The structs in some lines, the first of which is at `start`, that stand in no other, with
    their names, '' for none."""
    open_: list[tuple[_Line, list[Field]]] = []
    above: list[str] = []
    pieces = (_line(it, at) for at, line in enumerate(lines, start) for it in _pieces(line))
    for line in pieces:
        if not line.written:
            is_between = line.is_blank and _says_something(above)
            above = [*above, line.remark] if line.remark or is_between else []
            continue
        line, above = line._replace(remark=_doc(line.remark, above)), []
        if _STRUCT.search(line.written):
            open_.append((line, []))
        elif line.written.startswith("}") and open_:
            first, fields = open_.pop()
            inner = tuple(_documented(fields, lines, start))
            if open_:
                open_[-1][1].extend(_declared(first._replace(tag=line.tag), path, inner))
            else:
                called = _CALLED.fullmatch(first.written)
                yield called[1] if called else "", inner
        elif open_:
            open_[-1][1].extend(_declared(line, path))


def _pieces(line: str) -> Sequence[str]:
    """A line, or the lines that a struct in one line would be written in."""
    whole = _IN_ONE_LINE.fullmatch(line) if "struct" in line else None
    return (whole[1], *whole[2].split(";"), whole[3]) if whole else (line,)


class _Line(NamedTuple):
    written: str
    tag: str
    remark: str
    number: int
    is_blank: bool
    """Is it a comment without words?"""


def _line(text: str, number: int) -> _Line:
    """The parts of a line of a struct: what is declared, its tag, and the comment."""
    written, mark, rest = text.partition("`")
    tag, _, rest = rest.partition("`")
    remark = rest.partition("//")[2]
    if "//" in written or not mark:
        written, _, remark = text.partition("//")
        tag = ""
    remark = "" if remark.startswith("nolint") else remark.strip()
    return _Line(written.strip(), tag, remark, number, text.strip() == "//")


def _says_something(above: Sequence[str]) -> bool:
    words = " ".join(above).split()
    return len(words) >= _WORDS_MIN and words[0].strip("@:").lower() != "todo"


def _doc(remark: str, above: Sequence[str]) -> str:
    sentence = first_sentence("\n".join(above))
    doc = first_sentence(remark) or (sentence if len(sentence.split()) >= _WORDS_MIN else "")
    return with_deprecation(doc, "\n".join((*above, remark)))


def _documented(fields: Sequence[Field], lines: Sequence[str], start: int) -> Iterator[Field]:
    """Without what is said of several fields at once above the first. The first line is at
    `start`."""
    names = {field.name for field in fields}
    for at, field in enumerate(fields):
        first = field.doc.split(" ", 1)[0]
        is_other = first in names and first != field.name
        if field.doc and "//" not in lines[field.line - start]:
            near = zip(fields[at + 1 :], count(field.line + 1), strict=False)
            group = takewhile(lambda it: it[0].line == it[1] and not it[0].doc, near)
            others = [it.name for it, _ in group]
            is_other = is_other or is_of_all(field.doc, field.name, others, most=len(fields))
        yield field._replace(doc="") if is_other else field


def _declared(line: _Line, path: str, inner: tuple[Field, ...] = ()) -> Iterator[Field]:
    if embedded := _EMBEDDED.fullmatch(line.written):
        yield Field("", embedded[1], tags(line.tag), path, line.number, line.remark)
    elif named := _NAMED.fullmatch(line.written):
        for name in named[1].split(","):
            yield Field(
                name.strip(), named[2], tags(line.tag), path, line.number, line.remark, inner
            )

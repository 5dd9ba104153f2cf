"""How a table is written where it is declared: what is asked of its columns, and of several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.code.languages.php.migrations import FRAMEWORK as LARAVEL
from stationmaster.reading.code.stored import Column
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.data.entities import Stored, stored
from stationmaster.wiki.facts.model import Facts, query

LINES_MAX, LETTERS_MAX = 14, 400
"""Of one statement: as many lines, and letters that are shown."""
RULES_MAX = 12
_LIKE = expressions("stored")
_NOTE = re.compile(r"\s*(?:@\w|#\[|\[\w)")
"""An annotation or attribute above what it is on."""
_GOES_ON = re.compile(r"\s*(?:->|\??\.)\w")
_REMARK = re.compile(r"\s*(?:#(?!\[)|//|--|/?\*)")
_SQL_REMARK = re.compile(r"((?:'[^']*+'|\"[^\"]*+\"|`[^`]*+`|(?!--).)*+).*", re.DOTALL)
"""A line up to a remark behind what it states."""
_ASKED = re.compile(r"\$table->(\w{1,40})\(\s*(\[[^\[\]]{0,400}\]|['\"]\w{1,100}['\"])")
"""What a migration of Laravel asks of columns."""
_QUOTED = re.compile(r"['\"](\w{1,100})['\"]")
_TAG = re.compile(r"\s*<(\w{1,60})\s")
_EMPTY = re.compile(r"\s*<\w(?:[^<>\"]|\"[^\"]*+\")*+/?>(?<=/>)")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?|`[^`]*`?")
_WORD = re.compile(r"[A-Za-z0-9]+")
_JOINT = re.compile(r"[\W_]+")
_PLAIN = re.compile(
    "public|private|protected|internal|readonly|final|static|virtual|val|var|let|get|set|models|db"
)
"""Words without a meaning of their own in what is asked of a column."""


@query
def of_columns(facts: Facts, key: str) -> Mapping[str, str]:
    """The declarations of a table's columns by their names, of those that state more than name and
    type."""
    table = _tables(facts)[key]
    places = Counter((column.path, column.line) for column in table.columns)
    texts: dict[str, str] = {}
    for column in table.columns:
        if column.line and places[column.path, column.line] == 1:
            lines = lines_of(facts, column.path or table.path)
            text = _statement(lines, column.line, _is_sql(column.path or table.path))
            if _names(text, column) and (column.later or _is_informative(text, column)):
                texts[column.name] = "; later ".join((text, *column.later))
    return texts


@query
def of_table(facts: Facts, key: str) -> tuple[str, ...]:
    """What the declaration of a table asks of several columns: keys, indexes, checks."""
    table = _tables(facts)[key]
    lines = lines_of(facts, table.path)
    taken = {column.line for column in table.columns if not column.path}
    names: dict[str, None] = {}
    for number in range(_with_notes(lines, table.line), table.end + 1):
        line = lines[number - 1] if number <= len(lines) else ""
        if number not in taken and _LIKE["of_table"].match(line):
            text = _statement(lines, number, _is_sql(table.path), is_bare=True)
            if table.framework != LARAVEL or _is_left(text, table):
                names[text] = None
    return tuple(text for text in names if text)[:RULES_MAX]


def _is_left(text: str, table: Stored) -> bool:
    """Does a table still have what its first migration asks of columns: these, and the key?"""
    match = _ASKED.match(text)
    names = _QUOTED.findall(match[2]) if match else []
    columns = {column.name: column for column in table.columns}
    if match is None or not names:
        return True
    is_key = match[1] == "foreign" and len(names) == 1
    return all(it in columns and (columns[it].references or not is_key) for it in names)


@query
def _tables(facts: Facts) -> Mapping[str, Stored]:
    """By their keys. For other questions."""
    return {table.key: table for table in stored(facts)}


def _is_sql(path: str) -> bool:
    return path.lower().endswith((".sql", ".cql"))


def _statement(lines: Sequence[str], line: int, is_sql: bool, *, is_bare: bool = False) -> str:
    """What begins on a line, up to the end of its brackets, with the notes above it unless it
    `is_bare`; '' for what has no end. A comma ends what SQL states of a column."""
    if not 0 < line <= len(lines):
        return ""
    if tag := _TAG.match(lines[line - 1]):
        return _element(lines[line - 1 : line + LINES_MAX], tag[1])
    start = line if is_bare else _with_notes(lines, line)
    texts: list[str] = []
    depth = 0
    for number, written in enumerate(lines[start - 1 : line + LINES_MAX], start):
        text = _SQL_REMARK.sub(r"\1", written).rstrip() if is_sql else written
        if texts and depth <= 0 and number > line and _ends(texts[-1], text, is_sql, is_bare):
            break
        if _REMARK.match(text) and not _NOTE.match(text):
            continue
        depth += _depth(text)
        texts.append(text)
    return " ".join(" ".join(texts).split()).rstrip(",;") if depth <= 0 else ""


def _element(lines: Sequence[str], tag: str) -> str:
    """An element of XML with what is in it; '' for one that has no end."""
    text = ""
    for line in lines:
        text += f" {line}"
        is_empty = _EMPTY.match(text) is not None
        if is_empty or f"</{tag}>" in text:
            return " ".join(text.split())
    return ""


def _with_notes(lines: Sequence[str], line: int) -> int:
    """The first line of the notes right above a line; the line itself where there are none."""
    first, depth = line, 0
    for number in range(line - 1, max(line - LINES_MAX, 0), -1):
        text = lines[number - 1]
        depth -= _depth(text)
        if depth < 0 or (depth == 0 and not _NOTE.match(text)):
            break
        if depth == 0:
            first = number
    return first


def _depth(text: str) -> int:
    """How many more brackets a line opens than it closes."""
    bare = _STRING.sub("", text)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))


def _ends(text: str, following: str, is_sql: bool, is_bare: bool) -> bool:
    """Does a statement whose brackets are closed end with a line?"""
    if is_sql:
        return text.rstrip().endswith((",", ";")) or following.lstrip().startswith(")")
    return (is_bare or not _NOTE.match(text)) and not _GOES_ON.match(following)


def _names(text: str, column: Column) -> bool:
    """Does a text name a column, or the target of its reference?"""
    written = _joint(text)
    names = (column.name, column.name.removesuffix("_id"), column.name.removesuffix("Id"))
    return any(_joint(name) in written for name in names[: 3 if column.references else 1])


def _is_informative(text: str, column: Column) -> bool:
    plain = {word.lower() for word in _WORD.findall(f"{column.name} {column.type}")}
    plain |= {_joint(column.name), _joint(column.type)}
    words = (word.lower() for word in _WORD.findall(text))
    return any(word not in plain and not _PLAIN.fullmatch(word) for word in words)


def _joint(words: str) -> str:
    return _JOINT.sub("", words).lower()

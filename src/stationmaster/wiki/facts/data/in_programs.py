"""SQL in the texts of programs: what makes tables there, and migrations of goose in Go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from stationmaster.reading.code.schemas.sql import Schema
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.model import Facts, of_file

TEXT_MAX = 100_000
_TESTS = "#[cfg(test)]"
"""What precedes tests at the end of a file of Rust."""
_CREATES = re.compile(r"(?i)\bcreate\s+table\b")
_BEGINS = re.compile(
    r"(?i)(?P<sign>\"\"\"|'''|`|\"|')\s*+"
    r"(?:(?:begin|start|pragma|set|drop|create\s+(?:extension|schema|type))\b[^;`\"]{0,300}+;\s*+){0,9}+"
    r"(?=create\s+(?:unlogged\s+)?table\s|alter\s+table\s+(?:[\w.\\\"`\[\]]{1,100}\s+){1,4}?add\s)"
)
"""The sign that opens a text of which a statement is the first, or follows preparing ones."""
_MIGRATES = re.compile(r"(?P<sign>\"\"\"|'''|`|\"|')\s*(?=(?i:create|alter|drop)\s)")
_MIGRATION = re.compile(r"\b(?:goose\.Add\w*Migration|MigrationInterface\b|AbstractMigration\b)")
"""What marks a program as a migration: of goose, TypeORM, Doctrine."""
_REMARK = re.compile(r"(?m)^[ \t]*+(?://|#(?!\[))[^\n]*")
_HEREDOC = re.compile(r"<<<[ \t]*+([\"']?)(\w{1,40}+)\1(?=\n)")
"""The beginning of a text of PHP between two lines with a word, which no quote ends."""
_FIRST_WORD = re.compile(r"\n[ \t]*+(\w++)")
_GOOSE = re.compile(r"(?:.*/)?\d{3,14}_\w+(?<!_test)\.go")
_REGISTERED = re.compile(r"\bgoose\.Add(?:Named)?Migration\w*\(")
_WAY = r"[ \t]*(?:(?:public|async|static|def|function|export)\b[ \t]*){1,4}"
_FUNCTION = re.compile(
    rf"^(?:func |{_WAY}(?:up|down|safeUp|safeDown|upgrade|downgrade)\b)[^\n]{{0,200}}", re.MULTILINE
)
_BACKWARD = re.compile(
    r"(?i)(?:func (?:\([^)]{0,200}\) )?(?:\w{0,60}_)?(?:down|rollback)"
    rf"|{_WAY}(?:safe)?down(?:grade)?\b)"
)
_INSIDE = {
    '"': re.compile(r"(?:[^\"\\]|\\.)*+", re.DOTALL),
    "'": re.compile(r"(?:[^'\\]|\\.)*+", re.DOTALL),
}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_GOES_ON = re.compile(r"\s*(?:[+.]\s*|\\\n\s*)?(?=[\"'])|\s*\+\s*(?=`)")
"""Between two texts that are one."""
_TYPE = re.compile(r"\s*\+\s*(?:\w{1,40}\.){0,3}(\w{1,40}\([\w, ]{0,40}\))\s*\+\s*(?=[\"'`])")
"""A call between two texts that gives a column its type."""
_NEAR = 200
"""Letters before it, which end with the column."""
_BEFORE_TYPE = re.compile(
    r"(?:\(|,|\bADD\b(?:\s+COLUMN\b)?)\s*[\"`]?\w{1,80}[\"`]?\s+\Z", re.IGNORECASE
)
_FILLED = re.compile(r"%[a-z(]|[$#]\{|(?<!\{)\{[\w.]{0,60}\}(?!\})|\{\w{1,60}:|\s\?[,\s]")
"""What a program puts into a text."""
_VALUE = re.compile(r"'[^']*'|\"[^\"\w]*\"")
_NAMED = re.compile(r"\{\{(\w{1,100})\}\}|\[\[(\w{1,100})\]\]")
"""A name as dbx of Go quotes it."""
_FOR_A_TIME = re.compile(
    r"(?i)\s*(?:create|alter)\s+table\s+(?:if\s+not\s+exists\s+)?\W?"
    r"(?:(?:new|old|tmp|temp|backup)_|\w{1,80}_(?:new|old|tmp|temp|backup)\b)"
)
_ADDS = re.compile(
    r"(?i)\balter\s+table\s+(?:if\s+exists\s+)?\W?(\w{1,100})\W{1,3}add\s+(?:column\s+)?\W?(\w{1,100})"
)
_ALTERS = re.compile(r"(?i)\balter\s+table\b")


class _Text(NamedTuple):
    """A text of statements, the line it begins on, and the line of the program before it."""

    line: int
    text: str
    before: str


def statements(facts: Facts) -> Iterator[tuple[str, str]]:
    """What source files by their paths have of such statements, on its own lines."""
    for path in facts.code:
        if facts.records[path].file_class != "source" or is_test(path):
            continue
        if text := _statements_of(facts, path):
            yield path, text


@of_file
def _statements_of(facts: Facts, path: str) -> str:
    written = facts.tree.text(path).partition(_TESTS)[0]
    migrates = _MIGRATION.search(written) is not None
    if not migrates and not _CREATES.search(written):
        return ""
    if path.endswith(".php"):
        written = _quoted(written)
    forward = "".join(map(_forward, _parts(written)))
    return _statements(_REMARK.sub("", forward), _MIGRATES if migrates else _BEGINS)


def _quoted(text: str) -> str:
    """A program of PHP with quotes around its texts between two lines with a word."""
    parts, at = [], 0
    while opened := _HEREDOC.search(text, at):
        lines = _FIRST_WORD.finditer(text, opened.end())
        closed = next((line for line in lines if line[1] == opened[2]), None)
        if closed is None:
            break
        inside = text[opened.end() : closed.start()]
        parts += [text[at : opened.start()], f'"""{inside}\n"""']
        at = closed.end()
    return "".join((*parts, text[at:]))


def is_migration(facts: Facts, path: str) -> bool:
    """Does a file of Go pass a migration to goose?"""
    return _GOOSE.fullmatch(path) is not None and (
        _REGISTERED.search(facts.tree.text(path)) is not None
    )


def _parts(text: str) -> Iterator[str]:
    """A program, cut before its functions."""
    starts = [0, *(match.start() for match in _FUNCTION.finditer(text)), len(text)]
    yield from (text[start:end] for start, end in pairwise(starts))


def _forward(part: str) -> str:
    """A function; blank for one that undoes a migration."""
    return "\n" * part.count("\n") if _BACKWARD.match(part) else part


def _statements(written: str, begins: re.Pattern[str]) -> str:
    """The statements of a program, with an end; all else is blank."""
    texts: list[str] = []
    line = 0
    for begin, text, _ in _without_past(list(_texts(written, begins))):
        texts += "\n" * max(begin - line, 0), text, ";"
        line = max(begin, line) + text.count("\n")
    return "".join(texts)


def _texts(written: str, begins: re.Pattern[str]) -> Iterator[_Text]:
    unclosed: set[str] = set()
    at = 0
    for number, match in numbered(begins, written):
        start = match.start("sign")
        if start < at:
            continue
        text, at = _text(written, start, unclosed)
        if text and not _FILLED.search(_VALUE.sub("", text)) and not _FOR_A_TIME.match(text):
            before = written[max(start - _NEAR, 0) : start].rpartition("\n")[2]
            yield _Text(number - 1, _NAMED.sub(r"\1\2", text), before)


def _without_past(texts: list[_Text]) -> Iterator[_Text]:
    """Texts without those that bring an older database to the tables that others make. That is so
    where one adds a column with which another makes the table: both cannot be applied."""
    schema = Schema()
    made = [it for it in texts if not _ALTERS.search(it.text) and "migrat" not in it.before.lower()]
    for it in made:
        schema.apply("", it.text)
    columns = {
        (table.name.lower(), column.name.lower())
        for table in schema.tables()
        for column in table.columns
    }
    added = (match for it in texts for match in _ADDS.finditer(it.text))
    is_current = any(
        (table.lower(), name.lower()) in columns for table, name in (it.groups() for it in added)
    )
    yield from made if is_current else texts


def _text(written: str, start: int, unclosed: set[str]) -> tuple[str, int]:
    """A text with those that it is put together of, and where it ends; '' for one that has no end,
    and of one with more than texts in it the statements before that. No text ends behind one of a
    sign that is `unclosed`."""
    parts: list[str] = []
    at = start
    while True:
        sign = next(it for it in ('"""', "'''", written[at]) if written.startswith(it, at))
        begin = at + len(sign)
        end = -1 if sign in unclosed else _end(written, begin, sign)
        if end < 0:
            unclosed.add(sign)
            return "", begin
        if end - start > TEXT_MAX:
            return "", end + len(sign)
        inside = written[begin:end]
        parts.append(inside if len(sign) > 1 or sign == "`" else _ESCAPED.sub(_unescaped, inside))
        at = end + len(sign)
        following = _GOES_ON.match(written, at)
        if following is None and _BEFORE_TYPE.search(parts[-1], max(0, len(parts[-1]) - _NEAR)):
            following = _TYPE.match(written, at)
            parts += [following[1]] if following else []
        if following is None:
            rest = written[at : at + 40].lstrip()
            whole = "".join(parts)
            return (whole.rpartition(";\n")[0] if rest.startswith("+") else whole), at
        parts.append("\n" * following[0].count("\n"))
        at = following.end()


def _end(written: str, begin: int, sign: str) -> int:
    """Where a text ends; -1 where it does not."""
    if sign not in _INSIDE:
        return written.find(sign, begin)
    match = _INSIDE[sign].match(written, begin)
    return match.end() if match and written.startswith(sign, match.end()) else -1


def _unescaped(match: re.Match[str]) -> str:
    return match[1] if match[1] in "\"'\n\\" else " "

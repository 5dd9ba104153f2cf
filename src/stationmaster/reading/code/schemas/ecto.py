"""Migrations of Ecto: what one makes and changes, a program of Elixir by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.stored import Column, Entity

FRAMEWORK = "Ecto"
_STATEMENTS_MAX, _COLUMNS_MAX, _NAMES_MAX = 500, 500, 200
_FUNCTION = re.compile(r"(?m)^(?=  defp? )")
_DOWN = re.compile(r"  defp? (?:down|rollback)\b")
_STATEMENT = re.compile(
    r"\b(create|alter|drop|rename)(?:_if_(?:not_)?exists)?[ (]\s*"
    r"table\(\s*(?:[:\"](\w{1,100})\"?|\w{1,60}\))([^\n]{0,300})"
)
_OPENS = re.compile(r"\bdo\s*$")
_END = re.compile(r"(?m)^[ \t]*end\b")
_LISTED = re.compile(r"\[([:\w\s,]{1,4000})\]|~w[\[({]([\w\s]{1,4000})[\])}]a?")
_WORD = re.compile(r"\w+")
_COLUMN = re.compile(
    r"\b(add|modify|remove)(?:_if_(?:not_)?exists)?[ (]\s*:(\w{1,100})"
    r"(?:,\s*(?:references\(\s*[:\"](\w{1,100})|\{?:?([\w.]{1,80})))?([^\n]{0,200})"
)
_TIMES = re.compile(r"\btimestamps\b([^\n]{0,200})")
_TYPE = re.compile(r"\btype: :(\w{1,40})")
_RENAMED = re.compile(r"(?:\)?,\s*:(\w{1,100}))?\)?,?\s*to: (?::(\w{1,100})|table\(:(\w{1,100})\))")
_WRITTEN = re.compile(
    r"(?i)\balter\s+table\s+(?:if\s+exists\s+|only\s+)?\"?(\w{1,100})\"?\s+(?:add|drop|rename)\s+"
    r"(?:column|to)\b"
)
"""SQL that changes a table, which is not followed."""


def read(text: str) -> Iterator[Entity]:
    """The tables that a migration makes and what it changes of others, in its order. Those that it
    goes through a list of are all that it lists."""
    parts = _FUNCTION.split(text)
    text = "".join("\n" * it.count("\n") if _DOWN.match(it) else it for it in parts)
    line, at = 1, 0
    for count, match in enumerate(_STATEMENT.finditer(text)):
        if count == _STATEMENTS_MAX:
            return
        line, at = line + text.count("\n", at, match.start()), match.start()
        inside = ""
        if _OPENS.search(match[3]):
            end = _END.search(text, match.end())
            inside = text[match.end() : end.start() if end else len(text)]
        names = [match[2]] if match[2] else _listed(text)
        for name in names:
            yield from _made(match[1], name, match[3], inside, line)
    yield from (_change(match[1], line) for match in _WRITTEN.finditer(text))


def _listed(text: str) -> list[str]:
    lists = _LISTED.findall(text)[:_NAMES_MAX]
    return sorted({word for some in lists for word in _WORD.findall("".join(some))})[:_NAMES_MAX]


def _made(verb: str, name: str, rest: str, inside: str, line: int) -> Iterator[Entity]:
    columns = tuple(_columns(inside, line))
    renamed = _RENAMED.match(rest)
    if verb == "drop":
        yield _change(name, line)
    elif verb == "rename" and renamed and renamed[3]:
        yield _change(name, line, symbol=renamed[3])
    elif verb == "rename" and renamed and renamed[1] and renamed[2]:
        yield _change(name, line, (Column(renamed[1], references=renamed[2], line=line),))
    elif verb == "alter" and columns:
        yield _change(name, line, columns)
    elif verb == "create":
        key = () if "primary_key: false" in rest else (Column("id", "id", True, line=line),)
        end = line + inside.count("\n")
        yield Entity(name, "table", line, end, (*key, *columns), framework=FRAMEWORK)


def _change(name: str, line: int, columns: tuple[Column, ...] = (), symbol: str = "") -> Entity:
    return Entity(name, "change", line, line, columns, symbol, FRAMEWORK)


def _columns(inside: str, start: int) -> Iterator[Column]:
    for count, match in enumerate(_COLUMN.finditer(inside)):
        if count == _COLUMNS_MAX:
            return
        line = start + inside.count("\n", 0, match.start())
        verb, name, target, written, rest = match.groups()
        typed = _TYPE.search(rest)
        type_ = (typed[1] if typed else "id") if target else written or ""
        if verb == "remove":
            yield Column(name, line=line)
        elif type_:
            is_key = "primary_key: true" in rest
            yield Column(name, type_, is_key, references=target or "", line=line)
    for match in _TIMES.finditer(inside):
        line, typed = start + inside.count("\n", 0, match.start()), _TYPE.search(match[1])
        for name in ("inserted_at", "updated_at"):
            if f"{name}: false" not in match[1]:
                yield Column(name, typed[1] if typed else "naive_datetime", line=line)

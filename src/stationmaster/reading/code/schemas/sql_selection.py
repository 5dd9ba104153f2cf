"""The query whose result a table is made of: `CREATE TABLE x AS SELECT …`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.reading.code.schemas.sql_tokens import Token, Words, split, words

_ENDS = frozenset({"UNION", "INTERSECT", "EXCEPT", "WHERE", "GROUP", "ORDER", "LIMIT", "HAVING"})
_JOINS = ("FROM", "JOIN", ",")


class Selected(NamedTuple):
    """A column of a query: `name` is `*` for all of a table, `source` the table's name or alias
    where one is written. `is_plain` where it is a column of a table and nothing computed."""

    name: str
    source: str
    is_plain: bool


class Selection(NamedTuple):
    """A query; `tables` are the names of its tables by alias."""

    columns: tuple[Selected, ...]
    tables: dict[str, str]


def selection(tokens: list[Token]) -> Selection | None:
    """The query that follows the name of a new table; None without one. Columns that have no name
    of their own are left out."""
    top = _top(tokens)
    start = next((i for i, word in enumerate(top) if word in ("AS", "SELECT")), len(top))
    rest, top = tokens[start:], top[start:]
    if not rest:
        return None
    if top[0] == "AS":
        rest, top = rest[1:], top[1:]
    if top[:1] == ["("]:  # The whole query is in brackets.
        rest = rest[1:-1]
        top = _top(rest)
    if "SELECT" not in top:
        name = Words(rest[1:] if top[:1] == ["TABLE"] else rest).name()
        return Selection((Selected("*", name, True),), {name: name}) if name else None
    begin = top.index("SELECT") + 1
    end = next((i for i in range(begin, len(top)) if top[i] == "FROM" or top[i] in _ENDS), len(top))
    last = next((i for i in range(end, len(top)) if top[i] in _ENDS), len(top))
    columns = (_column(part) for part in split(rest[begin:end]))
    return Selection(
        tuple(column for column in columns if column), dict(_tables(rest[end:last], top[end:last]))
    )


def _top(tokens: list[Token]) -> list[str]:
    """The words outside brackets, '' for those inside; opening brackets count as outside."""
    depth = 0
    top = []
    for word in words(tokens):
        depth -= word == ")"
        top.append(word if depth <= 0 else "")
        depth += word == "("
    return top


def _column(tokens: list[Token]) -> Selected | None:
    if words(tokens[:1]) in (["DISTINCT"], ["ALL"]):
        tokens = tokens[1:]
    texts = [token.text for token in tokens]
    path = texts[:-2] if words(tokens[-2:-1]) == ["AS"] else texts
    is_plain = all(text == "." for text in path[1::2]) and len(path) % 2 == 1
    if not tokens or not (tokens[-1].is_name or texts[-1] == "*"):
        return None
    if not is_plain and len(path) == len(texts):
        return None
    return Selected(texts[-1], path[-3] if is_plain and len(path) > 1 else "", is_plain)


def _tables(tokens: list[Token], top: list[str]) -> Iterator[tuple[str, str]]:
    for index, word in enumerate(top):
        if word in _JOINS:
            reading = Words(tokens[index + 1 :])
            if name := reading.name():
                yield name, name
                reading.takes("AS")
                if alias := reading.name():
                    yield alias, name

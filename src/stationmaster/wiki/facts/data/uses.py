"""Which functions write, delete and read the rows of a table, as far as the code names it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.sql import sql
from stationmaster.reading.code.model import Call
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.names import around, types
from stationmaster.wiki.facts.code.symbols import only_for_tests
from stationmaster.wiki.facts.data.databases import nearest
from stationmaster.wiki.facts.data.entities import Stored, stored
from stationmaster.wiki.facts.data.schemas import IN_MIGRATIONS
from stationmaster.wiki.facts.model import Facts, query

_TABLE = r"\s+[\"`\[]?(?:\w{1,60}\.)?(\w{1,100})"
_NEW = r"\(\s*(?:new\s+|&)?(?:\w{1,60}\.)?([A-Z]\w{0,99})[({]"
"""A record that is made where it is passed on."""
_SQL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("writes", re.compile(
        r"(?i)\b(?:insert\s+(?:or\s+\w{1,20}\s+|ignore\s+)?into|replace\s+into"
        rf"|update(?=\s+\S{{1,100}}\s+set\b)){_TABLE}|\b(?:insertInto|updateTable)\(\s*[\"'`](\w+)"
        rf"|\b(?:session|\w{{0,20}}context|db|tx|em|(?:entity)?manager)\.(?:add|create|save|persist){_NEW}"
        rf"|->persist{_NEW}")),
    ("deletes", re.compile(
        rf"(?i)\bdelete\s+from{_TABLE}|\bdeleteFrom\(\s*[\"'`](\w+)|\.delete{_NEW}")),
    ("reads", re.compile(rf"(?<!DELETE )\b(?:FROM|JOIN){_TABLE}|\bselectFrom\(\s*[\"'`](\w+)")),
)  # fmt: skip
_REMARK = re.compile(r"\s*(?://|#|--|\*)")
_CLASS = re.compile(r"(?:\w{1,60}(?:\.|::)){0,4}?([A-Z]\w{0,99})(?=$|\.|::)")
_NAMING = re.compile(
    r"(?:\w.{0,100}\.)?(query|insert|update|delete|from|Model|select)\(&?(?:\w{1,60}\.)?(\w{1,100})"
)
_DATABASE = re.compile(
    r"(?:\w{1,60}(?:\(\))?(?:\.|->)){0,4}?(?:_?(?:db|em|knex|qb|trx|tx)|(?:\w{0,30}(?:DB|Db|_db"
    r"|[cC]onn|[cC]onnection|[dD]atabase|[dD]rizzle|[mM]anager|[rR]epo|[rR]epository|[sS]ession"
    r"|[tT]ransaction)|diesel))\b"
)
_OF_LIST = re.compile(r"(?:.*\.)?[A-Z]\w{0,60}\.from\(")
"""`Array.from(orders)`."""
_VERBS_OF_CALLS = {"insert": "writes", "update": "writes", "delete": "deletes"}
_MEMBER = re.compile(
    r"(?:\w{0,60}\.)?(?:\w{0,30}[pP]risma|tx|(_?\w{0,30}[cC]ontext))\.(\w{1,100})(?=$|\.)"
)
_REPOSITORY = re.compile(r"(?:this\.|self\.|this->)?_?(\w{1,100}?)(?:Repository|Repo|Dao|DAO)\Z")


USES_MAX = 2_000
"""In one file."""


class Use(NamedTuple):
    """`verb` is what the function `symbol` does with rows."""

    verb: str
    symbol: str
    path: str
    line: int


@query
def uses(facts: Facts, key: str) -> tuple[Use, ...]:
    """Uses of a table, by place and without repetitions; what writes or deletes also reads."""
    return _uses(facts).get(key, ())


@query
def _uses(facts: Facts) -> Mapping[str, tuple[Use, ...]]:
    """By the keys of tables. For other questions."""
    names = _Names(facts)
    by_table: dict[str, dict[tuple[str, str, str], Use]] = defaultdict(dict)
    for path, record in facts.code.items() if stored(facts) else ():
        is_product = facts.records[path].file_class == "source" and not is_test(path)
        if not is_product or IN_MIGRATIONS.search(path):
            continue
        rows = [*_in_texts(facts, path, names), *_in_calls(facts, path, record.calls, names)]
        for key, verb, line in rows[:USES_MAX]:
            symbol = around(facts, path, line)
            if symbol and symbol not in only_for_tests(facts, path):
                by_table[key].setdefault((verb, path, symbol), Use(verb, symbol, path, line))
    return {key: tuple(_plain(of_table)) for key, of_table in by_table.items()}


def _plain(of_table: Mapping[tuple[str, str, str], Use]) -> Iterator[Use]:
    changing = {(use.path, use.symbol) for use in of_table.values() if use.verb != "reads"}
    for use in sorted(of_table.values(), key=lambda use: (use.path, use.line)):
        if use.verb != "reads" or (use.path, use.symbol) not in changing:
            yield use


class _Names:
    """Tables by what the code calls them; of several with one name, a file means the nearest."""

    def __init__(self, facts: Facts) -> None:
        tables = stored(facts)
        classes = Counter(
            symbol.name
            for record in facts.code.values()
            for symbol in record.symbols
            if symbol.kind == "class"
        )
        models = [(it.model.rpartition(".")[2], it) for it in tables if it.model]
        self.tables = _by_name((it.name.lower(), it) for it in tables)
        self.models = _by_name(row for row in models if classes[row[0]] < 2)
        self.members = {**_by_name((name.lower(), it) for name, it in models), **self.tables}


def _by_name(rows: Iterable[tuple[str, Stored]]) -> defaultdict[str, dict[str, Sequence[str]]]:
    """The folders that declare the tables of a name, by their keys."""
    keys: defaultdict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    for name, table in rows:
        keys[name][table.key] = (folder_of(table.path), *table.others)
    return keys


def _in_texts(facts: Facts, path: str, names: _Names) -> Iterator[tuple[str, str, int]]:
    """Key, verb and line of what statements of SQL in a file name."""
    text = facts.tree.text(path)
    for verb, form in _SQL:
        at, line = 0, 1
        for match in form.finditer(text):
            table, model = match[1] or match[2] or "", match[match.lastindex or 0]
            called = names.tables.get(table.lower()) if table else names.models.get(model)
            key = nearest(path, called or {})
            start = text.rfind("\n", 0, match.start()) + 1
            if key is not None and not _REMARK.match(text, start):
                line += text.count("\n", at, match.start())
                at = match.start()
                yield key, verb, line


def _in_calls(
    facts: Facts, path: str, calls: tuple[Call, ...], names: _Names
) -> Iterator[tuple[str, str, int]]:
    """Key, verb and line of calls of models and of what keeps them."""
    verbs = {name: verb for verb, group in sql().verbs.items() for name in group}
    for call in calls:
        verb = verbs.get(call.name.rstrip("!"), "")
        if "(" in call.of and (match := _NAMING.match(call.of)):
            key = _table(facts, path, call, match, names)
            verb = _VERBS_OF_CALLS.get(match[1], verb)
        else:
            key = _key(facts, path, call, names) if verb and call.of else None
        if verb and key:
            yield key, verb, call.line


def _table(facts: Facts, path: str, call: Call, match: re.Match[str], names: _Names) -> str | None:
    """The table of an argument of a call: by its class, or by any other name where a database is
    called, or a function of a mapper."""
    name = match[2]
    if _OF_LIST.fullmatch(call.of, 0, match.start(2)):
        return None
    is_database = _DATABASE.match(call.of) or (match.start(1) == 0 and _maps(facts, path))
    if not (name[:1].isupper() or is_database):
        return None
    tables = names.tables.get(name.lower()) if is_database else None
    return nearest(path, names.models.get(name) or tables or {})


def _maps(facts: Facts, path: str) -> bool:
    """Does a file import a mapper?"""
    modules = [it.name.lower() for it in facts.code[path].imports]
    return any(word in module for word in lists.words("mapper") for module in modules)


def _key(facts: Facts, path: str, call: Call, names: _Names) -> str | None:
    if match := _MEMBER.match(call.of):
        # Much else is a context, of a request or of what is shown.
        context = call.of[: match.end(1)] if match[1] else ""
        is_database = not context or _maps(facts, path)
        if is_database or types(facts).type_of(path, call.caller, context) is not None:
            return nearest(path, names.members.get(match[2].lower(), {}))
    if match := _CLASS.match(call.of):
        return nearest(path, names.models.get(match[1], {}))
    if match := _REPOSITORY.match(call.of):
        return nearest(path, names.members.get(match[1].lower(), {}))
    place = types(facts).type_of(path, call.caller, call.of)
    match = _REPOSITORY.match(place[1]) if place else None
    return nearest(path, names.members.get(match[1].lower(), {}) if match else {})

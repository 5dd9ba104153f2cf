"""From the bytes of one file to its facts. Runs in a process that may be killed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from pkgutil import resolve_name
from typing import Any, NamedTuple

from tree_sitter import Language, Parser

from stationmaster.reading.code import components, given, languages, looks
from stationmaster.reading.code.languages.source import Grammar
from stationmaster.reading.code.languages.typed import typed
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Fact, FileFacts


class _Dialect(NamedTuple):
    parser: Parser
    grammar: Grammar
    file: type[Unit]
    readers: Iterable[Callable[[Any], Iterable[Fact]]]


def read(language: str, data: bytes) -> FileFacts:
    """The facts of a file; for one that is not parsed, the reason as status."""
    return _read(language, data, _calls)


def declarations(language: str, data: bytes) -> FileFacts:
    """The facts of a file as of `read`, without those that only the resolution of calls needs."""
    return _read(language, data, lambda *_: None)


def _calls(facts: FileFacts, source: Unit) -> None:
    given.add(facts, source.data.decode(errors="replace"), source.language)
    facts.typed = typed(source, facts, source.noted_types())


def _read(language: str, data: bytes, add: Callable[[FileFacts, Unit], None]) -> FileFacts:
    lines = data.count(b"\n") + 1
    unfit = looks.status(data)
    if unfit is not None:
        return FileFacts(status=unfit, lines=lines)
    named, language = language, looks.dialect(language, data)
    template = b""
    if language in components.LANGUAGES:
        data, template = components.parts(language, data)
    try:
        dialect = _dialect(language)
        tree = dialect.parser.parse(dialect.file.parseable(data))
        file = dialect.file(data, tree.root_node, dialect.grammar)
        facts, is_whole = file.facts(dialect.readers), file.is_whole
        add(facts, file)
        vars(file).clear()  # Its calls refer to it: it would stay until garbage is collected.
        if template:
            components.add(facts, template)
    except Exception:  # A file that its reader does not expect fails alone.
        return FileFacts(status="failed", lines=lines)
    if not is_whole and facts.status == "ok":
        facts.status = "errors"
    if language != named:
        facts.language = language
    return facts


@lru_cache(32)
def _dialect(language: str) -> _Dialect:
    row = languages.dialects()[language]
    grammar = Language(resolve_name(row.grammar)())
    reader = import_module(f"{languages.__name__}.{row.reader}")
    queries = Grammar(language, grammar, row.queries or (language,))
    return _Dialect(Parser(grammar), queries, reader.File, reader.READERS)

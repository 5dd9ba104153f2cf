"""What code lets ask and do by GraphQL without a schema in a file, as `catalogue/code/graphql.toml`
lists the libraries; and schemas that stand as texts in code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row, compiled
from stationmaster.reading.code.model import FileFacts, Symbol
from stationmaster.reading.code.schemas import graphql
from stationmaster.reading.code.signatures import arguments
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.model import Facts, query

FIELDS_MAX = 5_000
_LINE_MAX = 400
_HEAD_MAX = 20
"""Lines above a function in which its marks are looked for."""
_ROOT = re.compile(r"^(?:Query|Queries|Mutations?)|(?:Query|Queries|Mutations?)(?:Type|Root)?$")
_SCHEMA = re.compile(
    r"\b(?:extend\s{1,20})?type\s{1,20}(?:Query|Mutation|Subscription)\b[^{\n]{0,200}\{"
)
_TEXTS = re.compile(r"`[^`]*+`|\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"")
_SCRIPTS = (".go", ".js", ".mjs", ".py", ".ts")
"""Endings of files in whose texts schemas stand."""
_NAME = re.compile(r"\bname\s{0,9}[:=]\s{0,9}[\"'](\w{1,80})[\"']")
_QUOTED = re.compile(r"[\"'](\w{1,80})[\"']")
_ARROW = re.compile(r"(?:\(\)|\w{1,20})\s{0,9}=>\s{0,9}([\[\]\w.!]{1,80})")
_MARKED = re.compile(
    r"^\s*(?:@\w{1,60}(?:\.\w{1,60})?|\[\w{1,60}(?:<\w{1,60}>)?(?:\([^()]{0,80}\))?\])\s*"
)
_TYPE_FIRST = re.compile(
    r"(?:(?:final|val)\s++)?([\w.<>?,\[\]](?:[\w.<>?,\[\] ]{0,98}[\w.<>?,\[\]])?)\s++(\w{1,80})"
)
_MODIFIERS = re.compile(
    r"(?:(?:public|private|protected|internal|static|async|override|virtual|final|suspend|fun|def)\s+)*+"
)
_AS_WRITTEN = re.compile(r"\bauto_camel_?case\s{0,9}=\s{0,9}False\b")
"""What lets a schema of Python keep the names of the code."""
_UNDER = re.compile(r"(?<=[A-Za-z0-9])_+([A-Za-z0-9])")


class _Library(Row, frozen=True):
    """A row of the table, which says what each member is."""

    endings: tuple[str, ...]
    packages: tuple[str, ...] = ()
    marks: Mapping[str, str] = {}
    takes: str = ""
    injected: str = ""
    typed: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    members: str = ""
    calls: str = ""
    registered: str = ""
    dropped: str = ""
    is_whole: bool = False
    is_camel: bool = False


_LIBRARIES = code.table("graphql.roots.libraries", dict[str, _Library])
_SERVERS = compiled(code.table("graphql.roots.servers", str))
_PASSED = compiled(code.table("graphql.roots.passed", str))
_WAITING = re.compile(code.table("graphql.roots.waiting", str))


@query
def resolved(facts: Facts) -> tuple[tuple[str, str, graphql.Field], ...]:
    """The kind of root, the file and what it lets ask, by file and line; of product code alone."""
    found: list[tuple[str, str, graphql.Field]] = []
    used = {
        name: any(_imports(library, said) for said in facts.code.values())
        for name, library in _LIBRARIES.items()
        if library.registered
    }
    libraries = {
        name: replace(library, is_camel=library.is_camel and not _is_as_written(facts, library))
        for name, library in _LIBRARIES.items()
    }
    for path, said in facts.code.items():
        for name, library in libraries.items():
            is_one = path.endswith(library.endings) and facts.records[path].file_class == "source"
            if is_one and (used[name] if name in used else _is_used(library, said)):
                fields = sorted(_fields(facts, path, library), key=lambda it: it[1].line)
                found += ((root, path, field) for root, field in fields)
    return tuple(found[:FIELDS_MAX])


@query
def schemas_in_code(facts: Facts) -> tuple[tuple[str, graphql.Schema], ...]:
    """Schemas that stand as texts in source files, by file."""
    found = []
    imports = (it.name for said in facts.code.values() for it in said.imports)
    is_asked = any(_SERVERS.search(name) for name in imports)
    for path in facts.code if is_asked else ():
        if path.endswith(_SCRIPTS) and facts.records[path].file_class == "source":
            text = facts.tree.text(path)
            for line, match in numbered(_TEXTS, text if _SCHEMA.search(text) else ""):
                if _SCHEMA.search(match[0]):
                    found.append((path, _moved(graphql.read(match[0].strip('`"')), line - 1)))
    return tuple(found)


def _moved(schema: graphql.Schema, lines: int) -> graphql.Schema:
    """A schema that begins that many lines below the first one."""
    types = tuple(
        replace(
            it,
            line=it.line + lines,
            end=it.end + lines,
            fields=tuple(replace(field, line=field.line + lines) for field in it.fields),
        )
        for it in schema.types
    )
    return replace(schema, types=types)


def _is_as_written(facts: Facts, library: _Library) -> bool:
    """Does a schema of a library have the names of the code?"""
    return any(
        path.endswith(library.endings)
        and _imports(library, said)
        and facts.records[path].file_class == "source"
        and _AS_WRITTEN.search(facts.tree.text(path)) is not None
        for path, said in facts.code.items()
    )


def _is_used(library: _Library, said: FileFacts) -> bool:
    return not library.packages or _imports(library, said)


def _imports(library: _Library, said: FileFacts) -> bool:
    names = (import_.name for import_ in said.imports)
    return any(
        name == package or name.startswith((f"{package}.", f"{package}/"))
        for name in names
        for package in library.packages
    )


def _fields(facts: Facts, path: str, library: _Library) -> Iterator[tuple[str, graphql.Field]]:
    """What a file lets ask, with the kind of its root."""
    lines, symbols = lines_of(facts, path), facts.code[path].symbols
    roots = {it.qualified: root for it in symbols if (root := _root(facts, library, it))}
    for it in symbols:
        is_called = it.kind in ("function", "method")
        mark = next((mark for mark in it.marks if mark in library.marks), "")
        if is_called and mark:
            yield library.marks[mark], _field(library, lines, it, mark)
        elif is_called and it.container in roots:
            mark = next((mark for mark in it.marks if mark in library.fields), "")
            if mark or (library.is_whole and it.is_public):
                yield roots[it.container], _field(library, lines, it, mark)
        elif it.qualified in roots and library.members:
            yield from ((roots[it.qualified], each) for each in _members(facts, path, library, it))
    if library.calls:
        for line, match in numbered(compiled(library.calls), facts.tree.text(path)):
            yield match[1], graphql.Field(match[2], "", line)


def _root(facts: Facts, library: _Library, symbol: Symbol) -> str:
    """The kind of root that a class is; '' for none."""
    if symbol.kind != "class":
        return ""
    bases = {re.split(r"[.:]+", base)[-1] for base in symbol.bases}
    is_one = library.bases & bases or library.typed.intersection(symbol.marks)
    names = (symbol.name, *symbol.marks) if is_one else ()
    match = next((match for name in names if (match := _ROOT.search(name))), None)
    if match is None:
        return _registered(facts).get(symbol.name, "") if library.registered else ""
    return "query" if match[0].startswith("Quer") else "mutation"


@query
def _registered(facts: Facts) -> Mapping[str, str]:
    """The kinds of roots by the names of classes that calls make some."""
    return {
        match[2].rpartition(".")[2]: match[1].lower()
        for library in _LIBRARIES.values()
        for path in (facts.code if library.registered else ())
        if path.endswith(library.endings) and facts.records[path].file_class == "source"
        for match in compiled(library.registered).finditer(facts.tree.text(path))
    }


def _members(facts: Facts, path: str, library: _Library, symbol: Symbol) -> Iterator[graphql.Field]:
    """The fields that lines of a class declare, each with what its resolver takes."""
    inner = {it.name: it for it in facts.code[path].symbols if it.container == symbol.qualified}
    lines = lines_of(facts, path)[symbol.line : symbol.end]
    for line, text in enumerate(lines, symbol.line + 1):
        if match := compiled(library.members).match(text[:_LINE_MAX]):
            resolver = inner.get(f"resolve_{match[1]}") or inner.get(match[1])
            takes = _takes(library, resolver) if resolver else ()
            doc = resolver.doc if resolver else ""
            yield graphql.Field(_shown(library, match[1]), "", line, takes, doc)


def _field(library: _Library, lines: Sequence[str], symbol: Symbol, mark: str) -> graphql.Field:
    """What a function lets ask: called as its mark says, else as itself."""
    head = "\n".join(
        line[:_LINE_MAX] for line in lines[max(symbol.line - _HEAD_MAX, 0) : symbol.line]
    )
    at = head.rfind(f"{mark}(") if mark else -1
    given = arguments(head[at + len(mark) :]) if at >= 0 else []
    quoted = _QUOTED.fullmatch(given[0]) if given else None
    named = quoted or next((match for it in given if (match := _NAME.search(it))), None)
    arrow = next((match for it in given[:1] if (match := _ARROW.match(it))), None)
    return graphql.Field(
        named[1] if named else _shown(library, symbol.name),
        arrow[1] if arrow else _gives(symbol),
        symbol.line,
        _takes(library, symbol),
        symbol.doc,
    )


def _shown(library: _Library, name: str) -> str:
    """A name as the library writes it in the schema."""
    name = compiled(library.dropped).sub("", name) if library.dropped else name
    if library.is_camel:
        name = _UNDER.sub(lambda match: match[1].upper(), name)
        name = name[:1].lower() + name[1:]
    return name


def _takes(library: _Library, symbol: Symbol) -> tuple[str, ...]:
    """What a caller gives to a function, by name and type."""
    listed = arguments(
        symbol.signature[symbol.signature.find(f"{symbol.name}(") + len(symbol.name) :]
    )
    takes = []
    for parameter in listed:
        is_given = compiled(library.takes).match(parameter) if library.takes else None
        is_passed = _PASSED.match(parameter) or (
            library.injected and compiled(library.injected).search(parameter)
        )
        if is_given or not (library.takes or is_passed):
            plain = _unmarked(parameter)
            first = _TYPE_FIRST.fullmatch(plain)
            takes.append(f"{first[2]}: {first[1]}" if first and ":" not in plain else plain)
    return tuple(takes)


def _unmarked(parameter: str) -> str:
    """A parameter without what marks it and its default."""
    while match := _MARKED.match(parameter):
        rest = parameter[match.end() :]
        if rest.startswith("("):
            given = ", ".join(arguments(rest))
            rest = rest[_closing(rest) :] if given or rest.startswith("()") else rest[1:]
        parameter = rest.strip()
    return parameter.partition("=")[0].strip() if "=>" not in parameter else parameter


def _closing(text: str) -> int:
    """Where the bracket ends that a text begins with."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            return at + 1
    return len(text)


def _gives(symbol: Symbol) -> str:
    """The type of what a function gives back, without what it is wrapped in."""
    before, _, rest = symbol.signature.partition(f"{symbol.name}(")
    behind = rest[_closing(f"({rest}") - 1 :].lstrip(" :->").partition(" {")[0]
    type_ = _MODIFIERS.sub("", before.strip() + " ", count=1).strip() or behind.strip()
    waiting = _WAITING.fullmatch(type_)
    return waiting[1] if waiting else type_

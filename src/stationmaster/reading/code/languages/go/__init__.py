"""Go."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages import items, wrapping
from stationmaster.reading.code.languages.go import (
    commands,
    kingpin,
    kong,
    routes,
    running,
    settings,
    symbols,
)
from stationmaster.reading.code.languages.go.frameworks import File, bound
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    line_of,
    one_line,
    remarks,
)
from stationmaster.reading.code.model import Entry, FileFacts, Import, Mark

_DEPRECATED = re.compile(r"^(?://|/\*)?[ \t*]*Deprecated: ([^\n]{0,200})", re.MULTILINE)
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_MAJOR = re.compile(r"v(?!1$)\d{1,4}")
"""Of a module, which has none in its first version: a last `v1` is a package."""
_VERSIONED = re.compile(r"(.{1,200})\.v\d{1,4}")


def read(source: Source) -> FileFacts:
    """The facts of a Go file: declarations, imports, calls, and what uses known packages."""
    nodes = source.captures("file")
    comments = Comments(source, nodes["comment"])
    package = next(iter(nodes["package"]), None)
    name = source.text(package).removeprefix("package").strip()
    declared = symbols.declared(source, nodes["declared"], comments, name == "main")
    made, scopes = declarations(source, declared)
    calls = items.calls(source, scopes, None)
    facts = FileFacts(
        lines=source.lines,
        package=name,
        doc=comments.sentence(package) if package else "",
        symbols=made,
        imports=tuple(_imports(source, nodes["import"], nodes["member"])),
        calls=calls.every,
        marks=remarks(source, nodes["comment"]),
    )
    file = File(source, scopes, bound(facts.imports), calls.called, nodes["field"])
    facts.add(_mains(facts))
    facts.add(_deprecated(source, nodes["comment"]))
    found = routes.read(file)
    facts.add(found.facts)
    functions = [
        (scopes.at(body.start_byte), node)
        for node in nodes["declared"]
        if node.type in _FUNCTIONS and (body := node.child_by_field_name("body"))
    ]
    facts.wiring = replace(found.wiring, wrappers=tuple(wrapping.wrappers(source, functions)))
    for reader in (commands, kingpin, kong, settings, running):
        facts.add(reader.read(file))
    return facts


def _imports(source: Source, nodes: list[Node], members: list[Node]) -> Iterator[Import]:
    used: dict[str, set[str]] = defaultdict(set)
    for member in members:
        of, _, name = source.text(member).partition(".")
        used[of].add(name)
    for node in nodes:
        path = source.part(node, "path").strip('"`')
        alias = source.part(node, "name")
        if alias == ".":
            yield Import(path, line_of(node), names=("*",), bound=("*",))
        else:
            name = alias or _package(path)
            yield Import(path, line_of(node), bound=(name,), used=tuple(sorted(used[name])))


def _package(path: str) -> str:
    """The name that a package most likely has, by the path it is imported from."""
    steps = path.split("/")
    if len(steps) > 1 and _MAJOR.fullmatch(steps[-1]):
        steps.pop()
    versioned = _VERSIONED.fullmatch(steps[-1])
    name = versioned[1] if versioned else steps[-1]
    return name.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "")


def _deprecated(source: Source, comments: list[Node]) -> Iterator[Mark]:
    for node in comments:
        said = _DEPRECATED.search(source.text(node))
        if said is not None:
            yield Mark("deprecated", line_of(node), one_line(said[1]))


def _mains(facts: FileFacts) -> Iterator[Entry]:
    for symbol in facts.symbols if facts.package == "main" else ():
        if symbol.qualified == "main" and symbol.kind == "function":
            yield Entry("main", "main", symbol.line, "main")

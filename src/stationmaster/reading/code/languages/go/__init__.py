"""Go."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_go
from tree_sitter import Node

from stationmaster.reading.code.languages import tagged
from stationmaster.reading.code.languages.go import commands, routes, running, symbols
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    first_sentence,
    line_of,
    one_line,
    remarks,
)
from stationmaster.reading.code.model import FileFacts, Import, Mark

_QUERY = """
(comment) @comment
(import_spec) @import
(call_expression) @call
(field_declaration tag: (_)) @field
"""
_DEPRECATED = re.compile(r"^(?://|/\*)?[ \t*]*Deprecated: ([^\n]{0,200})", re.MULTILINE)
_MAJOR = re.compile(r"v\d{1,4}")
_VERSIONED = re.compile(r"(.{1,200})\.v\d{1,4}")


def grammar() -> object:
    """The tree-sitter grammar of Go, as `tree_sitter.Language` takes it."""
    return tree_sitter_go.language()


def read(source: Source) -> FileFacts:
    """The facts of a Go file: declarations, imports, calls, and what uses known packages."""
    found = source.captures(_QUERY)
    comments = Comments(source, found["comment"])
    made, scopes = declarations(source, symbols.declared(source, comments))
    package = next((n for n in source.root.named_children if n.type == "package_clause"), None)
    imports = tuple(_import(source, node) for node in found["import"])
    served = routes.routes(source, imports, scopes)
    typed = commands.commands(source, imports, scopes)
    facts = FileFacts(
        lines=source.lines,
        package=source.text(package).removeprefix("package").strip(),
        doc=first_sentence(comments.before(package)) if package else "",
        symbols=made,
        imports=imports,
        calls=tagged.calls(source, "go", scopes).every,
        routes=served.routes,
        mounts=served.mounts,
        commands=tuple(typed.commands),
        settings=tuple(typed.settings),
        entries=served.entries,
        marks=remarks(source, found["comment"]),
    )
    facts.marks += tuple(_deprecated(source, found["comment"]))
    running.add(source, facts, found["call"], found["field"], scopes)
    return facts


def _import(source: Source, node: Node) -> Import:
    path = source.text(node.child_by_field_name("path")).strip('"`')
    alias = source.text(node.child_by_field_name("name"))
    if alias == ".":
        return Import(path, line_of(node), names=("*",), bound=("*",))
    return Import(path, line_of(node), bound=(alias or _package(path),))


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

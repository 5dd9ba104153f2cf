"""Rust."""

from __future__ import annotations

import tree_sitter_rust
from tree_sitter import Node

from stationmaster.reading.code.languages.rust import commands, routes, running, symbols, uses
from stationmaster.reading.code.languages.source import (
    Comments,
    Scopes,
    Source,
    declarations,
    first_sentence,
    line_of,
    one_line,
    remarks,
)
from stationmaster.reading.code.model import Call, FileFacts

_QUERY = """
[(line_comment) (block_comment)] @comment
(call_expression) @call
(macro_invocation) @macro
(use_declaration) @use
(scoped_identifier) @path
(scoped_type_identifier) @path
"""


def grammar() -> object:
    return tree_sitter_rust.language()


def read(source: Source) -> FileFacts:
    found = source.captures(_QUERY)
    calls, macros = found["call"], found["macro"]
    items = symbols.items(source)
    comments = Comments(source, found["comment"])
    made, scopes = declarations(source, symbols.declared(source, items, comments))
    imports = uses.imports(source, items, uses.Uses(found["use"], found["path"], macros))
    served = routes.routes(source, imports, items, calls, macros, scopes)
    typed = commands.commands(source, imports, items, calls, comments)
    facts = FileFacts(
        lines=source.lines,
        doc=first_sentence(symbols.inner_doc(source)),
        symbols=made,
        imports=imports,
        calls=tuple(_calls(source, calls, scopes)),
        routes=tuple(served.routes),
        mounts=tuple(served.mounts),
        commands=tuple(typed.commands),
        settings=tuple(typed.settings),
        entries=tuple(served.entries),
        marks=remarks(source, found["comment"]),
    )
    running.add(source, facts, items, calls, macros, scopes)
    return facts


def _calls(source: Source, nodes: list[Node], scopes: Scopes) -> list[Call]:
    made = []
    for node in nodes:
        callee, name, of = node.child_by_field_name("function"), None, None
        if callee is not None and callee.type == "generic_function":
            callee = callee.child_by_field_name("function")
        if callee is None:
            continue
        match callee.type:
            case "identifier":
                name = callee
            case "scoped_identifier":
                name, of = callee.child_by_field_name("name"), callee.child_by_field_name("path")
            case "field_expression":
                name, of = callee.child_by_field_name("field"), callee.child_by_field_name("value")
            case _:
                continue
        made.append(
            Call(source.text(name), line_of(node), one_line(source.text(of), 80),
                 scopes.at(node.start_byte))
        )  # fmt: skip
    return made

"""Rust."""

from __future__ import annotations

import tree_sitter_rust

from stationmaster.reading.code.languages import tagged
from stationmaster.reading.code.languages.rust import commands, routes, running, symbols, uses
from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    declarations,
    first_sentence,
    remarks,
)
from stationmaster.reading.code.model import FileFacts

_QUERY = """
[(line_comment) (block_comment)] @comment
(call_expression) @call
(macro_invocation) @macro
(use_declaration) @use
(scoped_identifier) @path
(scoped_type_identifier) @path
"""


def grammar() -> object:
    """The tree-sitter grammar of Rust, as `tree_sitter.Language` takes it."""
    return tree_sitter_rust.language()


def read(source: Source) -> FileFacts:
    """The facts of a Rust file: declarations, imports, calls, and what uses known crates."""
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
        calls=tagged.calls(source, "rust", scopes).every,
        routes=tuple(served.routes),
        mounts=tuple(served.mounts),
        commands=tuple(typed.commands),
        settings=tuple(typed.settings),
        entries=tuple(served.entries),
        marks=remarks(source, found["comment"]),
    )
    running.add(source, facts, items, calls, macros, scopes)
    return facts

"""C and C++: their grammars name what they share alike. Source: wiki reference, 6.6."""

from __future__ import annotations

import re

from tree_sitter import Node

from stationmaster.code.languages.cfamily import programs, symbols
from stationmaster.code.languages.cfamily.items import items
from stationmaster.code.languages.source import (
    Comments,
    Scopes,
    Source,
    declarations,
    first_sentence,
    line_of,
    one_line,
    remarks,
)
from stationmaster.code.model import Call, FileFacts, Import

_QUERY = """
(comment) @comment
(call_expression) @call
(preproc_include) @include
"""
_FILE_DOC = re.compile(r"[@\\]file\b[^\n]*\n?")


def read(source: Source) -> FileFacts:
    found = source.captures(_QUERY)
    comments = Comments(source, found["comment"])
    made = items(source)
    declared, scopes = declarations(source, symbols.declared(source, made, comments))
    imports = tuple(_included(source, found["include"]))
    return FileFacts(
        lines=source.lines,
        package=next((each.space.partition(".")[0] for each in made if each.space), ""),
        doc=_doc(source, found["comment"]),
        symbols=declared,
        imports=imports,
        calls=tuple(_calls(source, found["call"], scopes)),
        commands=programs.commands(source, imports, found["call"]),
        settings=programs.settings(source, found["call"]),
        entries=symbols.entries(source, made),
        tests=symbols.tests(source, made, found["call"]),
        marks=remarks(source, found["comment"]),
    )


def _doc(source: Source, comments: list[Node]) -> str:
    """What a comment that documents the file itself says."""
    for node in comments[:3]:
        text = source.text(node)
        if _FILE_DOC.search(text[:300]):
            told = symbols.plain("\n".join(text[:2_000].splitlines()))
            return first_sentence(_FILE_DOC.sub("", told))
    return ""


def _included(source: Source, nodes: list[Node]) -> list[Import]:
    """`<x.h>` keeps its brackets. One that a macro names is not known."""
    made = []
    for node in nodes:
        path = node.child_by_field_name("path")
        if path is not None and path.type in ("string_literal", "system_lib_string"):
            made.append(Import(source.text(path).strip('"'), line_of(node), "include"))
    return made


def _calls(source: Source, nodes: list[Node], scopes: Scopes) -> list[Call]:
    made = []
    for node in nodes:
        callee = node.child_by_field_name("function")
        name, of = callee, None
        if callee is not None and callee.type == "field_expression":
            name, of = callee.child_by_field_name("field"), callee.child_by_field_name("argument")
        elif callee is not None and callee.type == "qualified_identifier":
            name, of = callee.child_by_field_name("name"), callee.child_by_field_name("scope")
        if name is not None and name.type in ("template_function", "template_method"):
            name = name.child_by_field_name("name")
        if name is not None and name.type in ("identifier", "field_identifier"):
            told = source.text(name)
            made.append(
                Call(told, line_of(node), one_line(source.text(of), 80), scopes.at(node.start_byte))
            )
    return made

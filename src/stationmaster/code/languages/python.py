"""Python. Source: wiki reference, 6.1."""

from __future__ import annotations

import tree_sitter_python
from tree_sitter import Node

from stationmaster.code.languages.source import (
    Scopes,
    Source,
    end_of,
    first_sentence,
    line_of,
    marks_of,
    one_line,
)
from stationmaster.code.model import Call, FileFacts, Import, Mark, Symbol, SymbolKind

_QUERY = """
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(import_statement) @import
(import_from_statement) @from
(future_import_statement) @future
(call function: [
  (identifier) @callee
  (attribute object: (_) @of attribute: (identifier) @callee)
]) @call
(comment) @comment
"""


def grammar() -> object:
    return tree_sitter_python.language()


def read(source: Source) -> FileFacts:
    facts = FileFacts(lines=source.lines, doc=first_sentence(_docstring(source, source.root)))
    symbols: list[tuple[Node, SymbolKind, str]] = []
    imports: list[Import] = []
    calls: list[tuple[Node, Node, Node | None]] = []
    marks: list[Mark] = []
    for _, found in source.matches(_QUERY):
        if "class" in found:
            symbols.append((found["class"][0], "class", source.text(found["name"][0])))
        elif "function" in found:
            symbols.append((found["function"][0], "function", source.text(found["name"][0])))
        elif "import" in found:
            imports += _import(source, found["import"][0])
        elif "from" in found:
            imports.append(_from(source, found["from"][0]))
        elif "call" in found:
            of = found.get("of")
            calls.append((found["call"][0], found["callee"][0], of[0] if of else None))
        elif "comment" in found:
            node = found["comment"][0]
            marks += marks_of(source.data[node.start_byte : node.end_byte], line_of(node))
    symbols.sort(key=lambda each: (each[0].start_byte, -each[0].end_byte))
    made, spans = [], []
    stack: list[tuple[int, str, str]] = []
    for node, kind, name in symbols:
        while stack and stack[-1][0] <= node.start_byte:
            stack.pop()
        container = stack[-1][1] if stack else ""
        is_method = bool(stack) and stack[-1][2] == "class" and kind == "function"
        qualified = f"{container}.{name}" if container else name
        stack.append((node.end_byte, qualified, kind))
        spans.append((node.start_byte, node.end_byte, qualified))
        body = node.child_by_field_name("body")
        head = source.data[node.start_byte : body.start_byte if body else node.end_byte]
        made.append(Symbol(
            name, "method" if is_method else kind, line_of(node), end_of(node), container,
            not name.startswith("_") and not any(p.startswith("_") for p in container.split(".")),
            one_line(head.decode(errors="replace")).rstrip(":"),
            first_sentence(_docstring(source, body)) if body else "",
        ))  # fmt: skip
    scopes = Scopes(spans)
    facts.symbols = tuple(made)
    facts.imports = tuple(imports)
    facts.calls = tuple(
        Call(source.text(callee), line_of(call), one_line(source.text(of), 80) if of else "",
             scopes.at(call.start_byte))
        for call, callee, of in calls
    )  # fmt: skip
    facts.marks = tuple(marks)
    return facts


def _docstring(source: Source, body: Node) -> str:
    first = next((n for n in body.named_children if n.type != "comment"), None)
    if first is None or first.type != "expression_statement" or not first.named_children:
        return ""
    text = first.named_children[0]
    if text.type != "string":
        return ""
    return "".join(source.text(n) for n in text.named_children if n.type == "string_content")


def _import(source: Source, node: Node) -> list[Import]:
    found = []
    for child in node.named_children:
        if child.type == "aliased_import":
            name = source.text(child.child_by_field_name("name"))
            bound = source.text(child.child_by_field_name("alias"))
        else:
            name = source.text(child)
            bound = name.partition(".")[0]
        found.append(Import(name, line_of(node), bound=(bound,)))
    return found


def _from(source: Source, node: Node) -> Import:
    module = source.text(node.child_by_field_name("module_name"))
    bare = module.lstrip(".")
    names, bound = [], []
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            names.append(source.text(child.child_by_field_name("name")))
            bound.append(source.text(child.child_by_field_name("alias")))
        else:
            names.append(source.text(child))
            bound.append(names[-1])
    if any(child.type == "wildcard_import" for child in node.named_children):
        names, bound = ["*"], ["*"]
    return Import(
        bare, line_of(node), names=tuple(names), bound=tuple(bound), level=len(module) - len(bare)
    )

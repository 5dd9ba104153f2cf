"""What takes the place of a value that is missing: `get("A") or 5`, `getenv("A") ?: 5`,
`var("A").unwrap_or(5)`, `int(get("A") ?? 5)`, `[get("A"), 5].find(Boolean)`."""

from __future__ import annotations

import re
from math import prod

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import Source, child, one_line

_OPERATORS = frozenset({"or", "||", "??", "?:", "||=", "??=", "="})
_OF_FALSY = frozenset({"or", "||", "?:"})
"""Of the operators, those that also replace what is empty, zero or false."""
_METHODS = code.names("shared.fallback.methods")
_CONVERTERS = code.names("shared.fallback.converters")
_AROUND = code.names("shared.fallback.around")
_CLOSURES = code.names("shared.fallback.closures")
_LITERALS = code.names("shared.fallback.literals")
_NAMED = re.compile(r"(?i)(?!\w*set)\w*(?:default|fallback|or_?else|when_?empty)")
"""In the name of a function that is given a value and what takes its place."""
_FALSY = frozenset({"", "0", "false", "False"})
_STEPS_MAX = 30
_LENGTH_MAX = 80
_WRITTEN_MAX = 40
_CHOOSING = frozenset({"begin", "case", "case_match", "if", "unless"})
"""Statements of several lines, of which a part says something else."""
_NOTHING = re.compile(
    r"(?i:null|nil|none)|\[\s*\]|array\(\)|\{\s*\}|(?!(?:true|false)\Z)\$?[a-z_]\w*"
)
"""No value, or what only a variable of the function has."""
_NO_VALUE = re.compile(r"\bENV\b|^(?:return|raise|next|break|abort|exit)\b")
"""In Ruby, another variable, or what leaves the function."""
_COMPUTED = re.compile(r"[a-z_.?!\s]*\([^\"'\dA-Z]*")
"""A call that nothing is stated for."""
_PRODUCT = re.compile(r"\d{1,9}(?:\s*\*\s*\d{1,9}){1,5}")
_NAME = re.compile(r"[A-Za-z_\\]\w*(?:(?:\.|::|\\)\w+){0,5}")


def fallback(source: Source, node: Node) -> str | None:
    """The literal that the expression around a value has where the value is missing; None for no
    literal. Only what converts the value may stand between: `shared.toml` of the catalogue. Of a
    falsy literal another takes the place farther out, but for what only asks for nulls."""
    asked, inner = source.text(node), None
    for _ in range(_STEPS_MAX):
        around = node.parent
        if around is None:
            return inner
        other = _other(source, node, around, asked)
        text = _replacing(source, other, around) if other is not None else None
        if other is not None and (inner is None or _operator(source, around) in _OF_FALSY):
            if text not in _FALSY and (text is not None or inner is not None):
                return text
            inner = text
        if around.type in _AROUND or _operator(source, around) in _OPERATORS:
            node = around
            continue
        call = _call_on(node, around) or _call_with(node, around)
        if call is None or not _converts(source, call, around):
            return inner
        node = call
    return inner


def _converts(source: Source, call: Node, around: Node) -> bool:
    """Does a call convert a value? In Ruby any does that is given nothing but that and symbols, and
    does not only ask."""
    name = _called(source, call)
    is_given_alone = all(it.type == "simple_symbol" for it in around.named_children[1:])
    is_of_ruby = source.language == "Ruby" and around.type == "argument_list" and is_given_alone
    return name in _CONVERTERS or (is_of_ruby and not name.endswith("?"))


def _replacing(source: Source, other: Node, around: Node) -> str | None:
    """What takes the place of a missing value: a literal, in Ruby also what else gives a value of
    its own, but for one that something farther out takes the place of."""
    text = plain(source, other)
    is_last = around.parent is None or child(around.parent, "left") != around
    is_value = text is None and is_last and source.language == "Ruby"
    is_value = is_value and not _NO_VALUE.search(source.text(other))
    return expressed(source, other) if is_value else text


def _other(source: Source, node: Node, around: Node, asked: str) -> Node | None:
    """What directly around a value takes its place: the other side, case or argument."""
    if child(around, "left") == node:
        is_or = _operator(source, around) in _OPERATORS
        return child(around, "right") if is_or else None
    value, condition, case = _choice(around)
    if case is not None:
        is_given = condition == node and (value is None or asked in source.text(value))
        is_asked = value == node and asked in source.text(condition)
        return case if is_given or is_asked else None
    if around.type == "array":
        return around.named_children[-1] if _is_searched(source, around) else None
    call = _call_on(node, around)
    if call is not None and _called(source, call) in _METHODS:
        arguments = child(call, "arguments") or call.named_children[-1]
        return next(iter(arguments.named_children), None)
    call = _call_with(node, around)
    if call is not None and len(around.named_children) == 2 and _NAMED.match(_called(source, call)):
        return around.named_children[1]
    return None


def _choice(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """What a choice gives where its condition holds, the condition, and what it gives else."""
    parts = node.named_children
    if node.type == "conditional_expression" and len(parts) == 3 and not child(node, "alternative"):
        return parts[0], parts[1], parts[2]  # Python's have no names.
    value = child(node, "consequence") or child(node, "body")
    return value, child(node, "condition"), child(node, "alternative")


def _is_searched(source: Source, items: Node) -> bool:
    """Is the first of some items taken that is anything: `[…].map(clean).find(Boolean)`?"""
    call = _call_on(items, items.parent) if items.parent is not None else None
    while call is not None and _called(source, call) == "map":
        call = _call_on(call, call.parent) if call.parent is not None else None
    return call is not None and _called(source, call) == "find"


def _operator(source: Source, node: Node) -> str:
    """What stands between the two sides of an expression; '' where it has none."""
    left, right = child(node, "left"), child(node, "right")
    if left is None or right is None:
        return ""
    between = source.data[left.end_byte : right.start_byte].decode(errors="replace")
    return source.part(node, "operator") or between.strip(" \\\r\n\t")


def _call_on(node: Node, around: Node) -> Node | None:
    """The call of a method on a value: `value.method()`."""
    if around.named_children[:1] != [node]:
        return None
    if child(around, "receiver") == node:
        return around
    if child(around, "arguments") is not None:
        return None if child(around, "function") else around
    call = around.parent
    return call if call is not None and call.named_children[:1] == [around] else None


def _call_with(node: Node, around: Node) -> Node | None:
    """The call that is given a value first: `function(value)`."""
    if around.named_children[:1] != [node] or "argument" not in around.type:
        return None
    return around.parent


def _called(source: Source, call: Node) -> str:
    """The last name of what is called."""
    fields = map(call.child_by_field_name, ("method", "name", "function"))
    whole = next(filter(None, fields), None) or next(iter(call.named_children), call)
    while whole.named_children:
        whole = whole.named_children[-1]
    return source.text(whole)


def plain(source: Source, node: Node) -> str | None:
    """A literal as it is written, without quotes, also one that is converted."""
    for _ in range(_STEPS_MAX):
        if node.type in _LITERALS:
            return one_line(source.text(node), _LENGTH_MAX)
        if (text := source.literal(node)) is not None:
            return one_line(text, _LENGTH_MAX)
        inner = child(node, "body") if node.type in _CLOSURES else None
        if inner is None and node.type in (*_AROUND, *_CLOSURES):
            inner = node.named_children[-1] if node.named_child_count == 1 else None
        elif inner is None and node.named_children and _called(source, node) in _CONVERTERS:
            receiver = node.named_children[0].named_children
            inner = receiver[0] if receiver else None
        if inner is None:
            return None
        node = inner
    return None


def expressed(source: Source, node: Node | None) -> str | None:
    """What an argument says that stands for a missing value: a literal, the product of numbers,
    `{$shop.PORT}` for a name, or else the expression as it is written; None for no value, for local
    variables, for a choice and for a call without a literal or a constant."""
    written = source.text(node)
    if node is None or _NOTHING.fullmatch(written) or _COMPUTED.fullmatch(written):
        return None
    if (text := plain(source, node)) is not None:
        return text
    if node.type in _CHOOSING:
        return None
    if _PRODUCT.fullmatch(written):
        return str(prod(map(int, written.split("*"))))
    return f"{{${written}}}" if _NAME.fullmatch(written) else one_line(written, _WRITTEN_MAX)

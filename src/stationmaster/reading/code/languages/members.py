"""Calls of methods."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Arguments, Source, arguments, child

_CALLS = frozenset({"call_expression", "invocation_expression"})
_MEMBERS = frozenset(
    {
        "conditional_access_expression",
        "member_access_expression",
        "navigation_expression",
        "selector_expression",
    }
)


class Member(NamedTuple):
    """A call of a method: what it is called on, the method's name, what it is given. A closure
    behind the call is given last."""

    on: Node
    name: str
    given: Arguments


def member(source: Source, node: Node) -> Member | None:
    """What a node calls; None for what calls no method."""
    callee = child(node) if node.type in _CALLS else None
    if callee is None or callee.type not in _MEMBERS:
        return None
    on, name = callee.named_children[0], callee.named_children[-1]
    return Member(on, source.text(name).lstrip(".").partition("<")[0], given_to(source, node))


def given_to(source: Source, call: Node) -> Arguments:
    """What a call is given, with the closure behind it."""
    suffix = call.named_children[-1]
    if suffix.type != "call_suffix":
        return arguments(source, suffix)
    told = Arguments()
    for part in suffix.named_children:
        if part.type == "value_arguments":
            told = arguments(source, part)
        else:
            told = told._replace(at=(*told.at, part))
    return told

"""What programs of Go say of flags beside what they are for: that one is not shown, or no longer to
be used, and that none reads what it sets."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.kept import FUNCTIONS
from stationmaster.reading.code.languages.source import Source, above, child, inside
from stationmaster.reading.code.languages.unit import Called

HIDDEN = "Not shown in the help."
_TEXT_MAX = 40_000


class Mark(NamedTuple):
    flag: str
    words: str


def mark(source: Source, call: Called) -> Mark | None:
    """What `MarkHidden("port")`, `MarkDeprecated("port", "use --at")` and
    `Lookup("port").Hidden = true` say of a flag."""
    given = inside(call.listed)
    flag = source.literal(given[0]) if given else None
    if not flag:
        return None
    if call.name == "MarkHidden":
        return Mark(flag, HIDDEN)
    if call.name == "MarkDeprecated" and len(given) == 2:
        return Mark(flag, _deprecated(source, given[1]))
    field = call.node.parent if call.name == "Lookup" else None
    statement = above(field, "assignment_statement") if field is not None else None
    value = child(statement, "right", 0)
    if field is None or statement is None or value is None:
        return None
    if child(statement, "left", 0) != field:
        return None
    match source.part(field, "field"), source.text(value):
        case "Hidden", "true":
            return Mark(flag, HIDDEN)
        case "Deprecated", text if len(text) > 2:
            return Mark(flag, _deprecated(source, value))
    return None


def _deprecated(source: Source, node: Node) -> str:
    reason = (source.literal(node) or "").strip().rstrip(".")
    return f"Deprecated: {reason}." if reason else "Deprecated."


def is_unused(source: Source, node: Node, kept: Node | None) -> bool:
    """Is what a flag sets a variable of the function around it that is used for nothing else?"""
    name = source.text(kept).removeprefix("&")
    function = above(node, *FUNCTIONS) if name.isidentifier() else None
    text = source.text(function)[:_TEXT_MAX]
    form = re.compile(rf"(&?)(?<![\w\"-]){re.escape(name)}(?![\w-])")
    others = [it for it in form.finditer(text) if not it[1]] if text else []
    is_declared = re.search(rf"\bvar {re.escape(name)}\b", text) is not None
    return len(others) == 1 and is_declared

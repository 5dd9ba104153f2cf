"""What programs of Go say of flags beside what these are for: keys that they are bound to, as by
`BindPFlags(flags)` and `BindPFlag("port", flag)` of viper and `posflag.Provider(flags, ".", k)` of
koanf; that one is not shown or no longer to be used; and that nothing reads what it sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.kept import FUNCTIONS
from stationmaster.reading.code.languages.source import Source, above, child, inside
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Option, Setting

HIDDEN = "Not shown in the help."
_TEXT_MAX = 40_000
_ALL = frozenset({"BindPFlags", "Provider"})


class Bound(NamedTuple):
    """The command or function whose flags are bound, and of a single one its name and its key."""

    owner: str
    flag: str = ""
    key: str = ""


def bound(
    source: Source, name: str, given: Sequence[Node], flags_of: Callable[[Node], str | None]
) -> Iterator[Bound]:
    """What a call binds; nothing where the flags are not known."""
    if name in _ALL and given and (owner := flags_of(given[0])) is not None:
        yield Bound(owner)
    if name == "BindPFlag" and len(given) == 2:
        lookup = child(given[1], "function")
        on = child(lookup, "operand")
        flag, key = next(iter(inside(given[1], "arguments")), None), source.literal(given[0])
        owner = flags_of(on) if on is not None else None
        if owner is not None and key and (called := source.literal(flag)):
            yield Bound(owner, called, key)


def keys(
    file: File, bindings: Sequence[Bound], options: Callable[[str], Sequence[Option]]
) -> Iterator[Setting]:
    """The keys, with what their flags mean, and their defaults where viper is given none."""
    given = (inside(call.listed) for call in file.called if call.name == "SetDefault" and bindings)
    defaults = {file.literal(nodes[0]) for nodes in given if nodes}
    for owner, flag, key in bindings:
        for option in options(owner):
            name = option.names[-1].lstrip("-")
            if flag in ("", name):
                default = None if (key or name) in defaults else option.default
                yield Setting(key or name, "key", option.line, default, doc=option.help)


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

"""The middleware of Laravel: what routes name, and what an application calls so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.unit import Unit, items_of

Named = tuple[str, tuple[str, ...]]
"""An alias or a group, and its middleware."""
LEFT_OUT = "-"
"""Precedes the name of middleware that a route excludes, although its group has it."""
_CLASS = re.compile(r"(?:new\s+)?\\?((?:\w+\\)*+\w+)(?:::|\()")
_COMMENT = re.compile(
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(?<!:)//[^\n]*+|^[ \t]*#(?!\[)[^\n]*+", re.MULTILINE
)
_SIGNS = (
    b"iddlewareGroups",
    b"iddlewareAliases",
    b"routeMiddleware",
    b"withMiddleware",
    b"aliasMiddleware",
)
_ITEM = r"(?:(?<![\w\\])\\?(?:\w+\\)*+(\w+)::class|['\"]([\w:.,-]+)['\"])"
_ALIASES = re.compile(
    r"(?:\$(?:routeMiddleware|middlewareAliases)\s*=\s*|->alias\(\s*)\[([^\[\]]*+)\]"
)
_ALIAS = re.compile(rf"['\"]([\w.:-]+)['\"]\s*=>\s*{_ITEM}")
_SINGLE = re.compile(rf"aliasMiddleware\(\s*['\"]([\w.:-]+)['\"]\s*,\s*{_ITEM}")
_GROUPS = re.compile(r"\$middlewareGroups\s*=\s*\[((?:[^\[\]]|\[[^\[\]]*+\])*+)\]")
_GROUP = re.compile(r"['\"]([\w.:-]+)['\"]\s*=>\s*\[([^\[\]]*+)\]")
_OWN = re.compile(r"->(web|api)\(((?:[^()]|\([^()]*+\))*+)\)")
_PUT = re.compile(
    r"->(?:group|appendToGroup|prependToGroup)\(\s*['\"]([\w.:-]+)['\"]\s*,"
    r"((?:[^()]|\([^()]*+\))*+)\)"
)
_REMOVED = re.compile(r"\b(?:remove|replace):\s*\[[^\[\]]*+\]")
_ANY = re.compile(_ITEM)


def names(unit: Unit, nodes: Iterable[Node | None]) -> tuple[str, ...]:
    """The middleware in arguments: aliases as written, classes without their namespaces."""
    return tuple(name for node in nodes for item in items_of(node) if (name := _name(unit, item)))


def _name(unit: Unit, item: Node) -> str:
    if texts := unit.texts(item):
        return texts[0]
    match = _CLASS.match(unit.text(item))
    return match[1].rpartition("\\")[2] if match else ""


def named(unit: Unit) -> tuple[Named, ...]:
    """The middleware that a kernel, the file that makes the application, or a provider names."""
    if not any(sign in unit.data for sign in _SIGNS):
        return ()
    text = _COMMENT.sub("", unit.data.decode(errors="replace"))
    names: dict[str, list[str]] = defaultdict(list)
    for name, item in _pairs(text):
        names[name].append(item)
    return tuple((name, tuple(dict.fromkeys(items))) for name, items in names.items())


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    listed = " ".join(match[1] for match in _ALIASES.finditer(text))
    for match in (*_ALIAS.finditer(listed), *_SINGLE.finditer(text)):
        yield match[1], match[2] or match[3]
    groups = [*_OWN.finditer(text), *_PUT.finditer(text)] if "withMiddleware" in text else []
    for whole in _GROUPS.finditer(text):
        groups += _GROUP.finditer(whole[1])
    for group in groups:
        for item in _ANY.finditer(_REMOVED.sub("", group[2])):
            yield group[1], item[1] or item[2]

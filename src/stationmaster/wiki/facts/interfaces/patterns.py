"""Regular expressions over paths, as people write paths."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"(?:^|/)\^|\(\?P<|(?:\$|\\Z)\Z")
"""What only a regular expression has."""
_HEAD = re.compile(r"\((?:\?(?:P?<(?P<name>\w+)>|(?P<around><?[=!])|(?P<flags>[a-zA-Z]+\))|:))?")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_NAME = re.compile(r"\{[$A-Za-z_…][\w.…]*\}")
"""What a constant or a variable holds."""
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d*+,?+\d*+\})[?+]?")
_ANY = "{…}"
_DEPTH_MAX = 20


def readable(path: str) -> str:
    """The path with names for what a regular expression captures by name, `{…}` for other parts
    that may differ, and brackets around optional ones; any other path as it is."""
    if _PATTERN.search(path) is None:
        return path
    text, end = _choices(path, 0, 0)
    return text if end == len(path) else path


def _choices(path: str, at: int, depth: int) -> tuple[str, int]:
    """Alternatives until their group ends, and where that is."""
    parts: list[str] = []
    while at < len(path) and path[at] != ")":
        text, end = _one(path, at, depth)
        count = _QUANTIFIER.match(path, end)
        at = count.end() if count else end
        if count and count[0][0] in "?*" and text not in ("", _ANY):
            is_last_slash = text == "/" and path[at:] in ("", "$", "\\Z")
            text = "" if is_last_slash else f"[{text}]"
        parts.append(text)
    return "".join(parts), at


def _one(path: str, at: int, depth: int) -> tuple[str, int]:
    """A character, a class of them, or a group, and where it ends."""
    if path[at] == "(":
        return _group(path, at, depth)
    if match := _CLASS.match(path, at):
        return _ANY, match.end()
    if match := _NAME.match(path, at):
        return match[0], match.end()
    if path[at] == "\\":
        escaped = path[at + 1 : at + 2]
        return ("" if escaped in "AZzbB" else _ANY if escaped.isalnum() else escaped), at + 2
    if path[at] == "." and path[at + 1 : at + 2] in ("*", "+"):
        return _ANY, at + 1
    return "" if path[at] in "^$" else path[at], at + 1


def _group(path: str, at: int, depth: int) -> tuple[str, int]:
    head = _HEAD.match(path, at)
    if head is None or depth > _DEPTH_MAX:
        return "", len(path) + 1
    if head["flags"]:
        return "", head.end()
    text, end = _choices(path, head.end(), depth + 1)
    if path[end : end + 1] != ")":
        return "", len(path) + 1  # It does not end.
    if head["name"]:
        return f"<{head['name']}>", end + 1
    is_plain = "|" not in text or head["around"]
    return ("" if head["around"] else text if is_plain else f"({text})"), end + 1

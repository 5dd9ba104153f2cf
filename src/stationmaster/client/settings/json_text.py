"""Changes to single members of a JSON text: every byte that is not part of the change stays.

What is inserted follows the text's own indentation and ends of lines, and removing it again gives
the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # documented by its use in json
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Names of members and numbers of items, from the outermost value inwards."""
_SPACE = re.compile(r"[\ufeff \t\r\n]*")
_INDENT = re.compile(r"[{\[][ \t]*\r?\n([ \t]+)")
_decode: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().raw_decode
_MISSING = object()


class _Part(NamedTuple):
    """A member of an object or an item of a list: where it, its value and what follows begin."""

    key: str | int
    start: int
    value: int
    end: int


def parse(text: str) -> dict[str, Any]:
    """The object that a text holds; empty for an empty text.

    Raises ValueError for what cannot be changed safely: comments, repeated names, other values.
    """
    plain = text.removeprefix("\ufeff")
    try:
        content = json.loads(plain, object_pairs_hook=_once) if plain.strip() else {}
    except RecursionError as fault:
        raise ValueError("nested too deeply") from fault
    except json.JSONDecodeError as fault:
        raise ValueError(f"{fault}; comments cannot be kept") from fault
    if not isinstance(content, dict):
        raise ValueError("a JSON object is expected")
    return content


def put(text: str, path: Path, value: Any) -> str:
    """`text` with a value at a path of names; objects that are missing on the way are made."""
    text = _filled(text)
    at = _skip(text, 0)
    for depth, key in enumerate(path, 1):
        part = _part(text, at, key)
        is_way = part is not None and depth < len(path) and text[part.value] == "{"
        if part is not None and is_way:
            at = part.value
            continue
        for name in reversed(path[depth:]):
            value = {name: value}
        if part is None:
            return _inserted(text, at, depth, key, value)
        return text[: part.value] + _dumped(value, depth, *_style(text)) + text[part.end :]
    raise ValueError("a path names at least one member")


def append(text: str, path: Path, item: Any) -> str:
    """`text` with one more item in the list at a path of names, which is made if it is missing."""
    place = find(text, path)
    if place is None:
        return put(text, path, [item])
    return _inserted(text, place, len(path) + 1, None, item)


def take(text: str, path: Path) -> str:
    """`text` without the member or item at a path, which must be there."""
    parent = find(text, path[:-1])
    assert parent is not None, path
    parts = _parts(text, parent)
    index = next(index for index, part in enumerate(parts) if part.key == path[-1])
    if len(parts) == 1:
        return text[: parent + 1] + text[_skip(text, parts[0].end) :]
    if index:
        return text[: parts[index - 1].end] + text[parts[index].end :]
    return text[: parts[0].start] + text[parts[1].start :]


def taken_back(text: str, before: str, written: str) -> str:
    """`text` without what was changed from `before` to `written`, where it is still as written.

    Raises ValueError for a text that is not a plain JSON object any more.
    """
    parse(text)
    return _taken_back(text, (), parse(before), parse(written))


def get(text: str, path: Path, missing: Any = None) -> Any:
    """The value at a path, or `missing`."""
    at = find(text, path)
    return missing if at is None else _decode(text, at)[0]


def member(content: Any, *names: str) -> Any:
    """The value below some names; None where there is none, or no object on the way."""
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def find(text: str, path: Path) -> int | None:
    """Where the value at a path begins; None where there is none."""
    at = _skip(text, 0)
    if at == len(text):
        return None
    for key in path:
        part = _part(text, at, key)
        if part is None:
            return None
        at = part.value
    return at


def _taken_back(text: str, path: Path, before: dict[str, Any], written: dict[str, Any]) -> str:
    for key, new in written.items():
        here = (*path, key)
        now, old = get(text, here, _MISSING), before.get(key, _MISSING)
        if now is _MISSING or _is_same(old, new):
            continue
        if _are(dict, new, now, {} if old is _MISSING else old):
            text = _taken_back(text, here, {} if old is _MISSING else old, new)
        elif _are(list, new, now, [] if old is _MISSING else old):
            text = _without_items(text, here, [] if old is _MISSING else old, new)
        elif _is_same(now, new):
            text = take(text, here) if old is _MISSING else put(text, here, old)
        if old is _MISSING and get(text, here, _MISSING) in ({}, []):
            text = take(text, here)
    return text


def _are(kind: type, *values: Any) -> bool:
    return all(isinstance(value, kind) for value in values)


def _without_items(text: str, path: Path, before: list[Any], written: list[Any]) -> str:
    ours = list(written)
    for item in before:
        if item in ours:
            ours.remove(item)
    for item in ours:
        now = get(text, path)
        if item in now:
            text = take(text, (*path, now.index(item)))
    return text


def _is_same(one: Any, other: Any) -> bool:
    """With true and 1 being different, which Python takes for equal."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _inserted(text: str, at: int, depth: int, key: str | int | None, value: Any) -> str:
    """`text` with one more part, the last one, in the object or list that begins at `at`."""
    unit, newline = _style(text)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    body = name + _dumped(value, depth, unit, newline)
    parts = _parts(text, at)
    if parts:
        gap = " " if unit is None else newline + unit * depth
        return f"{text[: parts[-1].end]},{gap}{body}{text[parts[-1].end :]}"
    outer = "" if unit is None else newline + unit * (depth - 1)
    inner = "" if unit is None else newline + unit * depth
    return f"{text[: at + 1]}{inner}{body}{outer}{text[_skip(text, at + 1) :]}"


def _style(text: str) -> tuple[str | None, str]:
    """One step of the indentation, None for a text of one line, and the end of a line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _INDENT.search(text)
    if indent:
        return indent[1], newline
    is_one_line = "\n" not in text.strip() and bool(_parts(text, _skip(text, 0)))
    return None if is_one_line else "  ", newline


def _dumped(value: Any, depth: int, unit: str | None, newline: str) -> str:
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    return text if unit is None else text.replace("\n", newline + unit * depth)


def _filled(text: str) -> str:
    """An empty object where a text holds nothing yet."""
    return text if text.removeprefix("\ufeff").strip() else f"{text.rstrip()}{{}}\n"


def _part(text: str, at: int, key: str | int) -> _Part | None:
    return next((part for part in _parts(text, at) if part.key == key), None)


def _parts(text: str, at: int) -> list[_Part]:
    """The members or items of the object or list that begins at `at`; none for another value."""
    parts: list[_Part] = []
    close = {"{": "}", "[": "]"}.get(text[at])
    if close is None:
        return parts
    at = _skip(text, at + 1)
    while text[at] != close:
        start, key = at, len(parts)
        if close == "}":
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        end = _decode(text, at)[1]
        parts.append(_Part(key, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return parts


def _skip(text: str, at: int) -> int:
    """Behind blanks."""
    blanks = _SPACE.match(text, at)
    assert blanks is not None
    return blanks.end()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{repeated!r} occurs more than once")
    return content

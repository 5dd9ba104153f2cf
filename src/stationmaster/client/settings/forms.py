"""The forms in which agents keep their settings: JSON, TOML, and files of `NAME=value`.

Each can add settings to a text, take them out of a text that may have been changed since, and name
those that a text lacks. Whatever else a text holds stays as it is, byte for byte.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.client.settings import json_text

Content = dict[str, Any]


class Form(NamedTuple):
    """What can be done with a text of one form. Each function raises ValueError with the reason
    where a text cannot be read or changed safely."""

    add: Callable[[str, Content], str]
    """A text with settings in it; those that are there already get the new values."""
    take_back: Callable[[str, str, str], str]
    """A text without what was changed from an earlier text to a later one, where it still is as it
    was written then."""
    lacking: Callable[[str, Content], Iterator[str]]
    """The settings that a text lacks or has with other values."""


def of(path: Path) -> Form:
    """The form of a file, by its name."""
    return _FORMS.get(path.suffix, _PLAIN)


def quoted_variable(value: str) -> str:
    """A value for a file of `NAME=value`, as both a shell and the agents read it."""
    if re.fullmatch(r"[\w./:@%+,=-]*", value):
        return value
    quote = next((quote for quote in "'\"`" if quote not in value), None)
    if quote is None or "\n" in value:
        raise ValueError("this value cannot be quoted")
    return f"{quote}{value}{quote}"


def toml_of(content: Content) -> str:
    """Settings as lines of TOML: texts of no table, then tables of values that are texts, true or
    false, or tables of such; the name of a table may have several parts."""
    return _toml_texts(content) + _toml_tables(content)


def _toml_texts(content: Content) -> str:
    texts = {name: value for name, value in content.items() if not isinstance(value, dict)}
    return "".join(f"{name} = {_toml_value(value)}\n" for name, value in texts.items())


def _toml_tables(content: Content) -> str:
    lines = []
    for name, table in content.items():
        if isinstance(table, dict):
            lines.append(f"[{name}]\n")
            lines += [f"{_toml_key(key)} = {_toml_value(value)}\n" for key, value in table.items()]
    return "".join(lines)


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def variables_of(content: Content) -> str:
    """Lines of `NAME=value`."""
    return "".join(f"{name}={quoted_variable(value)}\n" for name, value in content.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_toml_key(key)} = {_toml_value(v)}" for key, v in value.items())
        return f"{{ {pairs} }}"
    # What JSON writes of these is TOML as well.
    return json.dumps(value, ensure_ascii=False)


def _add_json(text: str, content: Content, path: tuple[str, ...] = ()) -> str:
    json_text.parse(text)
    for name, value in content.items():
        here = (*path, name)
        if isinstance(value, dict):
            text = _add_json(text, value, here)
        elif isinstance(value, list) and isinstance(there := json_text.get(text, here), list):
            for item in value:
                text = text if item in there else json_text.append(text, here, item)
        elif json_text.get(text, here) != value:
            text = json_text.put(text, here, value)
    return text


def _lacking_in_json(text: str, content: Content) -> Iterator[str]:
    return _lacking(json_text.parse(text), content, "")


def _lacking(there: Any, content: Content, prefix: str) -> Iterator[str]:
    for name, value in content.items():
        present = there.get(name) if isinstance(there, dict) else None
        if isinstance(value, dict):
            yield from _lacking(present, value, f"{prefix}{name}.")
        elif isinstance(value, list) and isinstance(present, list):
            if any(item not in present for item in value):
                yield f"{prefix}{name}"
        elif present != value:
            yield f"{prefix}{name}"


def _add_toml(text: str, content: Content) -> str:
    there = _toml(text)
    if all(_toml_member(there, name) == value for name, value in content.items()):
        return text
    for name, value in content.items():
        if _toml_member(there, name) is not None:
            shown = f"[{name}]" if isinstance(value, dict) else name
            raise ValueError(f"{shown} already exists; change it by hand to:\n{toml_of(content)}")
    # What belongs to no table is before the first one.
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    texts, tables = _with_ends_of(text, _toml_texts(content)), _toml_tables(content)
    text = f"{mark}{texts}{text.removeprefix(mark)}"
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + _with_ends_of(text, gap + tables) if tables else text


def _toml_member(there: Content, name: str) -> Any:
    """The value of a name of several parts; None where there is none."""
    return json_text.member(there, *name.split("."))


def _take_back_toml(text: str, before: str, written: str) -> str:
    remaining = _without(_toml(text), _toml(written), _toml(before))
    lines = [line for line in _added_lines(before, written) if line.strip()]
    # A table that was extended needs its header.
    settings = [line for line in lines if not line.startswith("[")]
    for candidate in (
        _swapped(text, before, written),
        _without_lines(text, lines),
        _without_lines(text, settings),
    ):
        if _is_toml(candidate, remaining):
            return candidate
    raise ValueError(f"it was changed since; remove by hand:\n{''.join(lines)}")


def _without(there: Content, ours: Content, earlier: Content) -> Content:
    """`there` without what is in `ours` and was not in `earlier`, where it is still the same."""
    remaining = dict(there)
    for name in ours.keys() & there.keys():
        was = earlier.get(name)
        if isinstance(ours[name], dict) and isinstance(there[name], dict):
            remaining[name] = _without(
                there[name], ours[name], was if isinstance(was, dict) else {}
            )
            if not remaining[name] and was is None:
                del remaining[name]
        elif was is None and there[name] == ours[name]:
            del remaining[name]
    return remaining


def _lacking_in_toml(text: str, content: Content) -> Iterator[str]:
    there = _toml(text)
    named = {name: _toml_member(there, name) for name in content}
    return _lacking(named, content, "")


def _toml(text: str) -> Content:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _is_toml(text: str, content: Content) -> bool:
    try:
        return _toml(text) == content
    except tomllib.TOMLDecodeError:
        return False


def _add_variables(text: str, content: Content) -> str:
    for name, value in content.items():
        places = _assignments(text, name)
        if not places:
            gap = "" if not text or text.endswith("\n") else "\n"
            text += _with_ends_of(text, f"{gap}{variables_of({name: value})}")
        elif _read_variable(places[-1][1]) is None:
            raise ValueError(f"{name} has a value of several lines; change it by hand")
        elif _read_variable(places[-1][1]) != value:
            start, end = places[-1].span(1)
            text = f"{text[:start]}{quoted_variable(value)}{text[end:]}"
    return text


def _take_back_variables(text: str, before: str, written: str) -> str:
    swapped = _swapped(text, before, written)
    if swapped != text:
        return swapped
    for line in _added_lines(before, written):
        name = line.partition("=")[0].split()[-1]
        old = "".join(place[0] for place in _assignments(before, name)[-1:])
        lines = text.splitlines(True)
        ours = [number for number, row in enumerate(lines) if row.rstrip() == line.rstrip()]
        if ours:
            lines[ours[-1]] = lines[ours[-1]].replace(line.rstrip("\r\n"), old) if old else ""
            text = "".join(lines)
    return text


def _lacking_variables(text: str, content: Content) -> Iterator[str]:
    for name, value in content.items():
        places = _assignments(text, name)
        if not places or _read_variable(places[-1][1]) != value:
            yield name


def _assignments(text: str, name: str) -> list[re.Match[str]]:
    """The lines that assign a variable, group 1 being the value; the last one is what counts."""
    line = rf"^[ \t]*(?:export[ \t]+)?{re.escape(name)}[ \t]*=[ \t]*([^\r\n]*)"
    return list(re.finditer(line, text, re.MULTILINE))


def _read_variable(written: str) -> str | None:
    """The meaning of a value between quotes, or without; None where it continues below."""
    text = written.strip()
    for quote in "'\"`":
        if text.startswith(quote):
            end = text.find(quote, 1)
            return None if end < 0 else text[1:end]
    return text.split(" #")[0].rstrip()


def _swapped(text: str, before: str, written: str) -> str:
    """`text` with the lines of `before` where it has those of `written` in their place."""
    old, new = before.splitlines(True), written.splitlines(True)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    ours = "".join(new[start : len(new) - end])
    if not ours or text.count(ours) != 1:
        return text
    return text.replace(ours, "".join(old[start : len(old) - end]))


def _added_lines(before: str, written: str) -> list[str]:
    earlier = set(before.splitlines())
    return [line for line in written.splitlines(True) if line.rstrip("\r\n") not in earlier]


def _without_lines(text: str, lines: list[str]) -> str:
    ours = {line.strip() for line in lines}
    return "".join(line for line in text.splitlines(True) if line.strip() not in ours)


def _with_ends_of(text: str, lines: str) -> str:
    return lines.replace("\n", "\r\n") if "\r\n" in text else lines


_PLAIN = Form(_add_variables, _take_back_variables, _lacking_variables)
_FORMS = {
    ".json": Form(_add_json, json_text.taken_back, _lacking_in_json),
    ".toml": Form(_add_toml, _take_back_toml, _lacking_in_toml),
}

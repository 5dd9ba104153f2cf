"""Variables of the environment that files of settings take values from: `${NAME:default}` in what
Spring, Quarkus, Micronaut and many servers of their own read, `$(NAME:default)`, `${?NAME}` in
HOCON, `%env(int:NAME)%` of Symfony, and `<%= ENV["NAME"] || "default" %>` in those of Rails. The
signs of a shell behind the colon, `${NAME:-default}`, are those of compose files and scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.model import Facts, query

_FILES = (
    "**/*.yml", "**/*.yaml", "**/*.properties", "**/*.conf", "**/*.json", "**/*.toml",
    "**/config/*.yml.erb",
)  # fmt: skip
_FILES_MAX = 300
_PLACE = re.compile(
    r"\$\{\??([A-Z][A-Z0-9_]{2,99})(?:(\})|:(?![-+?=])(?:\"?([^{}$\"\n]{0,300})\"?\})?)"
)
_IN_PARENTHESES = re.compile(r"\$\(([A-Z][A-Z0-9_]{2,99}(:(?![-+?=])[^()${}\"\n]{0,300})?)\)")
_SYMFONY = re.compile(r"%env\((?:[\w.-]{0,60}:){0,6}([A-Z][A-Z0-9_]{1,99})\)%")
_DEFAULT = re.compile(
    r"[ \t]*[\"']?env\(([A-Z][A-Z0-9_]{1,99})\)[\"']?:[ \t]*[\"']?([^\"'#\n]{0,300})"
)
"""A parameter of Symfony that stands in for a variable."""
_RAILS = re.compile(r"(?:.*/)?config/[^/]+\.yml(?:\.erb)?")
_CODE = re.compile(r"<%=?([^%\n]{1,500})%>")
_READ = re.compile(
    r"\bENV(?:\.fetch\(|\[)\s{0,9}[\"'](\w{1,100})[\"']\s{0,9}"
    r"(?:,\s{0,9}(?:[\"']([^\"'\n]*)[\"']|(\d{1,20}))\s{0,9})?[\])](?:\.presence)?"
    r"(?:\s{0,9}(?:\|\||\{)\s{0,9}(?:[\"']([^\"'\n]*)[\"']|(\d{1,20})))?"
)
_KEY = re.compile(r"([ \t]*)[\"']?([\w.-]{1,100})[\"']?[ \t]*[:=]")
_COMMENT = re.compile(r"[ \t]*(?:#+|//+)[ \t]*(\S.{0,300})")


class Filled(msgspec.Struct, frozen=True):
    """A place that a variable fills, in the file `path`; `key` is what it gives a value to."""

    path: str
    key: str
    setting: Setting


class _Variable(NamedTuple):
    name: str
    default: str | None
    is_required: bool


def read(facts: Facts) -> Iterator[Read]:
    """The variables of such files with what stands in for them."""
    return ((place.path, place.setting) for place in places(facts))


def keys(facts: Facts) -> Mapping[str, str]:
    """The keys that variables give a value to, by variable: the first of several keys."""
    return {place.setting.name: place.key for place in reversed(places(facts)) if place.key}


@query
def places(facts: Facts) -> tuple[Filled, ...]:
    """Those of files that give at least one variable a value to fall back on, or can do without."""
    paths = dict.fromkeys(path for pattern in _FILES for path in facts.tree.glob(pattern))
    filled: list[Filled] = []
    for path in list(paths)[:_FILES_MAX]:
        text = "" if is_test(path) or path.startswith(".") else facts.tree.text(path)
        if any(place[2] for place in _IN_PARENTHESES.finditer(text)):
            text = _IN_PARENTHESES.sub(r"${?\1}", text)
        if any(not place[2] or "?" in place[0] for place in _PLACE.finditer(text)):
            filled += _of(path, text, _places)
        elif "env(" in text and path.endswith(("yml", "yaml")):
            filled += _of(path, text, _of_symfony)
        elif "ENV" in text and _RAILS.fullmatch(path):
            filled += _of(path, text, _reads)
    return tuple(filled)


def _places(line: str) -> Iterator[_Variable]:
    for place in _PLACE.finditer(line):
        yield _Variable(place[1], place[3], place[2] is not None and "?" not in place[0])


def _of_symfony(line: str) -> Iterator[_Variable]:
    """None is required: `.env`, which nobody opens, may have it."""
    if parameter := _DEFAULT.match(line):
        yield _Variable(parameter[1], parameter[2].strip(), False)
    for name in _SYMFONY.findall(line):
        yield _Variable(name, None, False)


def _reads(line: str) -> Iterator[_Variable]:
    for part in _CODE.findall(line):
        for match in _READ.finditer(part):
            default = next((it for it in match.groups()[1:] if it is not None), None)
            yield _Variable(match[1], default, False)


def _of(path: str, text: str, variables: Callable[[str], Iterator[_Variable]]) -> Iterator[Filled]:
    above: list[tuple[int, str]] = []
    comment = ""
    for number, line in enumerate(text.split("\n"), 1):
        if note := _COMMENT.match(line):
            comment = "" if _PLACE.search(note[1]) else note[1].strip()
            continue
        key = _KEY.match(line)
        if key:
            depth = len(key[1])
            is_nested = path.endswith(("yml", "yaml"))
            above = [name for name in above if name[0] < depth] if is_nested else []
            above.append((depth, key[2]))
        for it in variables(line):
            name = ".".join(name for _, name in above) if key else ""
            setting = Setting(it.name, "env", number, it.default, it.is_required, comment)
            yield Filled(path, name, setting)
        comment = ""

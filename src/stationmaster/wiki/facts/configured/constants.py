"""Settings that are constants of Python: of modules and classes that an application of Flask takes
them from, and of a module of defaults whose names the code asks for. And keys that
a program has defaults for in one literal table, `DEFAULTS = {"port" => 4000, …}` in a file that is
called after settings; of Ruby, PHP, JavaScript, TypeScript and Python."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.bindings import file_of_module, meant
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.configured import go_structs, listed
from stationmaster.wiki.facts.model import Facts, Spot, query

_FILE = re.compile(
    r"(?i)(?:.*/)?[\w-]{0,40}(?:config|configuration|settings|defaults?)\.(?:rb|php|[cm]?[jt]s|py)"
)
_BEGIN = re.compile(
    r"(?i)[ \t]*(?:(?:private|public|protected|static|const|export|let|var|readonly)[ \t]+){0,5}"
    r"\$?_{0,2}default(?:s|_?config(?:uration)?|_?settings|_?values)?[ \t]*(?::[^=\n]{1,80})?="
    r"[ \t]*(?:(?:Object\.freeze\(|array|dict)[ \t]*)?[\[{(][ \t]*"
)
_KEY = re.compile(r"[ \t]*[\"']?([A-Za-z_$][\w.$-]{0,99})[\"']?[ \t]*(?:=>|:)[ \t]*(\S.*)")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.){0,300}+\"|'(?:[^'\\]|\\.){0,300}+'")
_ROW_REMARK = re.compile(r"(?:^|[ \t])(?:#|//)[ \t]*(\S.*)?")
_OF_COMMENT = ("/*", "*", "|")
_OPENS, _CLOSES = re.compile(r"[\[{(]"), re.compile(r"[\]})]")
ROW_VALUE = re.compile(
    r"(?:\"((?:[^\"\\$#]|#(?!\{)){0,80})\"|'([^'\\]{0,80})'"
    r"|(-?\d[\d_.]*|(?i:true|false|nil|null|none)|\[[^()\[\]{}$]{0,40}\]|\{\}|array\(\)))"
)
_ROWS_MAX = 1_000
_KEYS_MIN = 3

PACKAGES = ("flask", "quart")
_LOADED = re.compile(r"\.config\.from_(?:object|pyfile|envvar|prefixed_env|file|mapping)\(")
_OBJECT = re.compile(r"\.config\.from_object\(\s*(?:[\"']([\w.]{1,200})[\"']|(\w{1,100})\s*\))")
_MADE = re.compile(
    r"\bapp\.config\[[\"']([A-Z]\w{1,99})[\"']\][ \t]*=[ \t]*+"
    r"(?![=\"'\d\[{(]|(?:True|False|None)\b)(?!.{0,200}\b\1\b)"
)
_ASSIGNED = re.compile(r"( {0,4})([A-Z][A-Z0-9_]{1,99})[ \t]*(?::[^=]{1,60})?=(?!=)(.{0,500})")
_VALUE = re.compile(r"\s*(?:[\"']([^\"'\\]*)[\"']|([\w.]{1,40}))\s*(?:#.*)?")
_PLAIN = re.compile(r"True|False|None|\d[\d_.]*|\[\]|\{\}|\(\)")
_DEFAULTS = re.compile(r"(?:.*/)?\w{0,40}(?:settings|defaults|config|configuration|conf)\.py")
_REMARK = re.compile(r"[ \t]*+#++[ \t]?(.*)")
_CONSTANTS_MIN = 5
"""Of a module that the code asks for by name, and half of all, before it is one of defaults."""


def users(facts: Facts) -> Mapping[str, bool]:
    """Files that import Flask, and whether what they ask its configuration for can be set from
    outside."""
    return dict.fromkeys(_users(facts), bool(_loaders(facts)))


def _users(facts: Facts) -> list[str]:
    return sorted({path for package in PACKAGES for path, _ in users_of_outside(facts, package)})


@query
def made(facts: Facts) -> frozenset[str]:
    """Keys of Flask that the product itself gives a value which it computes."""
    texts = (facts.tree.text(path) for path in _users(facts) if not is_test(path))
    return frozenset(it[1] for text in texts for it in _MADE.finditer(text))


@query
def _loaders(facts: Facts) -> tuple[str, ...]:
    """Files that fill the configuration of an application from outside."""
    return tuple(
        path
        for path in _users(facts)
        if not is_test(path) and _LOADED.search(facts.tree.text(path))
    )


def declared(facts: Facts) -> Iterator[go_structs.Read]:
    """The constants of what is named there. Their values are defaults where all classes of a
    module agree."""
    objects = _objects(facts)
    for path, is_class in sorted(objects):
        yield from _of(facts, path, is_class=is_class)
    of_modules = {
        path: [*_of(facts, path, is_class=False)]
        for path in facts.code
        if _DEFAULTS.fullmatch(path) and not is_test(path) and (path, False) not in objects
    }
    names = {setting.name for some in of_modules.values() for _, setting in some}
    reads = listed.asked(facts, names) if len(names) >= _CONSTANTS_MIN else {}
    for some in of_modules.values():
        count = sum(setting.name in reads for _, setting in some)
        if count >= _CONSTANTS_MIN and 2 * count >= len(some):
            for path, setting in some:
                yield path, setting
                places = reads.get(setting.name, ())
                yield from ((place, Setting(setting.name, "key", line)) for place, line in places)


def _of(facts: Facts, path: str, *, is_class: bool) -> Iterator[go_structs.Read]:
    lines: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    docs: dict[str, str] = {}
    above: list[str] = []
    for number, line in enumerate(lines_of(facts, path), 1):
        remark = _REMARK.fullmatch(line)
        assigned = _ASSIGNED.match(line)
        if assigned and bool(assigned[1]) == is_class:
            lines[assigned[2]].append((number, _value(assigned[3])))
            docs.setdefault(assigned[2], first_sentence("\n".join(above)))
        above = [*above, remark[1]] if remark else []
    for name, places in lines.items():
        values = {value for _, value in places}
        default = values.pop() if len(values) == 1 else None
        yield path, Setting(name, "key", places[0][0], default, doc=docs[name])


def _objects(facts: Facts) -> set[tuple[str, bool]]:
    """Files, and whether classes of theirs have the constants."""
    spots = [
        spot
        for loader in _loaders(facts)
        for match in _OBJECT.finditer(facts.tree.text(loader))
        for spot in (_named(facts, match[1]) if match[1] else meant(facts, loader, match[2]))
    ]
    return {
        (it.path, bool(it.name))
        for it in spots
        if it.path in facts.code
        and (not it.name or symbol_of(facts, it.path, it.name))  # No local variable.
    }


def _named(facts: Facts, dotted: str) -> Sequence[Spot]:
    """The module, or the class of one, that has this name."""
    if path := file_of_module(facts, dotted):
        return (Spot(path, ""),)
    module, _, last = dotted.rpartition(".")
    path = file_of_module(facts, module) if last[:1].isupper() else ""
    return (Spot(path, last),) if path else ()


def _value(text: str) -> str | None:
    match = _VALUE.fullmatch(text)
    if match is None:
        return None
    return match[1] if match[2] is None else match[2] if _PLAIN.fullmatch(match[2]) else None


def tables(facts: Facts) -> Iterator[go_structs.Read]:
    """The keys, those in others below these, with literals as defaults."""
    for path in filter(_FILE.fullmatch, go_structs.sources(facts)):
        if "/migrat" in path:
            continue
        lines = lines_of(facts, path)
        for at, line in enumerate(lines):
            if _BEGIN.fullmatch(line):
                found = [*rows(lines[at + 1 :], at + 2)]
                yield from ((path, it) for it in found if len(found) >= _KEYS_MIN)


def rows(
    lines: Sequence[str],
    start: int,
    key_of: re.Pattern[str] = _KEY,
    value_of: re.Pattern[str] = ROW_VALUE,
) -> Iterator[Setting]:
    """The rows up to the end of the table, with the remarks behind them."""
    holders: list[tuple[str, int]] = []
    is_empty = False
    depth = 0
    for number, line in enumerate(lines[:_ROWS_MAX], start):
        if line.lstrip().startswith(_OF_COMMENT):
            continue
        bare = _TEXT.sub('""', line)
        remark = _ROW_REMARK.search(bare)
        bare = bare[: remark.start()] if remark else bare
        opened = len(_OPENS.findall(bare)) - len(_CLOSES.findall(bare))
        key = key_of.match(line) if depth == len(holders) else None
        if key and opened > 0:
            holders.append((key[1], number))
            is_empty = True
        elif key and opened == 0:
            value = value_of.match(key[2])
            whole = value and key[2][value.end() :].lstrip(" \t,;").startswith(("#", "//"))
            is_literal = value and (whole or not key[2][value.end() :].strip(" \t,;"))
            groups = value.groups() if value and is_literal else ()
            default = next((it.strip() for it in groups if it is not None), None)
            doc = (remark[1] or "") if remark else ""
            name = ".".join((*(it for it, _ in holders), key[1]))
            yield Setting(name, "key", number, default, doc=doc)
            is_empty = False
        depth += opened
        if is_empty and depth < len(holders):  # A list, or a table without names.
            yield Setting(".".join(it for it, _ in holders), "key", holders[-1][1])
            is_empty = False
        holders = holders[: max(depth, 0)]
        if depth < 0:
            return

"""Keys of files of defaults that a program ships and its code asks for by name: `reference.conf`
and `application.conf` of Typesafe Config, `config/shop.php` of Laravel, whose keys begin with
`shop.`, and files of YAML such as `config_default.yaml`: `config["shop"]["rows"]`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured.constants import rows
from stationmaster.wiki.facts.configured.go_structs import Place, Read, sources
from stationmaster.wiki.facts.configured.mentioned import above
from stationmaster.wiki.facts.configured.setting_files import leaves, samples
from stationmaster.wiki.facts.model import Facts, query

_HOCON = re.compile(r"(?:.*/)?(?:reference|application)\.conf")
_HOCON_KEY = re.compile(r"^[ \t]*+\"?([A-Za-z_][\w.-]{0,99})\"?[ \t]*(?:[=:][ \t]*|(?=\{))(\S.*)")
_HOCON_VALUE = re.compile(
    r"\"([^\"\\\n]{0,80})\"|(?!)()|(\[[^()\[\]{}$]{0,60}\]|[^\s\"{}\[\]$#/,][^\"{}\[\]$#/\n]{0,80})"
)
_HOCON_ASKED = re.compile(
    r"\.(?:get[A-Z]\w{0,30}|hasPath|property\w{0,10}|config)\(\"([\w.-]{1,100})\""
)
_HOCON_READERS = ("com.typesafe.config", "io.ktor")
_LARAVEL = re.compile(r"config/[\w-]{1,40}\.php")
_LARAVEL_BEGIN = re.compile(r"return (?:\[|array\()\s*")
_LARAVEL_ASKED = re.compile(
    r"(?i:\bconfig\(|\bconfig(?:::|(?:\(\))?->)(?:get|has)\()\s{0,20}[\"']([\w-]{1,40}\.[\w.-]{1,99})[\"']"
)
_YAML = re.compile(r"(?i).{0,200}default.{0,40}\.ya?ml")
_YAML_ASKED = re.compile(
    r"(?<![.\w])config(?:((?:\[[\"'][\w-]{1,60}[\"']\]){1,6})|\.get\([\"']([\w.-]{1,100})[\"'])"
)
_MEMBERS = re.compile(r"[\w-]+")
_PLACES_MAX = 8


class Shipped(msgspec.Struct, frozen=True):
    """The keys as files have `declared` them, and where code `reads` them."""

    declared: tuple[Read, ...]
    reads: tuple[Read, ...]


@query
def shipped(facts: Facts) -> Shipped:
    """The keys that the code asks for; of HOCON and YAML all, where it asks for half of a file."""
    declared: list[Read] = []
    reads: list[Read] = []
    for path, setting, asked in (*_of_hocon(facts), *_of_yaml(facts), *_of_laravel(facts)):
        doc = setting.doc or above(lines_of(facts, path), setting.line)
        declared.append((path, msgspec.structs.replace(setting, doc=doc)))
        reads += ((at, Setting(setting.name, "key", line)) for at, line in asked)
    return Shipped(tuple(declared), tuple(reads))


def _of_hocon(facts: Facts) -> Iterator[tuple[str, Setting, list[Place]]]:
    paths = [it for it in facts.tree.paths if _HOCON.fullmatch(it) and not is_test(it)]
    asked = _asked(facts, _HOCON_ASKED, _HOCON_READERS) if paths else {}
    for path in paths:
        found = [*rows(lines_of(facts, path), 1, _HOCON_KEY, _HOCON_VALUE)]
        yield from _where_half(path, found, asked)


def _of_yaml(facts: Facts) -> Iterator[tuple[str, Setting, list[Place]]]:
    paths = [it for it in samples(facts) if _YAML.fullmatch(it)]
    asked = _asked(facts, _YAML_ASKED, ("config",)) if paths else {}
    for path in paths:
        found = [
            Setting(name, "key", line, value)
            for root in facts.tree.yaml_all(path)
            for name, line, value in leaves(root, ".")
        ]
        yield from _where_half(path, found, asked)


def _where_half(
    path: str, found: Sequence[Setting], asked: Mapping[str, list[Place]]
) -> Iterator[tuple[str, Setting, list[Place]]]:
    places = {row.name: _within(asked, row.name) for row in found}
    if 2 * sum(map(bool, places.values())) >= len(places):
        yield from ((path, row, places[row.name]) for row in found)


def _within(asked: Mapping[str, list[Place]], name: str) -> list[Place]:
    """Where a key is asked for, or the nearest one around it."""
    while name and name not in asked:
        name = name.rpartition(".")[0]
    return asked.get(name, [])


def _of_laravel(facts: Facts) -> Iterator[tuple[str, Setting, list[Place]]]:
    """Those that do not take a variable of the environment, which tells of itself."""
    paths = [it for it in facts.tree.paths if _LARAVEL.fullmatch(it)]
    asked = _asked(facts, _LARAVEL_ASKED, ("onfig",)) if paths else {}
    for path in paths:
        lines = lines_of(facts, path)
        start = next((at for at, it in enumerate(lines, 1) if _LARAVEL_BEGIN.fullmatch(it)), 0)
        for row in rows(lines[start:], start + 1) if start else ():
            name = f"{path[7:-4]}.{row.name}"
            if name in asked and "env(" not in lines[row.line - 1]:
                yield path, msgspec.structs.replace(row, name=name), asked[name]


def _asked(
    facts: Facts, pattern: re.Pattern[str], words: tuple[str, ...]
) -> Mapping[str, list[Place]]:
    """The places by name, in files that have one of some words."""
    places: dict[str, list[Place]] = defaultdict(list)
    for path in sources(facts):
        text = facts.tree.text(path)
        for line, match in numbered(pattern, text) if any(it in text for it in words) else ():
            name = match[match.lastindex or 1]
            name = ".".join(_MEMBERS.findall(name)) if name.startswith("[") else name
            if len(places[name]) < _PLACES_MAX:
                places[name].append((path, line))
    return places

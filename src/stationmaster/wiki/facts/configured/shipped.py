"""Keys of files of settings that a program ships and its code asks for by name: YAML and JSON such
as `config_default.yaml`, and `config/default.json` of node-config; `config/shop.php` of Laravel,
whose keys begin with `shop.`;
and files with sections that the code names, whose keys it asks for by section and name:
`config["till"].as_bool("open")`, `parser.get("till", "rows")`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured import setting_files
from stationmaster.wiki.facts.configured.constants import rows
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.configured.literals import literal
from stationmaster.wiki.facts.configured.mentioned import above, of_comment
from stationmaster.wiki.facts.configured.samples.shown_keys import Shown, shown_keys
from stationmaster.wiki.facts.configured.setting_files import is_yaml, leaves, roots
from stationmaster.wiki.facts.model import Facts, of_file, query

_LARAVEL = re.compile(r"config/[\w-]{1,40}\.php")
_ENV = re.compile(r"env\((?:[\"'](\w{1,100})[\"'])?")
_LARAVEL_KEY = re.compile(r"[ \t]*[\"']([A-Za-z_][\w.-]{0,99})[\"'][ \t]*=>[ \t]*(\S.*)")
_LARAVEL_BEGIN = re.compile(r"return (?:\[|array\()\s*")
_VALUE = re.compile(
    r"[^=:\n]{1,120}[=:][ \t]*+(?:([\"'])([^\"'\n]{0,200})\1|([^\"'\[{#;\n][^#;\n]{0,200}|))"
)
_END = re.compile(r"(?<![\w.-])([\w.-]{2,64})[\"']")
_MEMBERS = re.compile(r"[\w-]+")
_STOOD_IN = re.compile(
    r",\s{0,40}(?:(?:default|fallback)\s{0,3}=\s{0,3})?(\"[^\"\\\n]{0,80}\"|'[^'\n]{0,80}'|[\w.-]{1,40})"
    r"\s{0,40}[,)]"
)
"""What is given behind a key that is asked for."""
_OF_TESTS = re.compile(r"(?:^|/)tests?[_.-]")
_EXACT_MIN = 5
"""Keys of a file that the code asks for by section and name, before all of it is settings."""
_COPIED = re.compile(
    r"(?i)^(?:(?:.*/)?[^/]{0,60}(?:conf|settings)[^/]{0,60}/(?:docs?|samples?)/[^/]{0,99}"
    r"|(?!.*\.(?:php|json)\b)(?!.*default)(?!.*(?:database|log(?:ging|back|4j)?|alembic|uwsgi|redis|my)\.)"
    r"(?:.*/)?[^/]{0,99}(?:conf|settings|app|options)[^/]{0,99})$"
)
"""Those with settings of the product itself, by their names."""
_AROUND_MAX = 50
"""Places that ask for what a key stands in."""
_Asked = tuple[str, int, str | None]
"""A path and a line that ask for a key, and what stands in for it."""


def declared(facts: Facts) -> Iterator[Read]:
    """The keys as files have them."""
    yield from ((path, setting) for path, setting, _ in _shipped(facts))


def reads(facts: Facts) -> Iterator[Read]:
    """The keys where code asks for them."""
    for _, setting, asked in _shipped(facts):
        for path, line, default in asked:
            yield path, Setting(setting.name, "key", line, default)


def samples(facts: Facts) -> Iterator[Read]:
    """The keys of files that a product ships to be copied, or to document them. What these set is
    no default, but for one that a comment states."""
    for path in filter(_COPIED.search, setting_files.samples(facts)):
        lines = lines_of(facts, path)
        shown = {it.line: it for it in shown_keys(lines, is_yaml=is_yaml(path))}
        for row in (_of_yaml if is_yaml(path) else _of_sections)(facts, path):
            stated = shown[row.line].default if row.line in shown else None
            doc = row.doc or above(lines, row.line)
            yield path, msgspec.structs.replace(row, doc=doc, default=stated)


@query
def _shipped(facts: Facts) -> tuple[tuple[str, Setting, list[_Asked]], ...]:
    """All keys of a file, or of a section, where the code asks for half of them."""
    return tuple(it for kind in _KINDS for it in _of(facts, kind))


def _of(facts: Facts, kind: _Kind) -> Iterator[tuple[str, Setting, list[_Asked]]]:
    paths = [
        it
        for it in facts.tree.paths
        if kind.files.fullmatch(it) and not is_test(it) and not _OF_TESTS.search(it)
    ]
    asked, named = _asked(facts, kind) if paths else ({}, set())
    named -= {it.path.rpartition("/")[2] for it in facts.tree.project.manifests}
    for path in paths:
        if kind.is_named and path.rpartition("/")[2] not in named:
            continue
        every = [*kind.rows(facts, path)]
        is_whole = kind.is_named and sum(_key(it.name) in asked for it in every) >= _EXACT_MIN
        for _, group in groupby(every, lambda row: row.name.rpartition("]")[0]):
            keys = [(_remarked(facts, kind, path, row), _key(row.name)) for row in group]
            exact = {key for _, key in keys if key in asked}
            if kind.is_open:
                keys = [it for it in keys if it[1] in exact]
            # A section of which some keys are asked for is not asked for as a whole.
            is_exact = kind.is_named and bool(exact)
            found = [
                (row, asked.get(key, []) if is_exact else _within(asked, key)) for row, key in keys
            ]
            if is_whole or 2 * sum(bool(places) for _, places in found) >= len(found):
                yield from ((path, row, places) for row, places in found)


def _remarked(facts: Facts, kind: _Kind, path: str, row: Setting) -> Setting:
    """A key with what the comment above says where its reader does not say it."""
    doc = row.doc if row.doc or kind.is_named else above(lines_of(facts, path), row.line)
    return msgspec.structs.replace(row, doc=doc)


def _key(name: str) -> str:
    """The words of a name: of `[till] rows` and `["till"]["rows"]` `till.rows`."""
    return ".".join(_MEMBERS.findall(name))


def _within(asked: Mapping[str, list[_Asked]], name: str) -> list[_Asked]:
    """Where a key is asked for, or the nearest one around it, which many keys may share."""
    if name in asked:
        return asked[name]
    while name and name not in asked:
        name = name.rpartition(".")[0]
    return asked.get(name, [])[:_AROUND_MAX]


def _asked(facts: Facts, kind: _Kind) -> tuple[Mapping[str, list[_Asked]], set[str]]:
    """The places by name, in files that have one of some words, and with what texts there end."""
    places: dict[str, list[_Asked]] = defaultdict(list)
    named: set[str] = set()
    for path in sources(facts):
        ends, asked = _asked_in(facts, path, _KINDS.index(kind))
        named.update(ends)
        for key, line, default in asked:
            places[key].append((path, line, default))
    return places, named


@of_file
def _asked_in(facts: Facts, path: str, kind: int) -> tuple[list[str], list[_Asked]]:
    """How texts of a file with a word of a kind end, and the keys that it asks for, with lines
    and defaults."""
    text, form = facts.tree.text(path), _KINDS[kind]
    keys: list[_Asked] = []
    if not any(word in text for word in form.words):
        return [], keys
    for line, match in numbered(form.asked, text):
        default = _STOOD_IN.match(text, match.end()) if form.is_named else None
        key = _key(".".join(filter(None, match.groups())))
        keys.append((key, line, literal(default[1]) if default else None))
    return _END.findall(text), keys


def _of_nodes(facts: Facts, path: str) -> Iterator[Setting]:
    for root in roots(facts, path):
        yield from (Setting(name, "key", line, it) for name, line, it in leaves(root, "."))


def _of_yaml(facts: Facts, path: str) -> Iterator[Setting]:
    """Those with what their comments say, those that are left out, and of those that hold others
    the ones with a value at another place, or whose comment is the only one on these."""
    lines, rows_ = lines_of(facts, path), [*_of_nodes(facts, path)]
    keys = [*shown_keys(lines, is_yaml=True)]
    explained = {".".join(key.holders) for key in keys if key.words}
    shown = {key.line: key for key in keys}
    on_line = Counter(it.line for it in rows_)
    for row in rows_:
        key = shown.pop(row.line, None) if on_line[row.line] == 1 else None
        yield msgspec.structs.replace(row, doc=_doc(key)) if key else row
    names = {it.name for it in rows_}
    holders = {name[: sign.start()] for name in names for sign in re.finditer(r"\.", name)}
    open_ = {*holders}
    for key in shown.values():
        name, value = ".".join((*key.holders, key.name)), _VALUE.fullmatch(lines[key.line - 1])
        is_value = value is not None and bool(value[2] or value[3])
        is_section = name in open_ and (is_value or (bool(key.words) and name not in explained))
        is_new = name not in names | holders and ".".join(key.holders) in {"", *holders}
        if is_new if key.is_out else is_section:
            open_.discard(name)  # Once is enough.
            yield Setting(name, "key", key.line, doc=_doc(key))


def _doc(key: Shown) -> str:
    return of_comment(" ".join(key.words.split()))


def _of_laravel(facts: Facts, path: str) -> Iterator[Setting]:
    """Those that do not take a variable of the environment, which tells of itself."""
    return (row for row, variable in _laravel(facts, path) if not variable)


@query
def filled(facts: Facts) -> Mapping[str, str]:
    """The first key of Laravel that takes a variable, by variable."""
    return {
        variable[1]: row.name
        for path in sorted(filter(_LARAVEL.fullmatch, facts.tree.paths), reverse=True)
        for row, variable in reversed([*_laravel(facts, path)])
        if variable and variable[1]
    }


def _laravel(facts: Facts, path: str) -> Iterator[tuple[Setting, re.Match[str] | None]]:
    lines = lines_of(facts, path)
    start = next((at for at, it in enumerate(lines, 1) if _LARAVEL_BEGIN.fullmatch(it)), 0)
    for row in rows(lines[start:], start + 1, _LARAVEL_KEY) if start else ():
        name = f"{path[7:-4]}.{row.name}"
        yield msgspec.structs.replace(row, name=name), _ENV.search(lines[row.line - 1])


def _of_sections(facts: Facts, path: str) -> Iterator[Setting]:
    lines = lines_of(facts, path)
    for key in sorted(shown_keys(lines), key=lambda it: it.is_out):
        value = None if key.is_out else _VALUE.fullmatch(lines[key.line - 1])
        if key.holders:
            whole = ".".join((*key.holders, key.name))
            whole = whole if ".toml" in path else f"[{'.'.join(key.holders)}] {key.name}"
            default = (value[2] or value[3] or "").strip() if value else None
            yield Setting(whole, "key", key.line, default, doc=_doc(key))


class _Kind(NamedTuple):
    """Files of settings, how their keys are read, and how code asks for them that has one of some
    `words`. Those that are `is_named` count where the code names the file; of those that are
    `is_open` the keys that are asked for alone."""

    files: re.Pattern[str]
    rows: Callable[[Facts, str], Iterator[Setting]]
    asked: re.Pattern[str]
    words: tuple[str, ...]
    is_named: bool = False
    is_open: bool = False


_KINDS = (
    _Kind(
        re.compile(r"(?!(?:.*/)?(?:docs?|\.github)/)(?:.*/)?(?:settings|config|options)\.ya?ml"),
        _of_yaml,
        re.compile(
            r"\b(?:\w{0,40}_)?(?:config|settings|options)"
            r"(?:\[[\"']([\w-]{1,60})[\"']\]\[[\"']([\w-]{1,60})[\"']\]|\([\"'](\w{1,60}\.[\w.-]{1,100})[\"']"
            r"|\.get\([\"'](\w{1,60}\.[\w.-]{1,100})[\"'])|\bget_setting\([\"'](\w{1,60}\.[\w.-]{1,100})[\"']"
        ),
        ("onfig", "etting", "ption"),
        is_named=True,
    ),
    _Kind(
        re.compile(
            r"(?i)(?:.*/)?(?:(?:[\w-]{0,40}(?:conf|config|configuration|settings|app)[._-]defaults?"
            r"|defaults?[._-][\w-]{0,40}(?:conf|config|settings)[\w-]{0,9})\.ya?ml"
            r"|config/default\.(?:json|ya?ml))"
        ),
        _of_nodes,
        re.compile(
            r"(?<![.\w])config(?:((?:\[[\"'][\w-]{1,60}[\"']\]){1,6})|\.get\([\"']([\w.-]{1,100})[\"'])"
        ),
        ("config",),
    ),
    _Kind(
        _LARAVEL,
        _of_laravel,
        re.compile(
            r"(?i:\bconfig\(|\bconfig(?:::|(?:\(\))?->)(?:get|has)\()\s{0,20}"
            r"[\"']([\w-]{1,40}\.[\w.-]{1,99})[\"']"
        ),
        ("onfig",),
        is_open=True,
    ),
    _Kind(
        re.compile(
            r"(?:.*/)?(?:[\w-]{1,40}rc|config(?:[._-](?:sample|example|dist))?|[\w.-]{1,60}\.(?:ini|cfg|conf|cnf|toml))"
        ),
        _of_sections,
        re.compile(
            r"(?i)\b(?:\w{0,40}_)?(?:c|cp|ini|cfg|conf|config|configuration|settings|options|parser)"
            r"(?:\(\))?(?:"
            r"\.(?:get\w{0,20}|has_option)\(\s{0,20}[\"']([\w. -]{1,60})[\"'],"
            r"\s{0,20}[\"']([\w.-]{1,100})[\"']"
            r"|(?:\[|\.get\()[\"']([\w. -]{1,60})[\"'](?:\]|(?:,\s{0,20}\{\})?\))"
            r"(?:(?:\[|\.(?:get|as_|pop)\w{0,20}\()\s{0,20}[\"']([\w.-]{1,100})[\"'])?)"
        ),
        ("onfig", "ConfigObj", "toml"),
        is_named=True,
    ),
)
"""In the order of their places."""

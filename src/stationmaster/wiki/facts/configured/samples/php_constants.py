"""Constants of PHP that files of settings define, `define("ROWS", 10)`, and variables that are the
cases of an enum, with the places that name these: `Variable::Rows->load()`."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured import documented, literals, setting_files
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.configured.samples.shown_keys import shown_keys
from stationmaster.wiki.facts.model import Facts, Place, query

_DEFINED = re.compile(r"(?<!\w)define\(\s{0,9}[\"']([A-Za-z_]\w{1,99})[\"']\s{0,9},")
_BESIDE = re.compile(
    r"(?:__DIR__|dirname\(__FILE__\))\s*\.\s*(?:DIRECTORY_SEPARATOR\s*\.\s*)?(.{1,200})"
)
_NAME = re.compile(r"(?<![\w'\"\\>:$-])[A-Z][A-Z0-9_]{2,99}\b(?!['\"(])")
_CASE = re.compile(r"[ \t]*case[ \t]+(\w{1,99})[ \t]*=")
_NAMED_CASE = re.compile(r"(?<!\w)(\w{1,80})::([A-Za-z_]\w{0,98})(?![\w(])(->)?")
_CONSTANTS_MIN = 3


@query
def cases(facts: Facts) -> tuple[tuple[str, Setting, str, str], ...]:
    """The variables that are cases of enums, with the files, the enums and their cases."""
    return tuple(
        (file.path, it, enum.name, case[1])
        for file in interfaces(facts)
        if file.path.endswith(".php")
        for it in file.settings
        if (case := _CASE.match(lines_of(facts, file.path)[it.line - 1]))
        for enum in facts.code[file.path].symbols
        if enum.kind == "enum" and enum.line <= it.line <= enum.end
    )


def asked(facts: Facts) -> Iterator[Read]:
    """Where code names the cases; their own enum does as `self`."""
    names = {(enum, case): it.name for _, it, enum, case in cases(facts)}
    own = {(path, case): it.name for path, it, _, case in cases(facts)}
    for path in sources(facts, ".php") if names else ():
        for line, match in numbered(_NAMED_CASE, facts.tree.text(path)):
            name = names.get((match[1], match[2]))
            if match[1] in ("self", "static") and match[3]:
                name = own.get((path, match[2]))
            if name:
                yield path, Setting(name, "env", line)


def declared(facts: Facts) -> Iterator[Read]:
    """The constants of files that a project ships to be copied, of which its code names half."""
    yield from ((path, setting) for path, setting, _ in _shipped(facts))


def reads(facts: Facts) -> Iterator[Read]:
    """Where the code names these constants."""
    for _, setting, places in _shipped(facts):
        yield from ((path, Setting(setting.name, "key", line)) for path, line in places)


@query
def _shipped(facts: Facts) -> tuple[tuple[str, Setting, tuple[Place, ...]], ...]:
    return tuple(
        it
        for path in setting_files.samples(facts)
        if path.endswith(".php")
        for it in _of_sample(facts, path)
    )


def _of_sample(facts: Facts, path: str) -> Iterator[tuple[str, Setting, tuple[Place, ...]]]:
    text, lines = facts.tree.text(path), lines_of(facts, path)
    values = {
        it[1]: next(iter(arguments_from(text, it.end())), "") for it in _DEFINED.finditer(text)
    }
    keys = [key for key in shown_keys(lines) if _DEFINED.search(lines[key.line - 1])]
    used = _uses(facts, path, {key.name for key in keys})
    if len(keys) >= _CONSTANTS_MIN and 2 * len(used) >= len(keys):
        for key in keys:
            value = None if key.is_out else _value(path, values.get(key.name, ""))
            doc = documented.cut(" ".join(key.words.split()))
            setting = Setting(key.name, "key", key.line, value, doc=doc)
            yield path, setting, tuple(used.get(key.name, ()))


def _uses(facts: Facts, sample: str, names: Set[str]) -> Mapping[str, list[Place]]:
    places: dict[str, list[Place]] = defaultdict(list)
    for path in sources(facts, ".php") if names else ():
        for line, match in numbered(_NAME, facts.tree.text(path)) if path != sample else ():
            if match[0] in names:
                places[match[0]].append((path, line))
    return places


def _value(path: str, written: str) -> str | None:
    """What a literal says, also one behind the folder of its file, as a path from the root."""
    beside = _BESIDE.fullmatch(written)
    plain = literals.literal(beside[1] if beside else written)
    return posixpath.normpath(f"./{posixpath.dirname(path)}/{plain}") if beside and plain else plain

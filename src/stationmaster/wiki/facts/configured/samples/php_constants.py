"""Constants of PHP that files of settings and programs define: `define("ROWS", 10)`. What a
variable falls back on is put together of texts and other constants: `getenv("LOG") ?:
DATA_DIR . "/shop.log"`. And variables that are the cases of an enum, with the places that name
these: `Variable::Rows->load()`."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured import documented, go_calls, setting_files
from stationmaster.wiki.facts.configured.environment.askers import literal
from stationmaster.wiki.facts.configured.go_structs import Place, Read, sources
from stationmaster.wiki.facts.configured.samples.shown_keys import shown_keys
from stationmaster.wiki.facts.model import Facts, query

_DEFINED = re.compile(r"(?<!\w)define\(\s{0,9}[\"']([A-Za-z_]\w{1,99})[\"']\s{0,9},")
_FALLEN_BACK = re.compile(
    r"(?:getenv\(\s{0,9}[\"'](\w{1,99})[\"']\s{0,9}\)|\$_ENV\[[\"'](\w{1,99})[\"']\])\s{0,9}\?[:?]"
)
_TO_ELSE = re.compile(r".{0,200}\?[:?]\s{0,9}")
_PART = re.compile(
    r"\s*(\"[^\"\\$]{0,200}\"|'[^'\\]{0,200}'|[\w\\]{1,99}(?:\(\w{1,20}\))?)\s*(\.|$)"
)
_NAME = re.compile(r"(?<![\w'\"\\>:$-])[A-Z][A-Z0-9_]{2,99}\b(?!['\"(])")
_CASE = re.compile(r"[ \t]*case[ \t]+(\w{1,99})[ \t]*=")
_NAMED_CASE = re.compile(r"(?<!\w)(\w{1,80})::([A-Za-z_]\w{0,98})(?![\w(])(->)?")
_FOLDERS = {"__DIR__": "", "dirname(__FILE__)": "", "dirname(__DIR__)": "/.."}
"""What stands for the folder of the file, with what stands behind it."""
_SIGNS = {"DIRECTORY_SEPARATOR": "/", "PATH_SEPARATOR": ":"}
_CONSTANTS_MIN = 3


def fallbacks(facts: Facts) -> Iterator[Read]:
    """The variables that fall back on what is put together."""
    for path in sources(facts, ".php"):
        text = facts.tree.text(path)
        if "getenv(" in text or "$_ENV[" in text:
            constants = _constants(path, text)
            for line, match in numbered(_FALLEN_BACK, text):
                written = next(iter(go_calls.arguments(text, match.end())), "").partition(";")[0]
                if "." in written or written in constants:
                    default = _plain(_value(path, written.strip(), constants))
                    yield path, Setting(match[1] or match[2], "env", line, default)


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
    constants, lines = _constants(path, facts.tree.text(path)), lines_of(facts, path)
    keys = [key for key in shown_keys(lines) if _DEFINED.search(lines[key.line - 1])]
    used = _uses(facts, path, {key.name for key in keys})
    if len(keys) >= _CONSTANTS_MIN and 2 * len(used) >= len(keys):
        for key in keys:
            value = None if key.is_out else _plain(constants.get(key.name))
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


def _constants(path: str, text: str) -> Mapping[str, str]:
    """The values of a file's constants, the first of each, as paths from its folder where they
    begin with that."""
    constants: dict[str, str] = {}
    for match in _DEFINED.finditer(text):
        written = next(iter(go_calls.arguments(text, match.end())), "")
        rest = _TO_ELSE.match(written) if "getenv" in written or "$_ENV" in written else None
        value = _value(path, written[rest.end() :] if rest else written, constants)
        if value is not None:
            constants.setdefault(match[1], value)
    return constants


def _value(path: str, written: str, constants: Mapping[str, str]) -> str | None:
    """What an expression gives; None where that is not told here."""
    plain = literal(written)
    if plain is not None:
        return plain
    at, parts = 0, []
    while at < len(written):
        part = _PART.match(written, at)
        if part is None:
            return None
        word, at = part[1], part.end()
        if word[0] in "\"'":
            parts.append(word[1:-1])
        elif word in _FOLDERS:
            parts.append(f"./{folder_of(path)}{_FOLDERS[word]}".rstrip("/"))
        elif word in _SIGNS or word in constants:
            parts.append(_SIGNS.get(word) or constants[word])
        else:
            return None
    return "".join(parts)


def _plain(value: str | None) -> str | None:
    return posixpath.normpath(value) if value and value.startswith("./") else value

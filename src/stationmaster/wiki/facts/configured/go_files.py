"""Keys of files that programs of Go read into structs.

What is filled is known from the call that fills it; a struct that such a call does not lead to has
no keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.structs import Field
from stationmaster.reading.code.languages.inflections import CASES
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_calls import (
    Apart,
    Call,
    Variables,
    apart,
    calls,
    enclosing,
    parameter,
    part,
    source,
    steps,
    text_of,
)
from stationmaster.wiki.facts.configured.go_defaults import Defaults, defaults
from stationmaster.wiki.facts.configured.go_structs import Read, fields, held, sources
from stationmaster.wiki.facts.model import Facts, Spot, query

_DEPTH_MAX, _SETTINGS_MAX, _PASSED_MAX = 6, 3_000, 2
_STRINGS = frozenset({"string"})
_FIELDS_MAX = 20_000
"""That are looked at for one call."""
_VERSION = re.compile(r"\.v\d{1,4}$|/v\d{1,4}(?=/|$)")
_CONFIGURED = re.compile(r"(?i)\w{0,60}(?:config|configuration|settings|options|conf|cfg)")
_READS_FILES = re.compile(r"\b(?:os|ioutil)\.(?:ReadFile|Open|OpenFile|ReadAll)\(")
_TEXT = re.compile(r"\"([^\"\\]*)\"")
_SECTION = re.compile(r"\bSection\(([^()\n]{0,200})\)\.$")
_GOT = re.compile(r"\b(\w{1,80})\b(?=[^\n=]{0,60}=[^\n]{0,100}?Section\(([^\n)]{0,100})\))")
_DECODER = re.compile(r"\b(\w{1,60})\.(NewDecoder)\(")
_NEAR = 2_000
_TAG = re.compile(r"\bTag:\s*\"(\w{1,40})\"")
_PART = re.compile(r"(?:\[\]byte\()?\w{1,60}(?:\.\w{1,60}){1,9}\)?")
"""A field as what is read."""
_OF_KUBERNETES = frozenset({"apiVersion", "kind"})
"""Keys of files that are no program's own."""
_UNREADABLE = re.compile(r"\*?(?:func|chan|fs\.|sync\.|context\.|http\.|log\.|sql\.).*")
_Names = tuple[str, ...]
"""Of the fields that lead to one."""
_Found = tuple[str, Setting, _Names]
"""A key at the field that declares it, and the names that lead to that."""
_OF_SCHEMA = re.compile(r"(?:^|,)default=([^,]{0,200})")
_FLAT = frozenset({"inline", "squash"})

_ASKED = re.compile(r"\.([A-Z]\w{0,80})\.([A-Z]\w{0,80})\b(?![ \t]*(?:=(?!=)|:=|[({.]|\+\+))")
"""No call, and nothing that is set."""
_MAPPER = re.compile(r"\.NameMapper\s*=\s*\w{1,40}\.(\w{1,40})")


class _Package(msgspec.Struct, frozen=True):
    """How a package fills structs: see `go.toml`."""

    tag: str
    functions: dict[str, int] = {}
    methods: dict[str, int] = {}
    decoder: str = ""
    above: dict[str, int] = {}
    named: str = ""
    sections: bool = False
    general: bool = False
    caseless: bool = False


class _Use(NamedTuple):
    """A call in a file, with the text of the file, and the key that all stand below: None for one
    that is not known."""

    path: str
    text: str
    call: Call
    above: str | None

    def target(self, facts: Facts, place: int) -> _Target | None:
        """What an argument is, if it is a struct."""
        written = self.call.given[place] if place < len(self.call.given) else ""
        variables = Variables(facts, self.path, self.text)
        end = variables.struct(written, self.call.at) if written else None
        if end is None:
            return None
        above = f"{self.above}{end[1]}" if self.above else self.above
        return _Target(self._replace(above=above), end[0], written)


class _Target(NamedTuple):
    """A struct that an argument of a call is, as `written` there."""

    use: _Use
    struct: Spot
    written: str


_PACKAGES = code.table("go.settings.files", dict[str, _Package])
_FORKED = {name.rpartition("/")[2]: it for name, it in reversed(_PACKAGES.items())}
"""The first package of a last word, which its forks keep."""


class _Filled(NamedTuple):
    """A struct that a call fills, below a key, by the tags of this name: what the fields of these
    names lead to in a variable."""

    package: _Package
    struct: Spot
    above: str
    tag: str
    names: _Names
    apart: Apart


def read(facts: Facts) -> tuple[Read, ...]:
    """The keys and variables, with the files that declare their fields."""
    return tuple((path, setting) for path, setting, _ in _found(facts))


def asked(facts: Facts) -> Iterator[Read]:
    """The keys at the lines that read their fields: `cfg.App.SingleUser`, of which the last two
    names lead to one field alone."""
    keys = _fields(facts)
    for path in sources(facts, ".go") if keys else ():
        for line, match in numbered(_ASKED, source(facts, path)):
            if key := keys.get((match[1], match[2])):
                yield path, Setting(key, "key", line)


def _fields(facts: Facts) -> Mapping[_Names, str]:
    """The keys by the last two names that lead to their fields, where one key alone has these."""
    keys: dict[_Names, set[str]] = {}
    for _, setting, names in _found(facts):
        if len(names) > 1:
            keys.setdefault(names[-2:], set()).add(setting.name)
    return {names: min(some) for names, some in keys.items() if len(some) == 1}


@query
def _found(facts: Facts) -> tuple[_Found, ...]:
    users = [path for path in sources(facts, ".go") if _packages(facts, path)]
    if not users:
        return ()
    found: dict[tuple[str, str, int], _Found] = {}
    fills = {it[1:]: it for path in users for it in _filled(facts, path)}
    for filled in fills.values():
        own = defaults(facts, filled.struct)
        walk = _Walk(facts, filled, own or {})
        for it in islice(walk.keys(), _SETTINGS_MAX):
            found.setdefault((it[1].name, it[0], it[1].line), it)
    return tuple(found.values())[:_SETTINGS_MAX]


def _packages(facts: Facts, path: str) -> Mapping[str, _Package]:
    """Those that a source file imports, by their names in it."""
    named = bound(facts.code[path].imports)
    plain = {name: _VERSION.sub("", package) for name, package in named.items()}
    forks = {it: _FORKED.get(it.rpartition("/")[2]) for it in plain.values() if "." in it}
    found = {name: _PACKAGES.get(it) or forks.get(it) for name, it in plain.items()}
    return {name: package for name, package in found.items() if package}


def _filled(facts: Facts, path: str) -> Iterator[_Filled]:
    """What calls of a file fill."""
    packages, text = _packages(facts, path), source(facts, path)
    packages = {
        name: _mapped(facts, path, it) if it.sections else it for name, it in packages.items()
    }
    names = {name for it in packages.values() for name in (*it.functions, *it.methods)}
    names |= {"Decode" for it in packages.values() if it.decoder}
    others = bound(facts.code[path].imports).keys() - packages.keys()
    for call in calls(text, names):
        package = _package(packages, call, text) if call.of not in others else None
        if package is None:
            continue
        place = (package.functions if call.of in packages else package.methods).get(call.name, 0)
        tag = _TAG.search(" ".join(call.given))
        first = _Use(path, text, call, _above(facts, path, package, call, text))
        for it in _targets(facts, first, place, package.above.get(call.name)):
            use, struct, written = it
            is_it = not package.general or _is_settings(facts, use, struct, package.tag)
            if is_it and use.above is not None:
                tag_ = tag[1] if tag else package.tag
                own = apart(facts, use.path, use.text, use.call, written)
                yield _Filled(package, struct, use.above, tag_, steps(written), own)


def _mapped(facts: Facts, path: str, package: _Package) -> _Package:
    """The package with the case of keys that files beside this one choose."""
    near = (it for it in sources(facts, ".go") if folder_of(it) == folder_of(path))
    chosen = {name for it in near for name in _MAPPER.findall(facts.tree.text(it))}
    if not chosen:
        return package
    return msgspec.structs.replace(package, named=chosen.pop() if len(chosen) == 1 else "")


def _package(packages: Mapping[str, _Package], call: Call, text: str) -> _Package | None:
    """The package of a call, by what it is called on."""
    if call.of in packages:
        package = packages[call.of]
        return package if call.name in package.functions else None
    if call.name == "Decode":
        made = _DECODER.findall(text, max(call.at - _NEAR, 0), call.at + 1)
        package_ = packages.get(made[-1][0]) if made else None
        return package_ if package_ and package_.decoder == made[-1][1] else None
    return next((it for it in packages.values() if call.name in it.methods), None)


def _above(facts: Facts, path: str, package: _Package, call: Call, text: str) -> str | None:
    """The key that all stand below; None for one that is not known."""
    if package.sections:
        return _section(call, text)
    place = package.above.get(call.name)
    key = "" if place is None else text_of(call, place, text)
    outer = part(facts, path, text, call)
    return None if key is None or outer is None else f"{outer}{key}".removesuffix(".")


def _section(call: Call, text: str) -> str | None:
    """The section of a file that is asked for, '' for the whole file."""
    asked = _SECTION.search(call.before)
    words = asked[1] if asked else ""
    if asked is None and call.of:
        words = next((it[2] for it in _GOT.finditer(text) if it[1] == call.of), "")
    if not words:
        return ""
    name = _TEXT.fullmatch(words.strip())
    return name[1] if name else None


def _targets(
    facts: Facts, use: _Use, place: int, key: int | None, depth: int = 0
) -> Iterator[_Target]:
    """The structs that an argument is, with the calls that give them. What takes anything is given
    it by the calls of the function around, and perhaps the argument `key` above all keys, too."""
    target = use.target(facts, place)
    if target is not None:
        yield target
        return
    given = use.call.given
    written = given[place] if place < len(given) else ""
    function = enclosing(facts, use.path, use.text, use.call.at)
    taken = parameter(function, written) if function and written.isidentifier() else None
    if function is None or taken is None or depth == _PASSED_MAX:
        return
    is_passed = use.above is None and key is not None and key < len(given)
    key = parameter(function, given[key], _STRINGS) if is_passed and key is not None else None
    for user in sources(facts, ".go"):
        is_near = folder_of(user) == folder_of(use.path)
        if is_near or any(link.end == use.path for link in links_from(facts, user)):
            text = source(facts, user)
            for call in calls(text, {function.name}):
                above = use.above if key is None else text_of(call, key, text)
                outer = _Use(user, text, call, above)
                yield from _targets(facts, outer, taken, key, depth + 1)


def _is_settings(facts: Facts, use: _Use, struct: Spot, tag: str) -> bool:
    """Is what a call fills called settings, and does it come from a file, and no part of one, or
    does a function make it first with defaults?"""
    if not _CONFIGURED.fullmatch(struct.name):
        return False
    if defaults(facts, struct) is not None:
        return True
    if any(map(_PART.fullmatch, use.call.given)):
        return False
    keys = {field.tags.get(tag, "").partition(",")[0] for field in fields(facts, struct)}
    if keys >= _OF_KUBERNETES:
        return False
    function = enclosing(facts, use.path, use.text, use.call.at)
    return _reads_files(use.text, function) or any(
        _reads_files(text, outer)
        for text, outer in (_callers(facts, use.path, function) if function else ())
    )


def _reads_files(text: str, function: Symbol | None) -> bool:
    lines = text.split("\n")
    around = "\n".join(lines[function.line - 1 : function.end] if function else lines)
    return _READS_FILES.search(around) is not None


def _callers(facts: Facts, path: str, function: Symbol) -> Iterator[tuple[str, Symbol]]:
    """The functions of the package that call one of its own, with the texts of their files."""
    for near in sources(facts, ".go"):
        if folder_of(near) == folder_of(path):
            text = source(facts, near)
            outer = (enclosing(facts, near, text, it.at) for it in calls(text, {function.name}))
            yield from ((text, it) for it in outer if it is not None)


class _Walk:
    """The settings of the fields of a struct."""

    def __init__(self, facts: Facts, filled: _Filled, made: Defaults) -> None:
        self._facts, self._filled, self._made = facts, filled, made
        self._left = _FIELDS_MAX

    def keys(self) -> Iterator[_Found]:
        struct = self._filled.struct
        below = fields(self._facts, struct)
        return self._keys(below, self._filled.above, (struct,), self._filled.names)

    def _keys(
        self, own: Sequence[Field], above: str, holders: tuple[Spot, ...], names: _Names
    ) -> Iterator[_Found]:
        is_known = any(self._filled.tag in field.tags for field in own)
        for field in own:
            self._left -= 1
            key = self._key(field)
            if key is None or self._left < 0:
                continue
            way = (*names, field.name or field.type.rpartition(".")[2])
            if way in self._filled.apart.filled:
                continue
            if way in self._filled.apart.given and self._filled.tag not in field.tags:
                continue  # It is no key, though the library would take its name for one.
            struct = held(self._facts, field)
            inner = fields(self._facts, struct) if struct else ()
            if inner and struct not in holders and len(holders) <= _DEPTH_MAX:
                below = (*holders, struct) if struct else holders
                yield from self._keys(inner, self._below(above, key, field), below, way)
            elif key and (is_known or self._filled.package.named):
                yield field.path, self._setting(self._whole(above, key), field, way), way

    def _key(self, field: Field) -> str | None:
        """The key of a field, '' where those in it stand beside it; None for none."""
        if (field.name and not field.name[0].isupper()) or _UNREADABLE.fullmatch(field.type):
            return None
        package = self._filled.package
        name, *rules = field.tags.get(self._filled.tag, "").split(",")
        is_out = name == "-" or (not name and "-" in field.tags.values())
        if is_out or {"label", "remain"} & set(rules):
            return None
        if name:
            return name
        if not field.name and (_FLAT & set(rules) or package.tag in ("json", "toml")):
            return ""
        if _FLAT & set(rules):
            return ""
        if package.caseless:
            named = (it.partition(",")[0] for it in field.tags.values())
            if spelled := next((it for it in named if it.lower() == field.name.lower()), ""):
                return spelled
        case = CASES.get(package.named)
        return case(field.name or field.type.rpartition(".")[2]) if case else None

    def _below(self, above: str, key: str, field: Field) -> str:
        if not key:
            return above
        if self._filled.package.sections:
            return key
        return f"{self._whole(above, key)}{field.lists()}"

    def _whole(self, above: str, key: str) -> str:
        if self._filled.package.sections:
            return f"[{above}] {key}" if above else key
        return f"{above}.{key}" if above else key

    def _setting(self, name: str, field: Field, own: _Names) -> Setting:
        tags = field.tags
        written = [tags[it] for it in ("default", "env-default") if it in tags]
        written += _OF_SCHEMA.findall(tags.get("jsonschema", ""))
        default = next(iter(written), self._made.get(own[len(self._filled.names) :]))
        rules = tags.get("validate", "").split(",")
        is_required = "required" in rules or tags.get("env-required") == "true"
        if self._filled.tag == "hcl":
            is_required = tags["hcl"].count(",") == 0
        docs = (tags.get(it, "") for it in ("desc", "description", "jsonschema_description"))
        doc = field.doc or next(filter(None, docs), "")
        return Setting(
            name, "key", field.line, default, is_required, doc, type=one_line(field.type, 80)
        )

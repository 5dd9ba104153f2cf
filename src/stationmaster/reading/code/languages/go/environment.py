"""Variables of the environment that packages read into the fields of structs, by their tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.go.structs import Field, every, structs_of
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import Setting

_DEPTH_MAX = 6
_SETTINGS_MAX = 2_000
"""Of a file."""
_FIELDS_MAX = 20_000
"""That are looked at for one struct."""
_OPTIONS = re.compile(
    r"\bOptions\{[^}\"]{0,500}\bPrefix:\s*(?:\"([^\"\n]{0,100})\"|([\w.]{1,100}))"
)
_GIVEN_FIRST = re.compile(r"\bMapLookuper\(\s*map\[string\]string\{([^{}]{0,2000})\}")
_KEY = re.compile(r"\"(\w{1,100})\"\s*:")
_HELD = re.compile(r"\b(\w{1,60})(?=(?:\s*+:?=\s*+(?:&|new\()?|\s\s*+\*?)\s*+([A-Za-z]\w{0,100}))")
"""A variable or a field, and what may be the type that it holds."""
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


class _Package(msgspec.Struct, frozen=True):
    """What the tags of a package are called: see `go.toml`."""

    tag: str
    default: str = ""
    required: str = ""
    prefix: str = ""
    doc: str = ""
    sign: str = ""
    fields: bool = False
    names: bool = False
    prefixes: dict[str, int] = {}
    own: frozenset[str] = frozenset()


_PACKAGES = code.table("go.settings.packages", dict[str, _Package])


class _Rules(NamedTuple):
    """What the tag of a field says: its names, and what follows them."""

    names: tuple[str, ...]
    default: str | None
    is_required: bool
    prefix: str | None


def read(file: File) -> Iterator[Setting]:
    """The variables, under their full names where the file says what they begin with."""
    origin = next((each for each in file.packages.values() if each in _PACKAGES), _origin(file))
    if origin is not None and file.nodes["field"]:
        yield from islice(_Reader(file, origin).read(), _SETTINGS_MAX)


def _origin(file: File) -> str | None:
    """The package whose own tags a field has."""
    for name, package in _PACKAGES.items():
        if package.own and any(
            package.own <= file.tags(field).keys() for field in file.nodes["field"]
        ):
            return name
    return None


class _Reader:
    def __init__(self, file: File, origin: str) -> None:
        self._file, self._origin = file, origin
        self._package = _PACKAGES[origin]
        self._left = _FIELDS_MAX
        text = file.text(file.root)
        structs = [*structs_of(text.split("\n"))]
        self._structs = {name: fields for name, fields in structs if name}
        self._nameless = [fields for name, fields in structs if not name]
        self._given_first = {
            key for found in _GIVEN_FIRST.findall(text) for key in _KEY.findall(found)
        }
        self._prefixes = self._prefixes_of(text)

    def read(self) -> Iterator[Setting]:
        inner = {self._type(it) for fields in self._structs.values() for it in every(fields)}
        tops = [name for name in self._structs if name not in inner] or [*self._structs]
        filled = [(self._structs[name], self._prefix(name)) for name in tops]
        filled += [(fields, self._prefix("")) for fields in self._nameless]
        for fields, prefix in filled:
            yield from self._of(fields, prefix, 0) if prefix is not None else ()

    def _of(self, fields: Sequence[Field], prefix: str, depth: int) -> Iterator[Setting]:
        is_filled = self._package.fields and any(field.tags for field in fields)
        for field in fields:
            self._left -= 1
            rules = self._rules(field)
            if self._left < 0 or "-" in rules.names:
                continue
            below = field.inner or self._structs.get(self._type(field))
            if below and depth < _DEPTH_MAX and not rules.names:
                yield from self._of(below, f"{prefix}{self._above(field, rules)}", depth + 1)
            elif not below and (is_filled or field.tags):
                begin = prefix.upper() if self._package.sign else prefix
                for name in self._called(field) if is_filled else rules.names:
                    is_required = rules.is_required and name not in self._given_first
                    yield self._setting(f"{begin}{name}", is_required, field, rules)

    def _setting(self, name: str, is_required: bool, field: Field, rules: _Rules) -> Setting:
        doc = field.tags.get(self._package.doc, "") or field.doc
        type_ = one_line(field.type, 80)
        return Setting(name, "env", field.line, rules.default, is_required, doc, type=type_)

    def _above(self, field: Field, rules: _Rules) -> str:
        """What stands before the variables of the struct that a field holds."""
        sign = self._package.sign
        if rules.prefix is None and self._package.fields:
            return "".join(f"{name}{sign}" for name in self._called(field)[:1])
        return f"{rules.prefix}{sign}" if rules.prefix else ""

    def _called(self, field: Field) -> list[str]:
        """What a variable is called after its field."""
        own = field.tags.get(self._package.tag, "")
        name = own or (field.name if field.name[:1].isupper() else "")
        if not own and field.tags.get("split_words") == "true":
            name = "_".join(_WORD.findall(name))
        return [name.upper()] if name else []

    def _rules(self, field: Field) -> _Rules:
        tags, package = field.tags, self._package
        name, *rules = [each.strip() for each in tags.get(package.tag, "").split(",")]
        default = tags.get(package.default) if package.default else None
        prefix = tags.get(package.prefix) if package.prefix else None
        is_required = tags.get(package.required) in ("true", "yes", "1")
        names = [name] if name else []
        for place, rule in enumerate(rules):
            if package.names:
                names.append(rule)
            elif rule.startswith("default="):  # What follows belongs to it.
                whole = tags[package.tag].split(",", place + 1)[-1].strip()
                default = whole.removeprefix("default=").removesuffix(",strict")
                break
            prefix = rule.removeprefix("prefix=") if rule.startswith("prefix=") else prefix
            is_required = is_required or rule in ("required", "notEmpty")
        return _Rules(tuple(names), default, is_required, prefix)

    def _type(self, field: Field) -> str:
        return field.type.lstrip("*")

    def _prefixes_of(self, text: str) -> Mapping[str, str | None]:
        """Those of all variables, by the type that is filled; '' where no type is known. A
        prefix that is not known is None."""
        found: dict[str, str | None] = {}
        texts = constants(self._file)
        for call in self._file.called:
            if self._file.packages.get(call.on) != self._origin:
                continue
            given = call.given.at
            place = self._package.prefixes.get(call.name)
            if place is not None and place < len(given):
                written = self._file.text(given[place])
                prefix = self._file.literal(given[place])
                prefix = texts.get(written) if prefix is None else prefix
                target = self._file.text(given[-1]).lstrip("&") if len(given) > 1 else ""
                found[self._filled(text, target)] = prefix
        if options := _OPTIONS.search(text):
            found.setdefault("", texts.get(options[2]) if options[2] else options[1])
        sign = self._package.sign
        return {type_: f"{each}{sign}" if each else each for type_, each in found.items()}

    def _filled(self, text: str, name: str) -> str:
        """The struct of the file that a variable holds."""
        if not name.isidentifier():
            return ""
        types = (match[2] for match in _HELD.finditer(text) if match[1] == name)
        first = next(types, "")
        return first if first in self._structs else ""

    def _prefix(self, struct: str) -> str | None:
        """A single prefix of a file is that of each struct in it; None for an unknown one."""
        if struct in self._prefixes:
            return self._prefixes[struct]
        values = set(self._prefixes.values())
        return values.pop() if len(values) == 1 else ""

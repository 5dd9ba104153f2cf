"""Variables of the environment that packages read into the fields of structs, by their tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.source import (
    child,
    first_sentence,
    line_of,
    one_line,
    uncommented,
)
from stationmaster.reading.code.model import Setting

_DEPTH_MAX = 6
_SETTINGS_MAX = 2_000
"""Of a file."""
_WORDS_MIN = 3
"""Of a comment above a field that says more than a heading of several fields."""
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
        structs = {
            file.text(match["type"][0]): match["fields"][0]
            for match in file.matches("running")
            if "type" in match
        }
        yield from list(_Reader(file, origin, structs).read())[:_SETTINGS_MAX]


def _origin(file: File) -> str | None:
    """The package whose own tags a field has."""
    for name, package in _PACKAGES.items():
        if package.own and any(
            package.own <= file.tags(field).keys() for field in file.nodes["field"]
        ):
            return name
    return None


class _Reader:
    def __init__(self, file: File, origin: str, structs: Mapping[str, Node]) -> None:
        self._file, self._origin, self._structs = file, origin, structs
        self._package = _PACKAGES[origin]
        self._seen: set[int] = set()
        text = file.text(file.root)
        self._given_first = {
            key for found in _GIVEN_FIRST.findall(text) for key in _KEY.findall(found)
        }
        self._prefixes = self._prefixes_of(text)

    def read(self) -> Iterator[Setting]:
        held = {
            name
            for body in self._structs.values()
            for field in body.named_children
            if field.type == "field_declaration" and (name := self._type(field)) in self._structs
        }
        tops = [name for name in self._structs if name not in held] or list(self._structs)
        for name in tops:
            yield from self._of(self._structs[name], self._prefix(name), 0)
        for field in self._file.nodes["field"]:  # Of structs that have no name.
            prefix = self._prefix("")
            if field.start_byte not in self._seen and prefix is not None:
                yield from self._variables(field, prefix)

    def _prefixes_of(self, text: str) -> dict[str, str | None]:
        """Those of all variables, by the type that is filled; '' where no type can be told. A
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

    def _type(self, field: Node) -> str:
        return self._file.part(field, "type").lstrip("*")

    def _of(self, body: Node, prefix: str | None, depth: int) -> Iterator[Setting]:
        is_filled = self._package.fields and any(
            self._file.tags(field) for field in body.named_children
        )
        for field in body.named_children:
            if field.type != "field_declaration":
                continue
            self._seen.add(field.start_byte)
            below = self._body(field)
            if below is not None and depth < _DEPTH_MAX and not self._rules(field).names:
                yield from self._of(below, self._below(field, prefix), depth + 1)
            elif (
                below is None
                and prefix is not None
                and (is_filled or child(field, "tag") is not None)
            ):
                yield from self._variables(field, prefix, is_filled=is_filled)

    def _body(self, field: Node) -> Node | None:
        """The fields of the struct that a field holds."""
        type_ = child(field, "type")
        if type_ is not None and type_.type == "struct_type":
            return next(iter(type_.named_children), None)
        return self._structs.get(self._type(field))

    def _below(self, field: Node, prefix: str | None) -> str | None:
        own = self._rules(field).prefix
        if own is None and self._package.fields:
            named = self._named(field)
            own = f"{named[0]}{self._package.sign}" if named else ""
        elif own:
            own += self._package.sign
        return None if prefix is None else prefix + (own or "")

    def _named(self, field: Node) -> list[str]:
        """What variables are called after their fields."""
        tags = self._file.tags(field)
        names = [self._file.text(each) for each in field.children_by_field_name("name")]
        if tags.get("split_words") == "true":
            names = ["_".join(_WORD.findall(name)) for name in names]
        own = tags.get(self._package.tag, "")
        return [own.upper()] if own else [name.upper() for name in names if name[:1].isupper()]

    def _rules(self, field: Node) -> _Rules:
        tags, package = self._file.tags(field), self._package
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

    def _variables(self, field: Node, prefix: str, *, is_filled: bool = False) -> Iterator[Setting]:
        rules = self._rules(field)
        names = self._named(field) if is_filled else list(rules.names)
        for name in names:
            if name in ("-", "") or rules.names[:1] == ("-",):
                continue
            is_required = rules.is_required and name not in self._given_first
            tags = self._file.tags(field)
            doc = (tags.get(self._package.doc) if self._package.doc else "") or self._doc(field)
            upper = prefix.upper() if self._package.sign else prefix
            type_ = one_line(self._file.part(field, "type"), 80)
            yield Setting(
                f"{upper}{name}", "env", line_of(field), rules.default, is_required, doc, type=type_
            )

    def _doc(self, field: Node) -> str:
        """The comment behind a field, else what stands directly above it, if that is about it."""
        after = field.next_named_sibling
        if after is not None and after.type == "comment" and line_of(after) == line_of(field):
            return first_sentence(uncommented(self._file.text(after)))
        lines: list[str] = []
        before, line = field.prev_named_sibling, line_of(field)
        while before is not None and before.type == "comment" and line_of(before) == line - 1:
            above = before.prev_named_sibling
            if above is not None and line_of(above) == line_of(before):
                break  # It stands behind another field.
            line = line_of(before)
            lines.insert(0, uncommented(self._file.text(before)))
            before = above
        told = first_sentence("\n".join(lines))
        first = told.split(" ", 1)[0]
        body = field.parent
        others = {
            self._file.part(each, "name")
            for each in (body.named_children if body is not None else ())
        } - {self._file.part(field, "name"), ""}
        return told if len(told.split()) >= _WORDS_MIN and first not in others else ""

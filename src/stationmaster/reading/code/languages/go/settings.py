"""What a program of Go is configured by: variables of the environment, and keys of the
objects that hold settings, of viper and koanf.

A name may hold a constant of another file: `{$consts.Port}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go import environment
from stationmaster.reading.code.languages.go.frameworks import File, values
from stationmaster.reading.code.languages.go.kept import flag_default
from stationmaster.reading.code.languages.go.texts import Texts, is_open
from stationmaster.reading.code.languages.source import above, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Setting

VIPER = "github.com/spf13/viper"
_VERSION = re.compile(r"/v\d{1,4}$")
_OF_ENVIRONMENT = re.compile(r"(?:.*/)?(?:env\w{0,20}|\w{1,20}env)")
"""The path of a package whose functions read variables."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,98}[A-Z0-9]")
_RANGE = re.compile(r"\b(\w{1,60})\s*:=\s*range\s+(\w{1,60})\s*\{")
_DEPTH_MAX = 4
_NAMED = re.compile(r"\{\$[A-Za-z_][\w.]*\}")
_NAMED_HERE = re.compile(r"\{\$[A-Za-z_]\w*\}")
"""What is called by a name of its own package alone."""
_OF_BYTES = "rawbytes.Provider("
_PASSED_ON = re.compile(
    r"(?m)^func \((\w{1,60}) (\w{1,60})\) (\w{1,60})\([^\n]*\{\n\s*(?:return )?"
    r"(\w{1,60})\.(\w{1,60})\(string\(\1\)"
)
"""A method of a type of texts that asks for the key which the text is."""


class _Kind(msgspec.Struct, frozen=True):
    """What objects of a package hold: see `go.toml`."""

    type: str
    makers: str
    keys: str
    parts: dict[str, str]
    shared: bool = False


_KINDS = code.table("go.settings.objects", dict[str, _Kind])


def read(file: File) -> Iterator[Setting]:
    """The settings of a file."""
    reader = _Reader(file)
    for call in file.called:
        yield from reader.called(call)
    yield from reader.constants()
    yield from environment.read(file)


class Objects:
    """What names in a file hold the settings of its program, or a part of them. `packages` are
    those that it imports, by name."""

    def __init__(self, text: str, packages: Mapping[str, str]) -> None:
        kinds = {name: _KINDS.get(_VERSION.sub("", it)) for name, it in packages.items()}
        self._kinds = {name: kind for name, kind in kinds.items() if kind}
        self._lines = text.split("\n") if self._kinds else []
        self._whole = {name for name, kind in self._kinds.items() if kind.shared}
        parts = list[str]()
        for name, kind in self._kinds.items():
            made = rf"\b(\w{{1,60}})(?:\s*:?=\s*{name}\.{kind.makers}\(|\s+\*{name}\.{kind.type}\b)"
            self._whole.update(re.findall(made, text))
            parts += kind.parts
        choice = "|".join(parts) or "(?!)"
        self._part = re.compile(
            rf"\b(\w{{1,60}})\s*:?=\s*(?:range\s+)?(\w{{1,60}})\.({choice})\(\s*\"([^\"\n]{{1,99}})\"\s*\)"
        )

    def asks(self, method: str) -> bool:
        """Is a method one that asks for a key?"""
        return any(re.fullmatch(kind.keys, method) for kind in self._kinds.values())

    def above(self, name: str, line: int, depth: int = 0) -> str | None:
        """The key with its sign above all that is asked of a name at a line, '' for all settings;
        None where it is not known."""
        text = self._function(line) if depth < _DEPTH_MAX else ""
        for held, of, method, key in reversed(self._part.findall(text)):
            if held == name and of != name:
                outer = self.above(of, line, depth + 1)
                sign = next(it.parts[method] for it in self._kinds.values() if method in it.parts)
                return None if outer is None else f"{outer}{key}{sign}."
        for held, of in reversed(_RANGE.findall(text)):
            if held == name and of != name:
                return self.above(of, line, depth + 1)
        return "" if name in self._whole and not self.is_of_function(name, line) else None

    def is_of_function(self, name: str, line: int) -> bool:
        """Does the function around a line make an object and fill it with bytes that it has?"""
        text = self._function(line)
        made = re.compile(rf"\b{re.escape(name)}\s*:=\s*\w+\.New\(")
        return _OF_BYTES in text and made.search(text) is not None

    def _function(self, line: int) -> str:
        """The lines of a function up to one of them."""
        lines = self._lines[:line]
        first = next((at for at in range(len(lines), 0, -1) if lines[at - 1][:5] == "func "), 1)
        return "\n".join(lines[first - 1 :])


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._text = file.data.decode(errors="replace")
        self._objects = Objects(self._text, file.packages)

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._file)

    def called(self, call: Called) -> Iterator[Setting]:
        package, name = self._file.packages.get(call.on, ""), call.name
        line = line_of(call.node)
        above = self._objects.above(call.on, line) if self._objects.asks(name) else None
        is_read = package in ("os", "syscall") and name in ("Getenv", "LookupEnv")
        is_helper = _OF_ENVIRONMENT.fullmatch(_VERSION.sub("", package)) is not None
        given = call.given.at if above is not None or is_read or is_helper else ()
        texts = [self._texts.of(node) for node in given]
        if not texts or not texts[0] or is_open(texts[0]):
            return
        if is_read:
            yield Setting(texts[0], "env", line)
            return
        if above is None:
            if _VARIABLE.fullmatch(texts[0]) and not name.startswith(("Set", "Unset")):
                other = self._default(given[1]) if len(given) == 2 else None
                yield Setting(texts[0], "env", line, other)
            return
        is_default = name == "SetDefault" and len(given) > 1
        yield Setting(
            f"{above}{texts[0]}", "key", line, self._default(given[1]) if is_default else None
        )
        for variable in texts[1:] if name == "BindEnv" else ():
            if variable and not is_open(variable):
                yield Setting(variable, "env", line)

    def constants(self) -> Iterator[Setting]:
        """The keys that are constants of a type of texts whose methods ask for them."""
        methods = [
            (type_, method, name)
            for _, type_, method, on, name in _PASSED_ON.findall(self._text)
            if self._objects.asks(name) and self._objects.above(on, 0) == ""
        ]
        types = {type_ for type_, _, _ in methods}
        setting = {method for _, method, name in methods if name == "SetDefault"}
        set_by = {call.on: call.given.at for call in self._file.called if call.name in setting}
        for name, value in values(self._file).items() if types else ():
            spec, literals = above(value, "const_spec"), value.named_children
            key = self._file.literal(literals[0]) if len(literals) == 1 else None
            if spec is not None and self._file.part(spec, "type") in types and key:
                given = set_by.get(name)
                default_ = self._default(given[0]) if given else None
                yield Setting(key, "key", line_of(spec), default_)

    def _default(self, node: Node) -> str | None:
        """A value as the code has it: a text, a number, a switch, a time, or a hole for what is
        called by a name in this file or in another: `{$shop.Port}`."""
        text, written = self._texts.of(node), flag_default(self._file, node)
        if text == "" or written is None or not written.startswith("{$"):
            return written or text
        named, form = (written, _NAMED_HERE) if text is None else (text, _NAMED)
        return named if "{" not in named or form.fullmatch(named) else None

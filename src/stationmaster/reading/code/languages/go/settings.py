"""What a program of Go is configured by: variables of the environment, and keys of viper.

A name may hold a constant of another file: `{$consts.Port}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.reading.code.languages.go import environment
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.kept import default
from stationmaster.reading.code.languages.go.texts import Texts, is_open
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Setting

VIPER = "github.com/spf13/viper"
_KEYS = re.compile(r"Get\w*|IsSet|SetDefault|BindPFlag|BindEnv")
_INSTANCE = re.compile(
    rb"\b(\w{1,60})(?:\s*:?=\s*viper\.(?:New|GetViper|Sub)\w*\(|\s+\*viper\.Viper\b)"
)


def read(file: File) -> Iterator[Setting]:
    """The settings of a file."""
    reader = _Reader(file)
    for call in file.called:
        yield from reader.called(call)
    yield from environment.read(file)


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._vipers = {name for name, package in file.packages.items() if package == VIPER}
        if self._vipers:
            instances = _INSTANCE.findall(file.data)
            self._vipers |= {name.decode() for name in instances}

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._file)

    def called(self, call: Called) -> Iterator[Setting]:
        package, name = self._file.packages.get(call.on, ""), call.name
        is_viper = call.on in self._vipers and _KEYS.fullmatch(name) is not None
        is_read = package in ("os", "syscall") and name in ("Getenv", "LookupEnv")
        given = call.given.at if is_viper or is_read else ()
        texts = [self._texts.of(node) for node in given]
        if not texts or not texts[0] or is_open(texts[0]):
            return
        line = line_of(call.node)
        if is_read:
            yield Setting(texts[0], "env", line)
            return
        is_default = name == "SetDefault" and len(given) > 1
        yield Setting(texts[0], "key", line, self._default(given[1]) if is_default else None)
        for variable in texts[1:] if name == "BindEnv" else ():
            if variable and not is_open(variable):
                yield Setting(variable, "env", line)

    def _default(self, node: Node) -> str | None:
        """A value as the code has it: a text, a number, a switch, a time, a named constant."""
        if (value := default(self._file, node)) is not None:
            return value
        if node.type == "selector_expression" and self._is_of_package(node):
            return one_line(self._file.text(node))
        text = self._texts.of(node)
        return None if text is None or "{" in text else text

    def _is_of_package(self, node: Node) -> bool:
        return self._file.part(node, "operand") in self._file.packages

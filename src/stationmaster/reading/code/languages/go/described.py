"""Structs of the project's own that commands of cobra are made of: they have the name and the
meaning of one, and others of their type a function that completes the command which it is given."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.source import above, inside

_COBRA = "github.com/spf13/cobra"
_TYPE = "Command"
_RUNS = ("RunE", "Run")


class Described:
    """Those of a file, read from its begin to its end."""

    def __init__(self, file: File) -> None:
        self._source = file
        self._packages = frozenset(name for name, path in file.packages.items() if path == _COBRA)
        self._types: set[str] = set()

    def is_one(self, type_: Node, keys: Mapping[str, Node], name: str, short: str) -> bool:
        """Is a struct one, which has these fields, and these texts as its name and meaning?"""
        written = self._source.text(type_)
        if written.rpartition(".")[2] != _TYPE or written.partition(".")[0] in self._packages:
            return False
        if any(map(self._parameter, keys.values())):
            self._types.add(written)
        return bool(name and short) and written in self._types

    def around(self, node: Node) -> Node | None:
        """The struct with the function that is given a command under this name."""
        function = above(node, "func_literal")
        is_given = function is not None and self._parameter(function) == self._source.text(node)
        return above(function, "composite_literal") if is_given else None

    def runs(self, keys: Mapping[str, Node]) -> Node | None:
        """What the function within a struct has the command run: `cmd.RunE = run`."""
        for function in keys.values():
            name = self._parameter(function)
            words = {f"{name}.{field}" for field in _RUNS if name}
            for found in self._source.matches("routes") if words else ():
                for left, right in zip(found.get("left", ()), found.get("right", ()), strict=False):
                    is_inside = function.start_byte <= left.start_byte < function.end_byte
                    if is_inside and self._source.text(left) in words:
                        return right
        return None

    def _parameter(self, node: Node) -> str:
        """The name under which a function is given a command of cobra, and nothing else; '' for
        anything else."""
        listed = inside(node, "parameters") if node.type == "func_literal" else []
        types = [self._source.part(each, "type").lstrip("*") for each in listed]
        is_it = len(types) == 1 and types[0] in {f"{it}.{_TYPE}" for it in self._packages}
        return self._source.part(listed[0], "name") if is_it else ""

"""Commands of urfave/cli, which are literals of structs; and what sets a flag of it in place of the
command line: variables of the environment, and a key of the file of settings of its package
`altsrc`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.go.frameworks import File, values
from stationmaster.reading.code.languages.go.kept import (
    Holders,
    fields,
    flag_default,
    listed,
    literals_in,
    name_of,
    others_in,
)
from stationmaster.reading.code.languages.meanings import message
from stationmaster.reading.code.languages.source import above, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

PACKAGE = "github.com/urfave/cli"
_ENV = re.compile(r"((?:(?<!\w)\w++(?:(?<=\w)\.\w*+)?)?)\(?\"([A-Z][A-Z0-9_]{0,200})\"")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"")
_RUNS = frozenset({"Run", "RunContext"})
"""What is called so with the words of the command line is the program itself."""
_WORDS_MAX = 8


def read(file: File) -> Iterator[Fact]:
    """The commands and the settings of their flags."""
    if PACKAGE in file.packages.values():
        yield from _Reader(file).read()


class _Reader:
    def __init__(self, file: File) -> None:
        self._file, self._values, self._holders = file, values(file), Holders(file)
        self._roots = {
            file.text(it.of)
            for it in file.called
            if it.name in _RUNS and "os.Args" in file.text(it.listed)
        }
        self._flags: dict[int, Option] = {}
        """By where they are written."""

    def read(self) -> Iterator[Fact]:
        """The settings, then the commands by the literals that stand in no other."""
        outer, literals = 0, list[tuple[Node, bool]]()
        for match in self._file.matches("commands"):
            package, _, kind = self._file.text(match.get("type", [None])[0]).partition(".")
            if "literal" not in match or self._file.packages.get(package) != PACKAGE:
                continue
            node = match["literal"][0]
            if kind.endswith("Flag"):
                yield from self._flag(node)
            elif kind in ("App", "Command") and node.start_byte >= outer:
                outer = node.end_byte
                literals.append((node, kind == "App"))
        for node, is_app in literals:
            yield from self._command(node, is_app)

    def _text(self, node: Node | None) -> str:
        return one_line(self._file.literal(node) or "")

    def _command(self, node: Node, is_app: bool) -> Iterator[CliCommand]:
        holder = self._holders.keeping(node)
        is_root = is_app or holder in self._roots or holder.lower() in ("app", "root", "rootcmd")
        waiting: list[tuple[Node, tuple[str, ...] | None]] = [(node, None)]
        while waiting:
            each, above_ = waiting.pop()
            keys = fields(self._file, each)
            name = self._text(keys.get("Name"))
            words = () if above_ is None and is_root else (*(above_ or ()), name)
            inside = [value for key in ("Commands", "Subcommands") if (value := keys.get(key))]
            if (not name and words) or len(words) > _WORDS_MAX:
                continue
            yield CliCommand(
                words,
                line_of(each),
                message(self._file, keys.get("Usage")),
                name_of(self._file, keys.get("Action")),
                tuple(self._options(keys.get("Flags"))),
                holder if each == node else "",
                tuple(name for value in inside for name in others_in(self._file, value)),
                aliases=listed(self._file, keys.get("Aliases")),
            )
            waiting += [(one, words) for value in inside for one in reversed(literals_in(value))]

    def _flag(self, node: Node) -> Iterator[Setting]:
        keys = fields(self._file, node)
        names = [part.strip() for part in self._text(keys.get("Name")).split(",")]
        names += _QUOTED.findall(self._file.text(keys.get("Aliases")))
        if any(names):
            help_ = message(self._file, keys.get("Usage"))
            value = flag_default(self._file, keys["Value"]) if "Value" in keys else None
            option = Option(dashed(*names), line_of(node), help_, value)
            self._flags[node.start_byte] = option
            yield from self._settings(node, keys, option)

    def _options(self, node: Node | None) -> list[Option]:
        """Those of a list that is written in place, or that a variable of the file keeps."""
        if node is not None and node.type == "identifier":
            node = self._values.get(self._file.text(node))
        if node is None:
            return []
        start, end = node.start_byte, node.end_byte
        return [option for byte, option in sorted(self._flags.items()) if start <= byte < end]

    def _settings(self, node: Node, keys: Mapping[str, Node], option: Option) -> Iterator[Setting]:
        """The settings of the flag at a node."""
        row = (
            option.line,
            option.default,
            self._file.text(keys.get("Required")) == "true",
            option.help,
        )
        for key in ("EnvVars", "EnvVar", "Sources"):
            for call, env in _ENV.findall(self._file.text(keys.get(key)).replace(",", '","')):
                # A function of the program itself makes another name of it.
                if not call.startswith("os.") and (not call or "." in call):
                    yield Setting(env, "env", *row)
        around = above(node, "call_expression")
        if self._file.part(around, "function").startswith("altsrc.New"):
            yield Setting(option.names[0].lstrip("-"), "key", *row)

"""Commands and options of Swift's ArgumentParser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import parted
from stationmaster.reading.code.languages.items import Field, Unit
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.swift.symbols import holder_of, name_of, types
from stationmaster.reading.code.model import CliCommand, Option

_COMMANDS = frozenset({"ParsableCommand", "AsyncParsableCommand"})
_OPTIONS = frozenset({"Option", "Flag", "Argument"})
_CUSTOM = re.compile(r"\.custom(Long|Short)\(\s*\"([^\"\n]{1,100})\"")
_HELP = re.compile(r"help:\s*(?:ArgumentHelp\(\s*)?\"((?:[^\"\\\n]|\\.)*)\"")
_NAME = re.compile(r"\bcommandName:\s*\"([^\"\n]{1,100})\"")
_ABSTRACT = re.compile(r"\babstract:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_BELOW = re.compile(r"\bsubcommands:\s*\[([^\]]{0,4000})\]")
_WORDS_MAX = 8
_LITERALS = code.names("swift.grammar.literals")


def commands(unit: Unit) -> list[CliCommand]:
    """Of a file that imports ArgumentParser."""
    made: dict[str, Node] = {}
    for each in types(unit) if unit.proof.any_of(("ArgumentParser",)) else ():
        if not each.is_extension and _COMMANDS & {base.rpartition(".")[2] for base in each.bases}:
            made.setdefault(each.name, each.node)
    reader = _Reader(unit, made)
    below = {child for name in made for child in reader.children(name)}
    for name in made:
        if name not in below:
            reader.add(name, ())
    return reader.found


class _Reader:
    def __init__(self, unit: Unit, made: dict[str, Node]) -> None:
        self._unit = unit
        self._types = made
        self._told = dict(reversed([*self._configurations()])) if made else {}
        self._docs = {symbol.qualified: symbol.doc for symbol in unit.facts.symbols}
        self._mains = {each.node.start_byte for each, _ in unit.by_name("main")}
        self.found: list[CliCommand] = []

    def _configurations(self) -> Iterator[tuple[str, str]]:
        """What types, or extensions of them, say of themselves."""
        for node in self._unit.nodes["declared"]:
            text = self._unit.source.text(node)[:8_000]
            holder = holder_of(node)
            if holder is not None and "CommandConfiguration(" in text:
                yield name_of(self._unit.source, holder), text

    def children(self, name: str) -> list[str]:
        """Types of the subcommands, as they are called last."""
        match = _BELOW.search(self._told.get(name, ""))
        words = match[1].split(",") if match else []
        told = [word.strip().removesuffix(".self") for word in words]
        return [each.rpartition(".")[2] for each in told if each]

    def add(self, name: str, above: tuple[str, ...]) -> None:
        """Add the command of a type below some words, and its subcommands of this file."""
        waiting = [(name, above, True)]
        seen: set[str] = set()
        while waiting:
            each, words, is_first = waiting.pop()
            if each in seen or len(words) > _WORDS_MAX:
                continue
            seen.add(each)
            node, comment = self._types[each], self._told.get(each, "")
            called = _NAME.search(comment)
            is_root = is_first and node.start_byte in self._mains
            own = () if is_root else (*words, called[1] if called else parted(each, "-"))
            abstract = _ABSTRACT.search(comment)
            children = self.children(each)
            self.found.append(
                CliCommand(
                    own,
                    line_of(node),
                    one_line(abstract[1]) if abstract else "",
                    f"{each}.run",
                    tuple(self._options(node)),
                    "" if is_root or not is_first else each,
                    tuple(child for child in children if child not in self._types),
                )
            )
            waiting += [(child, own, False) for child in reversed(children) if child in self._types]

    def _options(self, holder: Node) -> Iterator[Option]:
        qualified = self._unit.scopes.at(holder.start_byte)
        for field in self._unit.fields(holder):
            for kind in field.notes.keys() & _OPTIONS:
                doc = self._docs.get(f"{qualified}.{field.name}", "")
                yield self._option(field, kind, doc)

    def _option(self, field: Field, kind: str, doc: str) -> Option:
        told = self._unit.source.text(field.notes[kind].node)
        name, value = field.name, field.node.child_by_field_name("value")
        names = [f"-{name[:1]}"] if re.search(r"\.short(?:AndLong)?\b", told) else []
        custom = _CUSTOM.findall(told)
        if re.search(r"\.(?:long|shortAndLong)\b", told) or not ("name:" in told or custom):
            names.append(f"--{parted(name, '-')}")
        names += [f"-{text}" if which == "Short" else f"--{text}" for which, text in custom]
        help_ = _HELP.search(told)
        default = self._unit.source.text(value).strip('"')
        is_plain = value is not None and value.type in _LITERALS and "[" not in default
        if kind == "Argument":
            names = [parted(name, "-").upper()]
        line = line_of(value) if value is not None else field.line
        text = one_line(help_[1] if help_ else doc)
        return Option(tuple(names), line, text, default if is_plain else None)

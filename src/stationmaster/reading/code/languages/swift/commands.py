"""Commands and options of Swift's ArgumentParser."""

from __future__ import annotations

import re

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import parted
from stationmaster.reading.code.languages.source import Comments, Source, line_of, one_line
from stationmaster.reading.code.languages.swift.symbols import Item
from stationmaster.reading.code.model import CliCommand, Option

_COMMANDS = frozenset({"ParsableCommand", "AsyncParsableCommand"})
_CUSTOM = re.compile(r"\.custom(Long|Short)\(\s*\"([^\"\n]{1,100})\"")
_HELP = re.compile(r"help:\s*(?:ArgumentHelp\(\s*)?\"((?:[^\"\\\n]|\\.)*)\"")
_NAME = re.compile(r"\bcommandName:\s*\"([^\"\n]{1,100})\"")
_ABSTRACT = re.compile(r"\babstract:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_BELOW = re.compile(r"\bsubcommands:\s*\[([^\]]{0,4000})\]")
_WORDS_MAX = 8
_LITERALS = code.names("swift.grammar.literals")


def read(source: Source, items: tuple[Item, ...], comments: Comments) -> list[CliCommand]:
    """Of a file that imports ArgumentParser."""
    types: dict[str, Item] = {}
    for item in items:
        is_type = item.type == "class_declaration" and item.kind != "extension"
        if is_type and _COMMANDS & {base.rpartition(".")[2] for base in item.bases}:
            types.setdefault(item.name, item)
    reader = _Reader(source, items, types, comments)
    below = {child for name in types for child in reader.children(name)}
    for name in types:
        if name not in below:
            reader.add(name, ())
    return reader.found


class _Reader:
    def __init__(
        self, source: Source, items: tuple[Item, ...], types: dict[str, Item], comments: Comments
    ) -> None:
        self._source = source
        self._items = items
        self._types = types
        self._comments = comments
        self._told = {name: self._configuration(name) for name in types}
        self.found: list[CliCommand] = []

    def _configuration(self, name: str) -> str:
        """What the type, or an extension of it, says of itself."""
        for item in self._items:
            if item.holder is not None and item.holder.name == name:
                text = self._source.text(item.node)[:8_000]
                if "CommandConfiguration(" in text:
                    return text
        return ""

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
            item, told = self._types[each], self._told[each]
            called = _NAME.search(told)
            is_root = is_first and any(attribute.name == "main" for attribute in item.attributes)
            own = () if is_root else (*words, called[1] if called else parted(each, "-"))
            abstract = _ABSTRACT.search(told)
            children = self.children(each)
            self.found.append(
                CliCommand(
                    own,
                    line_of(item.node),
                    one_line(abstract[1]) if abstract else "",
                    f"{each}.run",
                    tuple(self._options(item)),
                    "" if is_root or not is_first else each,
                    tuple(child for child in children if child not in self._types),
                )
            )
            waiting += [(child, own, False) for child in reversed(children) if child in self._types]

    def _options(self, holder: Item) -> list[Option]:
        return [
            self._option(item.node, attribute.text, attribute.name)
            for item in self._items
            if item.holder is holder and item.type == "property_declaration"
            for attribute in item.attributes
            if attribute.name in ("Option", "Flag", "Argument")
        ]

    def _option(self, node: Node, told: str, kind: str) -> Option:
        pattern = node.child_by_field_name("name")
        name = self._source.text(pattern)
        names = [f"-{name[:1]}"] if re.search(r"\.short(?:AndLong)?\b", told) else []
        custom = _CUSTOM.findall(told)
        if re.search(r"\.(?:long|shortAndLong)\b", told) or not ("name:" in told or custom):
            names.append(f"--{parted(name, '-')}")
        names += [f"-{text}" if which == "Short" else f"--{text}" for which, text in custom]
        help_ = _HELP.search(told)
        text = help_[1] if help_ else self._comments.sentence(node, ("///",))
        value = node.child_by_field_name("value")
        default = self._source.text(value).strip('"') if value is not None else ""
        is_plain = value is not None and value.type in _LITERALS and "[" not in default
        if kind == "Argument":
            names = [parted(name, "-").upper()]
        line = value or pattern or node
        return Option(tuple(names), line_of(line), one_line(text), default if is_plain else None)
